// cuBLAS's batched LU by hand: A = [0 2; 4 6] needs its rows exchanged (L = [1 0; 0 1], U = [4 6; 0 2]); B is singular.
// link: -lcublas
// expect: info 0 2 pivots 2 2 factors 4 0 6 2
// expect: A x = (2, 10) 1 1
// expect: At x = (4, 8) 1 1
// expect: inverse -0.75 0.5 0.25 0
// expect: complex 0 -1
#include <cublas_v2.h>
#include <cuComplex.h>

#include <cstdio>

template <class T, size_t N>
static T* put(const T (&v)[N]) {
  T* at;
  cudaMalloc(&at, sizeof v);
  cudaMemcpy(at, v, sizeof v, cudaMemcpyHostToDevice);
  return at;
}

int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  double *a = put<double>({0, 4, 2, 6}), *b = put<double>({1, 2, 2, 4});
  double** both = put<double*>({a, b});
  int *pivots = put<int>({0, 0, 0, 0}), *info = put<int>({9, 9}), got[4], infos[2];
  double f[4];
  cublasDgetrfBatched(h, 2, both, 2, pivots, info, 2);
  cudaMemcpy(got, pivots, sizeof got, cudaMemcpyDeviceToHost), cudaMemcpy(infos, info, sizeof infos, cudaMemcpyDeviceToHost);
  cudaMemcpy(f, a, sizeof f, cudaMemcpyDeviceToHost);
  printf("info %d %d pivots %d %d factors %g %g %g %g\n", infos[0], infos[1], got[0], got[1], f[0], f[1], f[2], f[3]);
  double *x = put<double>({2, 10}), **xs = put<double*>({x});
  cublasDgetrsBatched(h, CUBLAS_OP_N, 2, 1, both, 2, pivots, xs, 2, infos, 1);
  cudaMemcpy(f, x, 16, cudaMemcpyDeviceToHost);
  printf("A x = (2, 10) %g %g\n", f[0], f[1]);
  double *y = put<double>({4, 8}), **ys = put<double*>({y});
  cublasDgetrsBatched(h, CUBLAS_OP_T, 2, 1, both, 2, pivots, ys, 2, infos, 1);
  cudaMemcpy(f, y, 16, cudaMemcpyDeviceToHost);
  printf("At x = (4, 8) %g %g\n", f[0], f[1]);
  double *inverse = put<double>({0, 0, 0, 0}), **inverses = put<double*>({inverse});
  cublasDgetriBatched(h, 2, both, 2, pivots, inverses, 2, info, 1);
  cudaMemcpy(f, inverse, sizeof f, cudaMemcpyDeviceToHost);
  printf("inverse %g %g %g %g\n", f[0], f[1], f[2], f[3]);
  // i x = 1.
  cuComplex *c = put<cuComplex>({{0, 1}}), **cs = put<cuComplex*>({c}), *z = put<cuComplex>({{1, 0}}), **zs = put<cuComplex*>({z}), r;
  cublasCgetrfBatched(h, 1, cs, 1, nullptr, info, 1);
  cublasCgetrsBatched(h, CUBLAS_OP_N, 1, 1, cs, 1, nullptr, zs, 1, infos, 1);
  cudaMemcpy(&r, z, sizeof r, cudaMemcpyDeviceToHost);
  printf("complex %g %g\n", r.x, r.y);
}
