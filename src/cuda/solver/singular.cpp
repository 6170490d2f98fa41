// cuSOLVER: singular values.
#include "cuda/solver/singular.h"

#include "cuda/solver/rotations.h"

using namespace ww::solver;

namespace {

/// gesvdj: V itself, and any m and n: of a wide matrix, the adjoint's.
template <class T>
void by_rotations(bool vectors, bool economy, int64_t m, int64_t n, Matrix<T> a, Real<T>* s, Matrix<T> u,
                  Matrix<T> v, int* info) {
  std::vector<T> turned;
  Matrix<const T> from{a.data, a.lead};
  const bool wide = m < n;
  if (wide) {
    turned.resize(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) turned[static_cast<size_t>(j + i * n)] = conjugate(a(i, j));
    from = {turned.data(), n};
  }
  const int64_t tall = std::max(m, n), few = std::min(m, n), left = vectors ? (economy ? few : tall) : 0;
  const auto r = singular<T>(tall, few, from, left);
  for (int64_t k = 0; k < few; ++k) s[k] = static_cast<Real<T>>(r.s[static_cast<size_t>(k)]);
  *info = r.converged ? 0 : static_cast<int>(few) + 1;
  if (!vectors) return;
  const Matrix<T> longer = wide ? v : u, shorter = wide ? u : v;
  for (int64_t j = 0; j < left; ++j)
    for (int64_t i = 0; i < tall; ++i) longer(i, j) = T(r.u[static_cast<size_t>(i + j * tall)]);
  for (int64_t j = 0; j < few; ++j)
    for (int64_t i = 0; i < few; ++i) shorter(i, j) = T(r.v[static_cast<size_t>(i + j * few)]);
}

template <class T>
Status letters(Handle* h, signed char want_u, signed char want_vt, int m, int n, T* a, int lda, Real<T>* s,
               T* u, int ldu, T* vt, int ldvt, int* info) {
  const bool fits = is_matrix(m, n, lda) && m >= n && is_letter(want_u) && is_letter(want_vt) &&
                    (want_u != 'O' || want_vt != 'O');
  return checked(h, fits && info && s, [=] {
    by_letters<T>(want_u, want_vt, m, n, {a, lda}, s, {u, ldu}, {vt, ldvt}, info);
  });
}

template <class T>
Status rotated(Handle* h, Vectors vectors, bool economy, int m, int n, T* a, int lda, Real<T>* s, T* u,
               int ldu, T* v, int ldv, int* info, int count = 1) {
  return checked(h, is_matrix(m, n, lda) && info && s && count >= 0, [=] {
    touches_info(info, count);
    const bool want = vectors == Vectors::Wanted;
    const int64_t few = std::min(m, n);
    for (int64_t k = 0; k < count; ++k) {
      const Matrix<T> matrix{a + k * lda * n, lda}, left{u + k * ldu * m, ldu}, right{v + k * ldv * n, ldv};
      touches(matrix, m, n), touches(s + k * few, few);
      if (want) touches(left, m, economy ? few : m), touches(right, n, economy ? few : n);
      by_rotations<T>(want, economy, m, n, matrix, s + k * few, left, right, info + k);
    }
  });
}

}  // namespace

#define WW_SINGULAR(L, T)                                                                                    \
  WW_LIBRARY_API Status cusolverDn##L##gesvd_bufferSize(Handle* h, int m, int n, int* size) {                \
    return workspace(h, m >= n && n >= 0, size, int64_t{m} + n);                                             \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##L##gesvd(Handle* h, signed char want_u, signed char want_vt, int m,      \
                                             int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt,         \
                                             int ldvt, T*, int, Real<T>*, int* info) {                       \
    return letters(h, want_u, want_vt, m, n, a, lda, s, u, ldu, vt, ldvt, info);                             \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##L##gesvdj_bufferSize(Handle* h, Vectors, int, int m, int n, const T*,    \
                                                         int lda, const Real<T>*, const T*, int, const T*,   \
                                                         int, int* size, Rotations*) {                       \
    return workspace(h, is_matrix(m, n, lda), size, int64_t{m} + n);                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##L##gesvdj(Handle* h, Vectors vectors, int economy, int m, int n, T* a,   \
                                              int lda, Real<T>* s, T* u, int ldu, T* v, int ldv, T*, int,    \
                                              int* info, Rotations*) {                                       \
    return rotated(h, vectors, economy != 0, m, n, a, lda, s, u, ldu, v, ldv, info);                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##L##gesvdjBatched_bufferSize(Handle* h, Vectors, int m, int n, const T*,  \
                                                                int lda, const Real<T>*, const T*, int,      \
                                                                const T*, int, int* size, Rotations*, int) { \
    return workspace(h, is_matrix(m, n, lda), size, int64_t{m} + n);                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##L##gesvdjBatched(Handle* h, Vectors vectors, int m, int n, T* a,         \
                                                     int lda, Real<T>* s, T* u, int ldu, T* v, int ldv, T*,  \
                                                     int, int* info, Rotations*, int count) {                \
    return rotated(h, vectors, false, m, n, a, lda, s, u, ldu, v, ldv, info, count);                         \
  }
WW_SINGULAR(S, float)
WW_SINGULAR(D, double)
WW_SINGULAR(C, std::complex<float>)
WW_SINGULAR(Z, std::complex<double>)
