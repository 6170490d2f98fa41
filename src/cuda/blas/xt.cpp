// cublasXt: level 3 on matrices of the host. Ours lie where the processor works anyhow, so that each is the
// plain call; tiles, several devices and pinning would change a card's time only.
#include <climits>

#include "cuda/blas/call.h"

using namespace ww::blas;

namespace {

struct XtHandle {
  Handle* inner = nullptr;
  int block = 1024, pinning = 0;
};

/// Sizes are size_t here and int there. Error: InvalidValue.
template <class... Sizes>
bool fit(Sizes... sizes) {
  return ((sizes <= INT_MAX) && ...);
}
int small(size_t n) { return static_cast<int>(n); }

}  // namespace

WW_LIBRARY_API Status cublasCreate_v2(Handle** handle);
WW_LIBRARY_API Status cublasDestroy_v2(Handle* handle);
WW_LIBRARY_API Status cublasXtCreate(XtHandle** handle) {
  if (!handle) return Status::InvalidValue;
  *handle = new XtHandle;
  return cublasCreate_v2(&(*handle)->inner);
}
WW_LIBRARY_API Status cublasXtDestroy(XtHandle* handle) {
  if (!handle) return Status::NotInitialized;
  const Status s = cublasDestroy_v2(handle->inner);
  delete handle;
  return s;
}
WW_LIBRARY_API Status cublasXtDeviceSelect(XtHandle* handle, int count, const int* devices) {
  return !handle ? Status::NotInitialized : count > 0 && devices ? Status::Success : Status::InvalidValue;
}
WW_LIBRARY_API Status cublasXtGetNumBoards(int count, const int* devices, int* boards) {
  if (count < 1 || !devices || !boards) return Status::InvalidValue;
  *boards = count;
  return Status::Success;
}
WW_LIBRARY_API Status cublasXtMaxBoards(int* boards) {
  if (!boards) return Status::InvalidValue;
  *boards = INT_MAX;
  return Status::Success;
}
#define WW_XT_FIELD(name, field, good)                                    \
  WW_LIBRARY_API Status cublasXtSet##name(XtHandle* handle, int value) {  \
    if (!handle) return Status::NotInitialized;                           \
    if (!(good)) return Status::InvalidValue;                             \
    handle->field = value;                                                \
    return Status::Success;                                               \
  }                                                                       \
  WW_LIBRARY_API Status cublasXtGet##name(XtHandle* handle, int* value) { \
    if (!handle) return Status::NotInitialized;                           \
    if (!value) return Status::InvalidValue;                              \
    *value = handle->field;                                               \
    return Status::Success;                                               \
  }
WW_XT_FIELD(BlockDim, block, value > 0)
WW_XT_FIELD(PinningMemMode, pinning, value == 0 || value == 1)

/// A call: its parameters, the sizes among them, what the plain one takes.
#define WW_XT(name, plain_parameters, parameters, sizes, arguments) \
  WW_LIBRARY_API Status cublas##name##_v2 plain_parameters;         \
  WW_LIBRARY_API Status cublasXt##name parameters {                 \
    if (!h) return Status::NotInitialized;                          \
    if (!fit sizes) return Status::InvalidValue;                    \
    return cublas##name##_v2 arguments;                             \
  }
#define WW_XT_ALL(L, T)                                                                                      \
  WW_XT(                                                                                                     \
      L##gemm, (Handle*, Op, Op, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int),  \
      (XtHandle * h, Op oa, Op ob, size_t m, size_t n, size_t k, const T* al, const T* a, size_t lda,        \
       const T* b, size_t ldb, const T* be, T* c, size_t ldc),                                               \
      (m, n, k, lda, ldb, ldc),                                                                              \
      (h->inner, oa, ob, small(m), small(n), small(k), al, a, small(lda), b, small(ldb), be, c, small(ldc))) \
  WW_XT(L##syrk, (Handle*, Fill, Op, int, int, const T*, const T*, int, const T*, T*, int),                  \
        (XtHandle * h, Fill f, Op o, size_t n, size_t k, const T* al, const T* a, size_t lda, const T* be,   \
         T* c, size_t ldc),                                                                                  \
        (n, k, lda, ldc), (h->inner, f, o, small(n), small(k), al, a, small(lda), be, c, small(ldc)))        \
  WW_XT(L##syr2k, (Handle*, Fill, Op, int, int, const T*, const T*, int, const T*, int, const T*, T*, int),  \
        (XtHandle * h, Fill f, Op o, size_t n, size_t k, const T* al, const T* a, size_t lda, const T* b,    \
         size_t ldb, const T* be, T* c, size_t ldc),                                                         \
        (n, k, lda, ldb, ldc),                                                                               \
        (h->inner, f, o, small(n), small(k), al, a, small(lda), b, small(ldb), be, c, small(ldc)))           \
  WW_XT(L##trsm, (Handle*, Side, Fill, Op, Diagonal, int, int, const T*, const T*, int, T*, int),            \
        (XtHandle * h, Side s, Fill f, Op o, Diagonal d, size_t m, size_t n, const T* al, const T* a,        \
         size_t lda, T* b, size_t ldb),                                                                      \
        (m, n, lda, ldb), (h->inner, s, f, o, d, small(m), small(n), al, a, small(lda), b, small(ldb)))      \
  WW_XT(L##trmm,                                                                                             \
        (Handle*, Side, Fill, Op, Diagonal, int, int, const T*, const T*, int, const T*, int, T*, int),      \
        (XtHandle * h, Side s, Fill f, Op o, Diagonal d, size_t m, size_t n, const T* al, const T* a,        \
         size_t lda, const T* b, size_t ldb, T* c, size_t ldc),                                              \
        (m, n, lda, ldb, ldc),                                                                               \
        (h->inner, s, f, o, d, small(m), small(n), al, a, small(lda), b, small(ldb), c, small(ldc)))         \
  WW_XT(L##symm, (Handle*, Side, Fill, int, int, const T*, const T*, int, const T*, int, const T*, T*, int), \
        (XtHandle * h, Side s, Fill f, size_t m, size_t n, const T* al, const T* a, size_t lda, const T* b,  \
         size_t ldb, const T* be, T* c, size_t ldc),                                                         \
        (m, n, lda, ldb, ldc),                                                                               \
        (h->inner, s, f, small(m), small(n), al, a, small(lda), b, small(ldb), be, c, small(ldc)))
WW_XT_ALL(S, float)
WW_XT_ALL(D, double)
WW_XT_ALL(C, std::complex<float>)
WW_XT_ALL(Z, std::complex<double>)
#define WW_XT_HERMITIAN(L, T, R)                                                                             \
  WW_XT(L##hemm, (Handle*, Side, Fill, int, int, const T*, const T*, int, const T*, int, const T*, T*, int), \
        (XtHandle * h, Side s, Fill f, size_t m, size_t n, const T* al, const T* a, size_t lda, const T* b,  \
         size_t ldb, const T* be, T* c, size_t ldc),                                                         \
        (m, n, lda, ldb, ldc),                                                                               \
        (h->inner, s, f, small(m), small(n), al, a, small(lda), b, small(ldb), be, c, small(ldc)))           \
  WW_XT(L##herk, (Handle*, Fill, Op, int, int, const R*, const T*, int, const R*, T*, int),                  \
        (XtHandle * h, Fill f, Op o, size_t n, size_t k, const R* al, const T* a, size_t lda, const R* be,   \
         T* c, size_t ldc),                                                                                  \
        (n, k, lda, ldc), (h->inner, f, o, small(n), small(k), al, a, small(lda), be, c, small(ldc)))
WW_XT_HERMITIAN(C, std::complex<float>, float)
WW_XT_HERMITIAN(Z, std::complex<double>, double)
