// cuBLAS: QR factorization of many small matrices, and least squares by it (cuBLAS manual, "BLAS-like
// Extension": geqrfBatched, gelsBatched), with the reflections of our cuSOLVER.
#include "cuda/blas/call.h"
#include "cuda/solver/least_squares.h"

namespace ww::blas {
namespace {

/// `info` says which argument is bad, as LAPACK does: −k, the handle not counted.
bool good(int m, int n, const void* a, int lda, int* info) {
  const int bad = m < 0 ? -1 : n < 0 ? -2 : !a ? -3 : lda < std::max(1, m) ? -4 : 0;
  if (info) *info = bad;
  return info && !bad;
}

template <class T>
Status factor_all(Handle* h, int m, int n, T* const* a, int lda, T* const* tau, int* info, int count) {
  return checked(h, good(m, n, a, lda, info) && tau && count >= 0, [=] {
    touches_pointers(count, a, tau);
    for (int b = 0; b < count; ++b) {
      stubs::touches(a[b], m, n, lda), stubs::touches(tau[b], std::min(m, n));
      solver::factor_qr<T>(m, n, {a[b], lda}, tau[b]);
    }
  });
}
template <class T>
Status least_squares_all(Handle* h, Op op, int m, int n, int columns, T* const* a, int lda, T* const* c,
                         int ldc, int* info, int* singular, int count) {
  if (is_handle(h) && (op != Op::None || m < n)) return Status::NotSupported;  // as the manual says
  return checked(h, good(m, n, a, lda, info) && c && columns >= 0 && ldc >= std::max(1, m) && count >= 0,
                 [=] {
                   touches_pointers(count, a, c);
                   for (int b = 0; b < count; ++b) {
                     stubs::touches(a[b], m, n, lda), stubs::touches(c[b], m, columns, ldc);
                     const int bad = solver::least_squares<T>(m, n, columns, {a[b], lda}, {c[b], ldc});
                     if (singular) singular[b] = bad;
                   }
                 });
}

}  // namespace
}  // namespace ww::blas

using namespace ww::blas;
#define WW_QR(letter, T)                                                                                   \
  WW_LIBRARY_API Status cublas##letter##geqrfBatched(Handle* h, int m, int n, T* const* a, int lda,        \
                                                     T* const* tau, int* info, int count) {                \
    return factor_all(h, m, n, a, lda, tau, info, count);                                                  \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##letter##gelsBatched(Handle* h, Op op, int m, int n, int columns,           \
                                                    T* const* a, int lda, T* const* c, int ldc, int* info, \
                                                    int* singular, int count) {                            \
    return least_squares_all(h, op, m, n, columns, a, lda, c, ldc, info, singular, count);                 \
  }
WW_QR(S, float)
WW_QR(D, double)
WW_QR(C, std::complex<float>)
WW_QR(Z, std::complex<double>)
