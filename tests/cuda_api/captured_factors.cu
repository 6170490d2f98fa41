// alpha and beta of cuBLAS in graphs. On the device they are read when the graph runs; on the host they are
// the caller's, who may change them after the call.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>

static cudaStream_t stream;

// The first numbers of an array after each of two launches of what `work` submits; `after` runs before them.
template <class Work, class After>
static void twice(const char* name, const float* first, Work work, After after) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  work();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  after();
  std::printf("%s:", name);
  for (int k = 0; k < 2; ++k) {
    float now[2];
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(now, first, sizeof now, cudaMemcpyDeviceToHost);
    std::printf(" %g %g", now[0], now[1]);
  }
  std::puts("");
}

static void set(float* to, float first, float second) {
  const float values[2] = {first, second};
  cudaMemcpy(to, values, sizeof values, cudaMemcpyHostToDevice);
}

int main() {
  cudaStreamCreate(&stream);
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetStream(blas, stream);
  float *factors, *x, *y;
  cudaMalloc(&factors, 256);
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);

  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  const auto three = [&] { set(factors, 3, 3); };
  set(factors, 0, 0), set(x, 1, 2), set(y, 10, 20);
  twice(
      "scal", x, [&] { cublasSscal(blas, 2, factors, x, 1); }, three);  // times 3 each
  set(factors, 0, 0), set(x, 1, 2);
  twice(
      "axpy", y, [&] { cublasSaxpy(blas, 2, factors, x, 1, y, 1); }, three);  // plus 3 x each
  set(factors, 0, 0), set(y, 0, 0);
  twice(
      "gemv", y, [&] { cublasSgemv(blas, CUBLAS_OP_N, 1, 2, factors, x, 1, x, 1, factors + 1, y, 1); },
      [&] { set(factors, 2, 1); });  // plus 2 (1 + 4) each
  set(factors, 0, 0), set(y, 0, 0);
  twice(
      "gemm", y,
      [&] { cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, factors, x, 2, x, 2, factors + 1, y, 1); },
      [&] { set(factors, 2, 1); });
  set(factors, 0, 0), set(y, 1, 1);
  twice(
      "ScalEx", y, [&] { cublasScalEx(blas, 2, factors, CUDA_R_32F, y, CUDA_R_32F, 1, CUDA_R_32F); }, three);

  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
  float alpha = 2, beta = 1;
  const auto spoil = [&] { alpha = beta = -7; };
  set(y, 0, 0);
  twice(
      "GemmEx", y,
      [&] {
        cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &alpha, x, CUDA_R_32F, 2, x, CUDA_R_32F, 2,
                     &beta, y, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      },
      spoil);
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  cublasLtMatmulDesc_t product;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const cublasOperation_t turned = CUBLAS_OP_T;
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
  cublasLtMatrixLayout_t column, one;
  cublasLtMatrixLayoutCreate(&column, CUDA_R_32F, 2, 1, 2);
  cublasLtMatrixLayoutCreate(&one, CUDA_R_32F, 1, 1, 1);
  alpha = 2, beta = 1;
  set(y, 0, 0);
  twice(
      "matmul", y,
      [&] {
        cublasLtMatmul(lt, product, &alpha, x, column, x, column, &beta, y, one, y, one, nullptr, nullptr, 0,
                       stream);
      },
      spoil);
}
// link: -lcublas -lcublasLt
// expect: scal: 3 6 9 18
// expect: axpy: 13 26 16 32
// expect: gemv: 10 0 20 0
// expect: gemm: 10 0 20 0
// expect: ScalEx: 3 3 9 9
// expect: GemmEx: 10 0 20 0
// expect: matmul: 10 0 20 0
