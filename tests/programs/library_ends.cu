// Calls of libraries whose matrices, vectors and signals are longer than the memory behind them; with `right`
// they are not.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

int main(int argc, char**) {
  const bool right = argc > 1;
  const auto floats = [](int count) {
    float* p = nullptr;
    cudaMalloc(&p, count * sizeof *p);
    cudaMemset(p, 0, count * sizeof *p);
    return p;
  };
  const float one = 1, zero = 0;
  cublasHandle_t h;
  cublasCreate(&h);
  float *a = floats(64 * 32), *b = floats(32 * 32), *c = floats(right ? 64 * 32 : 32 * 32);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 64, 32, 32, &one, a, 64, b, 32, &zero, c, 64);
  cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, 32, 32, 64, &one, a, 64, a, 64, &zero, b, 32);
  float *x = floats(right ? 199 : 190), *y = floats(100);
  cublasSaxpy(h, 100, &one, x, 2, y, -1);
  if (!right) cudaFree(y);
  cublasSscal(h, 100, &one, y, 1);
  cublasDestroy(h);
  cufftHandle plan;
  cufftPlan1d(&plan, 256, CUFFT_C2C, 2);
  auto* signal = reinterpret_cast<cufftComplex*>(floats(right ? 1024 : 1000));
  cufftExecC2C(plan, signal, signal, CUFFT_FORWARD);
  cufftDestroy(plan);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(g, floats(right ? 1000 : 999), 1000);
  curandDestroyGenerator(g);
}
