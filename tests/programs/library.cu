// A function of a library and one that is not there, for `run --fidelity`.
#include <cublas_v2.h>

#include <cstdio>

int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  float *x, sum = 0;
  cudaMallocManaged(&x, 3 * sizeof *x);
  x[0] = 1, x[1] = 2, x[2] = 3;
  printf("%d ", cublasSdot(h, 3, x, 1, x, 1, &sum));
  printf("%g\n", sum);
  cublasDestroy(h);
}
