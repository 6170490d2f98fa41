// cuBLAS's interface of before CUDA 4 (cublas.h): no handles, results returned, errors asked for.
#include <cctype>

#include "cuda/blas/call.h"

using namespace ww::blas;

extern "C" {
int cudaMalloc(void** to, size_t bytes);
int cudaFree(void* at);
}
WW_LIBRARY_API Status cublasCreate_v2(Handle** handle);
WW_LIBRARY_API Status cublasDestroy_v2(Handle* handle);
WW_LIBRARY_API Status cublasSetStream_v2(Handle* handle, void* stream);

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

struct Legacy {
  Handle* handle = nullptr;
  Status last = Status::Success;
};
Legacy& legacy() {
  static Legacy one;
  return one;
}
Handle* handle() { return legacy().handle; }
void keep(Status s) {
  if (legacy().last == Status::Success) legacy().last = s;
}
Op op_of(char c) {
  c = static_cast<char>(std::toupper(c));
  return c == 'N' ? Op::None : c == 'T' ? Op::Transposed : Op::Adjoint;
}
Fill fill_of(char c) { return std::toupper(c) == 'L' ? Fill::Lower : Fill::Upper; }
Side side_of(char c) { return std::toupper(c) == 'L' ? Side::Left : Side::Right; }
Diagonal diagonal_of(char c) { return std::toupper(c) == 'U' ? Diagonal::Unit : Diagonal::NonUnit; }

}  // namespace

WW_LIBRARY_API Status cublasInit() { return handle() ? Status::Success : cublasCreate_v2(&legacy().handle); }
WW_LIBRARY_API Status cublasShutdown() {
  if (handle()) cublasDestroy_v2(handle());
  legacy().handle = nullptr;
  return Status::Success;
}
WW_LIBRARY_API Status cublasGetError() {
  const Status s = legacy().last;
  legacy().last = Status::Success;
  return s;
}
WW_LIBRARY_API Status cublasGetVersion(int* version) {
  if (!version) return Status::InvalidValue;
  *version = 130000;
  return Status::Success;
}
WW_LIBRARY_API Status cublasSetKernelStream(void* stream) { return cublasSetStream_v2(handle(), stream); }
WW_LIBRARY_API Status cublasAlloc(int n, int size, void** to) {
  if (n < 0 || size <= 0 || !to) return Status::InvalidValue;
  return cudaMalloc(to, static_cast<size_t>(n) * static_cast<size_t>(size)) ? Status(3) : Status::Success;
}
WW_LIBRARY_API Status cublasFree(void* at) {
  return cudaFree(at) ? Status::ExecutionFailed : Status::Success;
}

#define WW_LEGACY(L, T)                                                                                      \
  WW_LIBRARY_API Status cublas##L##axpy_v2(Handle*, int, const T*, const T*, int, T*, int);                  \
  WW_LIBRARY_API void cublas##L##axpy(int n, T a, const T* x, int dx, T* y, int dy) {                        \
    keep(cublas##L##axpy_v2(handle(), n, &a, x, dx, y, dy));                                                 \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##scal_v2(Handle*, int, const T*, T*, int);                                 \
  WW_LIBRARY_API void cublas##L##scal(int n, T a, T* x, int dx) {                                            \
    keep(cublas##L##scal_v2(handle(), n, &a, x, dx));                                                        \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##copy_v2(Handle*, int, const T*, int, T*, int);                            \
  WW_LIBRARY_API void cublas##L##copy(int n, const T* x, int dx, T* y, int dy) {                             \
    keep(cublas##L##copy_v2(handle(), n, x, dx, y, dy));                                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##swap_v2(Handle*, int, T*, int, T*, int);                                  \
  WW_LIBRARY_API void cublas##L##swap(int n, T* x, int dx, T* y, int dy) {                                   \
    keep(cublas##L##swap_v2(handle(), n, x, dx, y, dy));                                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemv_v2(Handle*, Op, int, int, const T*, const T*, int, const T*, int,    \
                                           const T*, T*, int);                                               \
  WW_LIBRARY_API void cublas##L##gemv(char o, int m, int n, T al, const T* a, int lda, const T* x, int dx,   \
                                      T be, T* y, int dy) {                                                  \
    keep(cublas##L##gemv_v2(handle(), op_of(o), m, n, &al, a, lda, x, dx, &be, y, dy));                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemm_v2(Handle*, Op, Op, int, int, int, const T*, const T*, int,          \
                                           const T*, int, const T*, T*, int);                                \
  WW_LIBRARY_API void cublas##L##gemm(char oa, char ob, int m, int n, int k, T al, const T* a, int lda,      \
                                      const T* b, int ldb, T be, T* c, int ldc) {                            \
    keep(cublas##L##gemm_v2(handle(), op_of(oa), op_of(ob), m, n, k, &al, a, lda, b, ldb, &be, c, ldc));     \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##symm_v2(Handle*, Side, Fill, int, int, const T*, const T*, int, const T*, \
                                           int, const T*, T*, int);                                          \
  WW_LIBRARY_API void cublas##L##symm(char s, char f, int m, int n, T al, const T* a, int lda, const T* b,   \
                                      int ldb, T be, T* c, int ldc) {                                        \
    keep(cublas##L##symm_v2(handle(), side_of(s), fill_of(f), m, n, &al, a, lda, b, ldb, &be, c, ldc));      \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##syrk_v2(Handle*, Fill, Op, int, int, const T*, const T*, int, const T*,   \
                                           T*, int);                                                         \
  WW_LIBRARY_API void cublas##L##syrk(char f, char o, int n, int k, T al, const T* a, int lda, T be, T* c,   \
                                      int ldc) {                                                             \
    keep(cublas##L##syrk_v2(handle(), fill_of(f), op_of(o), n, k, &al, a, lda, &be, c, ldc));                \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trsm_v2(Handle*, Side, Fill, Op, Diagonal, int, int, const T*, const T*,  \
                                           int, T*, int);                                                    \
  WW_LIBRARY_API void cublas##L##trsm(char s, char f, char o, char d, int m, int n, T al, const T* a,        \
                                      int lda, T* b, int ldb) {                                              \
    keep(cublas##L##trsm_v2(handle(), side_of(s), fill_of(f), op_of(o), diagonal_of(d), m, n, &al, a, lda,   \
                            b, ldb));                                                                        \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trmm_v2(Handle*, Side, Fill, Op, Diagonal, int, int, const T*, const T*,  \
                                           int, const T*, int, T*, int);                                     \
  WW_LIBRARY_API void cublas##L##trmm(char s, char f, char o, char d, int m, int n, T al, const T* a,        \
                                      int lda, T* b, int ldb) {                                              \
    keep(cublas##L##trmm_v2(handle(), side_of(s), fill_of(f), op_of(o), diagonal_of(d), m, n, &al, a, lda,   \
                            b, ldb, b, ldb));                                                                \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trsv_v2(Handle*, Fill, Op, Diagonal, int, const T*, int, T*, int);        \
  WW_LIBRARY_API void cublas##L##trsv(char f, char o, char d, int n, const T* a, int lda, T* x, int dx) {    \
    keep(cublas##L##trsv_v2(handle(), fill_of(f), op_of(o), diagonal_of(d), n, a, lda, x, dx));              \
  }
WW_LEGACY(S, float)
WW_LEGACY(D, double)
WW_LEGACY(C, C)
WW_LEGACY(Z, Z)

#define WW_LEGACY_REAL(L, T)                                                                              \
  WW_LIBRARY_API Status cublas##L##dot_v2(Handle*, int, const T*, int, const T*, int, T*);                \
  WW_LIBRARY_API T cublas##L##dot(int n, const T* x, int dx, const T* y, int dy) {                        \
    T result{};                                                                                           \
    keep(cublas##L##dot_v2(handle(), n, x, dx, y, dy, &result));                                          \
    return result;                                                                                        \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##L##rot_v2(Handle*, int, T*, int, T*, int, const T*, const T*);            \
  WW_LIBRARY_API void cublas##L##rot(int n, T* x, int dx, T* y, int dy, T c, T s) {                       \
    keep(cublas##L##rot_v2(handle(), n, x, dx, y, dy, &c, &s));                                           \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##L##ger_v2(Handle*, int, int, const T*, const T*, int, const T*, int, T*,  \
                                          int);                                                           \
  WW_LIBRARY_API void cublas##L##ger(int m, int n, T al, const T* x, int dx, const T* y, int dy, T* a,    \
                                     int lda) {                                                           \
    keep(cublas##L##ger_v2(handle(), m, n, &al, x, dx, y, dy, a, lda));                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##L##symv_v2(Handle*, Fill, int, const T*, const T*, int, const T*, int,    \
                                           const T*, T*, int);                                            \
  WW_LIBRARY_API void cublas##L##symv(char f, int n, T al, const T* a, int lda, const T* x, int dx, T be, \
                                      T* y, int dy) {                                                     \
    keep(cublas##L##symv_v2(handle(), fill_of(f), n, &al, a, lda, x, dx, &be, y, dy));                    \
  }
WW_LEGACY_REAL(S, float)
WW_LEGACY_REAL(D, double)

#define WW_LEGACY_RESULT(name, T, R)                                \
  WW_LIBRARY_API Status name##_v2(Handle*, int, const T*, int, R*); \
  WW_LIBRARY_API R name(int n, const T* x, int dx) {                \
    R result{};                                                     \
    keep(name##_v2(handle(), n, x, dx, &result));                   \
    return result;                                                  \
  }
WW_LEGACY_RESULT(cublasSnrm2, float, float)
WW_LEGACY_RESULT(cublasDnrm2, double, double)
WW_LEGACY_RESULT(cublasScnrm2, C, float)
WW_LEGACY_RESULT(cublasDznrm2, Z, double)
WW_LEGACY_RESULT(cublasSasum, float, float)
WW_LEGACY_RESULT(cublasDasum, double, double)
WW_LEGACY_RESULT(cublasScasum, C, float)
WW_LEGACY_RESULT(cublasDzasum, Z, double)
WW_LEGACY_RESULT(cublasIsamax, float, int)
WW_LEGACY_RESULT(cublasIdamax, double, int)
WW_LEGACY_RESULT(cublasIcamax, C, int)
WW_LEGACY_RESULT(cublasIzamax, Z, int)
WW_LEGACY_RESULT(cublasIsamin, float, int)
WW_LEGACY_RESULT(cublasIdamin, double, int)
WW_LEGACY_RESULT(cublasIcamin, C, int)
WW_LEGACY_RESULT(cublasIzamin, Z, int)
