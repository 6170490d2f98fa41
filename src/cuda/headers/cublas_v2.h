// cuBLAS as CUDA 12 has it, the functions that programs use most; they run on the processor
// (libwarpwright_blas).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "library_types.h"

typedef struct cublasContext* cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N,
  CUBLAS_OP_T,
  CUBLAS_OP_C,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH,
  CUBLAS_TENSOR_OP_MATH,
  CUBLAS_PEDANTIC_MATH,
  CUBLAS_TF32_TENSOR_OP_MATH
} cublasMath_t;
typedef enum {
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VERSION 120900

// A function has the name of its second form (cublasSgemm_v2), which the macro of the plain name leads to.
#define WW_BLAS(name, ...) cublasStatus_t name(__VA_ARGS__);
extern "C" {
WW_BLAS(cublasCreate_v2, cublasHandle_t* handle)
WW_BLAS(cublasDestroy_v2, cublasHandle_t handle)
WW_BLAS(cublasGetVersion_v2, cublasHandle_t handle, int* version)
WW_BLAS(cublasSetStream_v2, cublasHandle_t handle, cudaStream_t stream)
WW_BLAS(cublasGetStream_v2, cublasHandle_t handle, cudaStream_t* stream)
WW_BLAS(cublasSetWorkspace_v2, cublasHandle_t handle, void* workspace, size_t bytes)
WW_BLAS(cublasSetPointerMode_v2, cublasHandle_t handle, cublasPointerMode_t mode)
WW_BLAS(cublasGetPointerMode_v2, cublasHandle_t handle, cublasPointerMode_t* mode)
WW_BLAS(cublasSetAtomicsMode, cublasHandle_t handle, cublasAtomicsMode_t mode)
WW_BLAS(cublasSetMathMode, cublasHandle_t handle, cublasMath_t mode)
WW_BLAS(cublasGetMathMode, cublasHandle_t handle, cublasMath_t* mode)
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
WW_BLAS(cublasSetVector, int n, int bytes, const void* x, int dx, void* y, int dy)
WW_BLAS(cublasGetVector, int n, int bytes, const void* x, int dx, void* y, int dy)
WW_BLAS(cublasSetMatrix, int rows, int cols, int bytes, const void* a, int lda, void* b, int ldb)
WW_BLAS(cublasGetMatrix, int rows, int cols, int bytes, const void* a, int lda, void* b, int ldb)
WW_BLAS(cublasSetVectorAsync, int n, int bytes, const void* x, int dx, void* y, int dy, cudaStream_t stream)
WW_BLAS(cublasGetVectorAsync, int n, int bytes, const void* x, int dx, void* y, int dy, cudaStream_t stream)
WW_BLAS(cublasSetMatrixAsync, int rows, int cols, int bytes, const void* a, int lda, void* b, int ldb,
        cudaStream_t stream)
WW_BLAS(cublasGetMatrixAsync, int rows, int cols, int bytes, const void* a, int lda, void* b, int ldb,
        cudaStream_t stream)

// By type: its letter, its C type, that of absolute values.
#define WW_BLAS_ALL(L, T)                                                                                   \
  WW_BLAS(cublas##L##axpy_v2, cublasHandle_t h, int n, const T* a, const T* x, int dx, T* y, int dy)        \
  WW_BLAS(cublas##L##scal_v2, cublasHandle_t h, int n, const T* a, T* x, int dx)                            \
  WW_BLAS(cublas##L##copy_v2, cublasHandle_t h, int n, const T* x, int dx, T* y, int dy)                    \
  WW_BLAS(cublas##L##swap_v2, cublasHandle_t h, int n, T* x, int dx, T* y, int dy)                          \
  WW_BLAS(cublas##L##gemv_v2, cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha,         \
          const T* a, int lda, const T* x, int dx, const T* beta, T* y, int dy)                             \
  WW_BLAS(cublas##L##trmv_v2, cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,                \
          cublasDiagType_t diagonal, int n, const T* a, int lda, T* x, int dx)                              \
  WW_BLAS(cublas##L##trsv_v2, cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,                \
          cublasDiagType_t diagonal, int n, const T* a, int lda, T* x, int dx)                              \
  WW_BLAS(cublas##L##gemm_v2, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, \
          int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc)    \
  WW_BLAS(cublas##L##gemmBatched, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,    \
          int n, int k, const T* alpha, const T* const* a, int lda, const T* const* b, int ldb,             \
          const T* beta, T* const* c, int ldc, int count)                                                   \
  WW_BLAS(cublas##L##gemmStridedBatched, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,    \
          int m, int n, int k, const T* alpha, const T* a, int lda, long long sa, const T* b, int ldb,      \
          long long sb, const T* beta, T* c, int ldc, long long sc, int count)                              \
  WW_BLAS(cublas##L##symm_v2, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, \
          const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc)           \
  WW_BLAS(cublas##L##syrk_v2, cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k,  \
          const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc)                                \
  WW_BLAS(cublas##L##trmm_v2, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,               \
          cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a,        \
          int lda, const T* b, int ldb, T* c, int ldc)                                                      \
  WW_BLAS(cublas##L##trsm_v2, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,               \
          cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a,        \
          int lda, T* b, int ldb)                                                                           \
  WW_BLAS(cublas##L##geam, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,    \
          const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc)           \
  WW_BLAS(cublas##L##dgmm, cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* a, int lda,      \
          const T* x, int dx, T* c, int ldc)                                                                \
  WW_BLAS(cublas##L##getrfBatched, cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,   \
          int count)                                                                                        \
  WW_BLAS(cublas##L##getriBatched, cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots,  \
          T* const* c, int ldc, int* info, int count)
WW_BLAS_ALL(S, float)
WW_BLAS_ALL(D, double)
WW_BLAS_ALL(C, cuComplex)
WW_BLAS_ALL(Z, cuDoubleComplex)
#undef WW_BLAS_ALL

#define WW_BLAS_REAL(L, T)                                                                                   \
  WW_BLAS(cublas##L##dot_v2, cublasHandle_t h, int n, const T* x, int dx, const T* y, int dy, T* result)     \
  WW_BLAS(cublas##L##rot_v2, cublasHandle_t h, int n, T* x, int dx, T* y, int dy, const T* c, const T* s)    \
  WW_BLAS(cublas##L##ger_v2, cublasHandle_t h, int m, int n, const T* alpha, const T* x, int dx, const T* y, \
          int dy, T* a, int lda)                                                                             \
  WW_BLAS(cublas##L##symv_v2, cublasHandle_t h, cublasFillMode_t fill, int n, const T* alpha, const T* a,    \
          int lda, const T* x, int dx, const T* beta, T* y, int dy)
WW_BLAS_REAL(S, float)
WW_BLAS_REAL(D, double)
#undef WW_BLAS_REAL
#define WW_BLAS_COMPLEX(L, T)                                                                             \
  WW_BLAS(cublas##L##dotu_v2, cublasHandle_t h, int n, const T* x, int dx, const T* y, int dy, T* result) \
  WW_BLAS(cublas##L##dotc_v2, cublasHandle_t h, int n, const T* x, int dx, const T* y, int dy, T* result)
WW_BLAS_COMPLEX(C, cuComplex)
WW_BLAS_COMPLEX(Z, cuDoubleComplex)
#undef WW_BLAS_COMPLEX
// Norms, sums of absolute values, and where the largest and smallest are, counted from 1.
#define WW_BLAS_NORMS(S, I, T, R)                                                        \
  WW_BLAS(cublas##S##nrm2_v2, cublasHandle_t h, int n, const T* x, int dx, R* result)    \
  WW_BLAS(cublas##S##asum_v2, cublasHandle_t h, int n, const T* x, int dx, R* result)    \
  WW_BLAS(cublasI##I##amax_v2, cublasHandle_t h, int n, const T* x, int dx, int* result) \
  WW_BLAS(cublasI##I##amin_v2, cublasHandle_t h, int n, const T* x, int dx, int* result)
WW_BLAS_NORMS(S, s, float, float)
WW_BLAS_NORMS(D, d, double, double)
WW_BLAS_NORMS(Sc, c, cuComplex, float)
WW_BLAS_NORMS(Dz, z, cuDoubleComplex, double)
#undef WW_BLAS_NORMS
WW_BLAS(cublasHgemm, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
        const __half* alpha, const __half* a, int lda, const __half* b, int ldb, const __half* beta,
        __half* c, int ldc)
WW_BLAS(cublasHgemmStridedBatched, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
        int n, int k, const __half* alpha, const __half* a, int lda, long long sa, const __half* b, int ldb,
        long long sb, const __half* beta, __half* c, int ldc, long long sc, int count)
WW_BLAS(cublasSgemmEx, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
        const float* alpha, const void* a, cudaDataType ta, int lda, const void* b, cudaDataType tb, int ldb,
        const float* beta, void* c, cudaDataType tc, int ldc)
WW_BLAS(cublasGemmEx, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
        const void* alpha, const void* a, cudaDataType ta, int lda, const void* b, cudaDataType tb, int ldb,
        const void* beta, void* c, cudaDataType tc, int ldc, cublasComputeType_t compute,
        cublasGemmAlgo_t way)
WW_BLAS(cublasGemmBatchedEx, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
        int k, const void* alpha, const void* const a[], cudaDataType ta, int lda, const void* const b[],
        cudaDataType tb, int ldb, const void* beta, void* const c[], cudaDataType tc, int ldc, int count,
        cublasComputeType_t compute, cublasGemmAlgo_t way)
WW_BLAS(cublasGemmStridedBatchedEx, cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
        int n, int k, const void* alpha, const void* a, cudaDataType ta, int lda, long long sa, const void* b,
        cudaDataType tb, int ldb, long long sb, const void* beta, void* c, cudaDataType tc, int ldc,
        long long sc, int count, cublasComputeType_t compute, cublasGemmAlgo_t way)
}
// As before CUDA 11: the type to compute in was named as one of data.
inline cublasComputeType_t ww_compute_type(cudaDataType t) {
  switch (t) {
    case CUDA_R_16F:
      return CUBLAS_COMPUTE_16F;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return CUBLAS_COMPUTE_32F;
    case CUDA_R_64F:
    case CUDA_C_64F:
      return CUBLAS_COMPUTE_64F;
    case CUDA_R_32I:
      return CUBLAS_COMPUTE_32I;
    default:
      return cublasComputeType_t(0);  // none: the call is refused
  }
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                                   int n, int k, const void* alpha, const void* a, cudaDataType ta, int lda,
                                   const void* b, cudaDataType tb, int ldb, const void* beta, void* c,
                                   cudaDataType tc, int ldc, cudaDataType compute, cublasGemmAlgo_t way) {
  return cublasGemmEx(h, opa, opb, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc,
                      ww_compute_type(compute), way);
}
inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                          int m, int n, int k, const void* alpha, const void* const a[],
                                          cudaDataType ta, int lda, const void* const b[], cudaDataType tb,
                                          int ldb, const void* beta, void* const c[], cudaDataType tc,
                                          int ldc, int count, cudaDataType compute, cublasGemmAlgo_t way) {
  return cublasGemmBatchedEx(h, opa, opb, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc, count,
                             ww_compute_type(compute), way);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t opa,
                                                 cublasOperation_t opb, int m, int n, int k,
                                                 const void* alpha, const void* a, cudaDataType ta, int lda,
                                                 long long sa, const void* b, cudaDataType tb, int ldb,
                                                 long long sb, const void* beta, void* c, cudaDataType tc,
                                                 int ldc, long long sc, int count, cudaDataType compute,
                                                 cublasGemmAlgo_t way) {
  return cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, alpha, a, ta, lda, sa, b, tb, ldb, sb, beta, c, tc,
                                    ldc, sc, count, ww_compute_type(compute), way);
}
#undef WW_BLAS

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSgemv cublasSgemv_v2
#define cublasStrmv cublasStrmv_v2
#define cublasStrsv cublasStrsv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsymm cublasSsymm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasStrmm cublasStrmm_v2
#define cublasStrsm cublasStrsm_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsymm cublasDsymm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCscal cublasCscal_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCtrmv cublasCtrmv_v2
#define cublasCtrsv cublasCtrsv_v2
#define cublasCgemm cublasCgemm_v2
#define cublasCsymm cublasCsymm_v2
#define cublasCsyrk cublasCsyrk_v2
#define cublasCtrmm cublasCtrmm_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZscal cublasZscal_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZtrmv cublasZtrmv_v2
#define cublasZtrsv cublasZtrsv_v2
#define cublasZgemm cublasZgemm_v2
#define cublasZsymm cublasZsymm_v2
#define cublasZsyrk cublasZsyrk_v2
#define cublasZtrmm cublasZtrmm_v2
#define cublasZtrsm cublasZtrsm_v2
#define cublasSdot cublasSdot_v2
#define cublasSrot cublasSrot_v2
#define cublasSger cublasSger_v2
#define cublasSsymv cublasSsymv_v2
#define cublasDdot cublasDdot_v2
#define cublasDrot cublasDrot_v2
#define cublasDger cublasDger_v2
#define cublasDsymv cublasDsymv_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasScasum cublasScasum_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasDzasum cublasDzasum_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
