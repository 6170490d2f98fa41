// cuBLAS: products of complex bytes, whose sums are of CUDA_C_32F; and one that is not there, which says so.
// By hand: A = (1+2i 3-i), B = (2 -1+4i)^T.
// link: -lcublas
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

template <class T>
T* put(std::initializer_list<T> values) {
  T* p;
  cudaMallocManaged(&p, values.size() * sizeof(T));
  std::memcpy(p, values.begin(), values.size() * sizeof(T));
  return p;
}

int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  const cublasOperation_t N = CUBLAS_OP_N, C = CUBLAS_OP_C;
  signed char *a = put<signed char>({1, 2, 3, -1}), *b = put<signed char>({2, 0, -1, 4});
  cuComplex *c = put<cuComplex>({{9, 9}, {9, 9}}), one{1, 0}, i{0, 1}, zero{0, 0};
  cublasGemmEx(h, N, N, 1, 1, 2, &one, a, CUDA_C_8I, 1, b, CUDA_C_8I, 2, &zero, c, CUDA_C_32F, 1,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  printf("A B = %g %g\n", c[0].x, c[0].y);
  cublasGemmEx(h, N, C, 1, 1, 2, &i, a, CUDA_C_8I, 1, b, CUDA_C_8I, 1, &one, c, CUDA_C_32F, 1,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  printf("i A B* + A B = %g %g\n", c[0].x, c[0].y);  // B stored as a row
  cublasGemmStridedBatchedEx(h, N, N, 1, 1, 1, &one, a, CUDA_C_8I, 1, 1, b, CUDA_C_8I, 1, 1, &zero, c,
                             CUDA_C_32F, 1, 1, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  printf("one by one %g %g | %g %g\n", c[0].x, c[0].y, c[1].x, c[1].y);
  printf("into bytes: %d\n", cublasGemmEx(h, N, N, 1, 1, 2, &one, a, CUDA_C_8I, 1, b, CUDA_C_8I, 2, &zero, c,
                                          CUDA_C_8I, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
// expect: A B = 3 17
// expect: i A B* + A B = 10 12
// expect: one by one 2 4 | 1 13
// expect: into bytes: 15
