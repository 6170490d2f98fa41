// cuSOLVER: QR, and what is done with Q.
#include "cuda/solver/reflect.h"

using namespace ww::solver;

namespace {

template <class T>
Status apply(Handle* h, Side side, Op op, int m, int n, int k, const T* a, int lda, const T* tau, T* c,
             int ldc, int* info) {
  const int order = side == Side::Left ? m : n;
  const bool fits = is_matrix(order, k, lda) && is_matrix(m, n, ldc) && k <= order &&
                    (!kComplex<T> || op != Op::Transposed);
  return checked(h, fits && info, [=] {
    if (m && n && k) touches(Matrix<const T>{a, lda}, order, k), touches(tau, k);
    touches(Matrix<T>{c, ldc}, m, n), touches_info(info);
    if (side == Side::Left)
      apply_q<T>(op, m, n, k, {a, lda}, tau, {c, ldc});
    else
      apply_q_right<T>(op, m, n, k, {a, lda}, tau, {c, ldc});
    *info = 0;
  });
}

}  // namespace

// Q is orthogonal ("or") where it is real, else unitary ("un").
#define WW_QR(letter, T, q)                                                                                \
  WW_LIBRARY_API Status cusolverDn##letter##geqrf_bufferSize(Handle* h, int m, int n, T*, int lda,         \
                                                             int* size) {                                  \
    return workspace(h, is_matrix(m, n, lda), size, n);                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##geqrf(Handle* h, int m, int n, T* a, int lda, T* tau, T*, int, \
                                                  int* info) {                                             \
    return checked(h, is_matrix(m, n, lda) && info, [=] {                                                  \
      touches(Matrix<T>{a, lda}, m, n), touches(tau, std::min(m, n)), touches_info(info);                  \
      factor_qr<T>(m, n, {a, lda}, tau);                                                                   \
      *info = 0;                                                                                           \
    });                                                                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##q##gqr_bufferSize(Handle* h, int m, int n, int k, const T*,    \
                                                              int lda, const T*, int* size) {              \
    return workspace(h, is_matrix(m, n, lda) && n <= m && k <= n && k >= 0, size, n);                      \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##q##gqr(Handle* h, int m, int n, int k, T* a, int lda,          \
                                                   const T* tau, T*, int, int* info) {                     \
    return checked(h, is_matrix(m, n, lda) && n <= m && k <= n && k >= 0 && info, [=] {                    \
      touches(Matrix<T>{a, lda}, m, n), touches(tau, k), touches_info(info);                               \
      make_q<T>(m, n, k, {a, lda}, tau);                                                                   \
      *info = 0;                                                                                           \
    });                                                                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##q##mqr_bufferSize(                                             \
      Handle* h, Side, Op, int m, int n, int, const T*, int, const T*, const T*, int ldc, int* size) {     \
    return workspace(h, is_matrix(m, n, ldc), size, int64_t{m} + n);                                       \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##q##mqr(Handle* h, Side side, Op op, int m, int n, int k,       \
                                                   const T* a, int lda, const T* tau, T* c, int ldc, T*,   \
                                                   int, int* info) {                                       \
    return apply(h, side, op, m, n, k, a, lda, tau, c, ldc, info);                                         \
  }
WW_QR(S, float, or)
WW_QR(D, double, or)
WW_QR(C, std::complex<float>, un)
WW_QR(Z, std::complex<double>, un)
