// cuBLAS: helper functions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/live_handles.h"
#include "cuda/blas/call.h"
#include "cuda/stubs/submit.h"

using namespace ww::blas;

// Of the runtime, which is in libwarpwright_cuda.so.
extern "C" {
int cudaDeviceSynchronize();
int cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                 int kind);
int cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, int kind, void* stream);
}

namespace ww::blas {

namespace {
LiveHandles& handles() {
  static auto* all = new LiveHandles;
  return *all;
}
}  // namespace

bool is_handle(const Handle* handle) { return handles().has(handle); }

Status submit(Handle& handle, std::function<void()> work) {
  return stubs::submit(handle.stream, std::move(work)) ? Status::Success : Status::ExecutionFailed;
}

}  // namespace ww::blas

WW_LIBRARY_API Status cublasCreate_v2(Handle** handle) {
  if (!handle) return Status::InvalidValue;
  *handle = new Handle;
  handles().add(*handle);
  return Status::Success;
}
WW_LIBRARY_API Status cublasDestroy_v2(Handle* handle) {
  if (!handles().remove(handle)) return Status::NotInitialized;
  delete handle;
  return Status::Success;
}
WW_LIBRARY_API Status cublasGetVersion_v2(Handle*, int* version) {
  if (!version) return Status::InvalidValue;
  *version = 130000;
  return Status::Success;
}
WW_LIBRARY_API Status cublasGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Status::InvalidValue;
  *value = which == 0 ? 13 : 0;
  return Status::Success;
}
WW_LIBRARY_API size_t cublasGetCudartVersion() { return 13000; }

// A field of the handle, set and asked for.
#define WW_FIELD(name, field, type)                                    \
  WW_LIBRARY_API Status cublasSet##name(Handle* handle, type value) {  \
    if (!is_handle(handle)) return Status::NotInitialized;             \
    handle->field = value;                                             \
    return Status::Success;                                            \
  }                                                                    \
  WW_LIBRARY_API Status cublasGet##name(Handle* handle, type* value) { \
    if (!is_handle(handle)) return Status::NotInitialized;             \
    if (!value) return Status::InvalidValue;                           \
    *value = handle->field;                                            \
    return Status::Success;                                            \
  }
WW_FIELD(Stream_v2, stream, void*)
WW_FIELD(PointerMode_v2, pointer_mode, int)
WW_FIELD(MathMode, math_mode, int)
WW_FIELD(AtomicsMode, atomics_mode, int)
WW_FIELD(SmCountTarget, sm_target, int)
// How products of doubles may be computed by other units than the double ones. They are computed in double
// here, which every strategy allows a library to fall back to.
WW_FIELD(EmulationStrategy, emulation.strategy, int)
WW_FIELD(EmulationSpecialValuesSupport, emulation.special_values, int)
WW_FIELD(FixedPointEmulationMantissaControl, emulation.control, int)
WW_FIELD(FixedPointEmulationMaxMantissaBitCount, emulation.most_bits, int)
WW_FIELD(FixedPointEmulationMantissaBitOffset, emulation.offset, int)
WW_FIELD(FixedPointEmulationMantissaBitCountPointer, emulation.bits, int*)
WW_LIBRARY_API Status cublasSetWorkspace_v2(Handle* handle, void*, size_t) {
  return is_handle(handle) ? Status::Success : Status::NotInitialized;
}

WW_LIBRARY_API const char* cublasGetStatusName(Status s) {
  switch (s) {
    case Status::Success:
      return "CUBLAS_STATUS_SUCCESS";
    case Status::NotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case Status::InvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case Status::ExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case Status::NotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "unknown";
}
WW_LIBRARY_API const char* cublasGetStatusString(Status s) { return cublasGetStatusName(s); }

// Copies between host and device, of vectors and matrices.
namespace {
Status copied(int error) { return error == 0 ? Status::Success : Status::ExecutionFailed; }
enum Kind { kToDevice = 1, kToHost = 2 };
template <class N>
Status vector_copy(N n, N size, const void* x, N from, void* y, N to, Kind kind) {
  if (n < 0 || size <= 0 || from <= 0 || to <= 0) return Status::InvalidValue;
  if (n == 0) return Status::Success;
  return copied(cudaMemcpy2D(y, static_cast<size_t>(to * size), x, static_cast<size_t>(from * size),
                             static_cast<size_t>(size), static_cast<size_t>(n), kind));
}
template <class N>
Status matrix_copy(N rows, N columns, N size, const void* a, N lda, void* b, N ldb, Kind kind) {
  if (rows < 0 || columns < 0 || size <= 0 || lda < rows || ldb < rows) return Status::InvalidValue;
  if (rows == 0 || columns == 0) return Status::Success;
  return copied(cudaMemcpy2D(b, static_cast<size_t>(ldb * size), a, static_cast<size_t>(lda * size),
                             static_cast<size_t>(rows * size), static_cast<size_t>(columns), kind));
}
}  // namespace
WW_LIBRARY_API Status cublasSetVector(int n, int size, const void* x, int from, void* y, int to) {
  return vector_copy(n, size, x, from, y, to, kToDevice);
}
WW_LIBRARY_API Status cublasGetVector(int n, int size, const void* x, int from, void* y, int to) {
  return vector_copy(n, size, x, from, y, to, kToHost);
}
WW_LIBRARY_API Status cublasSetVectorAsync(int n, int size, const void* x, int from, void* y, int to, void*) {
  return vector_copy(n, size, x, from, y, to, kToDevice);
}
WW_LIBRARY_API Status cublasGetVectorAsync(int n, int size, const void* x, int from, void* y, int to, void*) {
  return vector_copy(n, size, x, from, y, to, kToHost);
}
WW_LIBRARY_API Status cublasSetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                                      int ldb) {
  return matrix_copy(rows, columns, size, a, lda, b, ldb, kToDevice);
}
WW_LIBRARY_API Status cublasGetMatrix(int rows, int columns, int size, const void* a, int lda, void* b,
                                      int ldb) {
  return matrix_copy(rows, columns, size, a, lda, b, ldb, kToHost);
}
WW_LIBRARY_API Status cublasSetMatrixAsync(int rows, int columns, int size, const void* a, int lda, void* b,
                                           int ldb, void*) {
  return matrix_copy(rows, columns, size, a, lda, b, ldb, kToDevice);
}
WW_LIBRARY_API Status cublasGetMatrixAsync(int rows, int columns, int size, const void* a, int lda, void* b,
                                           int ldb, void*) {
  return matrix_copy(rows, columns, size, a, lda, b, ldb, kToHost);
}
