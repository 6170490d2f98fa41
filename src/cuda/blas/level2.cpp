// cuBLAS: level 2, matrix and vector.
#include <vector>

#include "cuda/blas/stored_parts.h"

using namespace ww::blas;

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

template <class T>
void gemv_now(Op op, int64_t m, int64_t n, T alpha, const T* a, int64_t lda, const T* x, int64_t dx, T beta,
              T* y, int64_t dy) {
  const int64_t rows = op == Op::None ? m : n, columns = op == Op::None ? n : m;
  if (!m || !n || (alpha == T{} && beta == T(1))) return;
  const T* from = x;
  if (alpha != T{}) ww::stubs::touches(a, m, n, lda), from = begin(x, columns, dx);
  T* to = begin(y, rows, dy);
  in_parallel(rows, double(columns), [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i) {
      T sum{};
      for (int64_t j = 0; j < columns && alpha != T{}; ++j) sum += element(a, lda, op, i, j) * from[j * dx];
      // With beta 0 what was there does not count, were it NaN.
      to[i * dy] = alpha * sum + (beta == T{} ? T{} : beta * to[i * dy]);
    }
  });
}
template <class T>
Status gemv(Handle* h, Op op, int m, int n, const T* alpha, const T* a, int lda, const T* x, int dx,
            const T* beta, T* y, int dy) {
  const bool good = m >= 0 && n >= 0 && lda >= std::max(1, m) && dx && dy && alpha && beta;
  if (Status wrong = ready(h, good); wrong != Status::Success) return wrong;
  return checked(h, true, [=, first = scalar(h, alpha), second = scalar(h, beta)] {
    const T al = first(), be = second();
    gemv_now(op, m, n, al, a, lda, x, dx, be, y, dy);
  });
}
template <class T>
Status gemv_batched(Handle* h, Op op, int m, int n, const T* alpha, const T* a, int lda, long long stride_a,
                    const T* x, int dx, long long stride_x, const T* beta, T* y, int dy, long long stride_y,
                    int count) {
  if (Status wrong = ready(h, alpha && beta && count >= 0); wrong != Status::Success) return wrong;
  return checked(h, dx && dy, [=, first = scalar(h, alpha), second = scalar(h, beta)] {
    const T al = first(), be = second();
    if (m && n && al != T{})
      ww::stubs::touches_batch(a, stride_a, count), ww::stubs::touches_batch(x, stride_x, count);
    if (m && n && (al != T{} || be != T(1))) ww::stubs::touches_batch(y, stride_y, count);
    for (int64_t k = 0; k < count; ++k)
      gemv_now(op, m, n, al, a + k * stride_a, lda, x + k * stride_x, dx, be, y + k * stride_y, dy);
  });
}
template <class T, bool kConjugate>
Status ger(Handle* h, int m, int n, const T* alpha, const T* x, int dx, const T* y, int dy, T* a, int lda) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, m >= 0 && n >= 0 && dx && dy && lda >= std::max(1, m), [=, first = scalar(h, alpha)] {
    const T al = first();
    if (!m || !n || al == T{}) return;
    ww::stubs::touches(a, m, n, lda);
    const T *u = begin(x, m, dx), *v = begin(y, n, dy);
    for (int64_t j = 0; j < n; ++j) {
      const T w = al * (kConjugate ? conjugate(v[j * dy]) : v[j * dy]);
      for (int64_t i = 0; i < m; ++i) a[i + j * lda] += u[i * dx] * w;
    }
  });
}
/// Symmetric, or Hermitian: the element of the triangle that is stored.
template <class T, bool kHermitian>
Status symv(Handle* h, Fill fill, int n, const T* alpha, const T* a, int lda, const T* x, int dx,
            const T* beta, T* y, int dy) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  return checked(h, n >= 0 && dx && dy && lda >= std::max(1, n),
                 [=, first = scalar(h, alpha), second = scalar(h, beta)] {
                   const T al = first(), be = second();
                   if (!n || (al == T{} && be == T(1))) return;
                   const T* from = x;
                   if (al != T{}) touches(a, Triangle{fill, lda}, n, n), from = begin(x, n, dx);
                   T* to = begin(y, n, dy);
                   for (int64_t i = 0; i < n; ++i) {
                     T sum{};
                     for (int64_t j = 0; j < n && al != T{}; ++j) {
                       const bool stored = fill == Fill::Upper ? i <= j : i >= j;
                       T v = stored ? a[i + j * lda] : a[j + i * lda];
                       if (kHermitian && !stored) v = conjugate(v);
                       if (kHermitian && i == j) v = T(std::real(v));
                       sum += v * from[j * dx];
                     }
                     to[i * dy] = al * sum + (be == T{} ? T{} : be * to[i * dy]);
                   }
                 });
}
template <class T>
Status syr(Handle* h, Fill fill, int n, const T* alpha, const T* x, int dx, T* a, int lda) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, n >= 0 && dx && lda >= std::max(1, n), [=, first = scalar(h, alpha)] {
    const T al = first();
    if (al == T{}) return;
    touches(a, Triangle{fill, lda}, n, n);
    const T* v = begin(x, n, dx);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = fill == Fill::Upper ? 0 : j; i < (fill == Fill::Upper ? j + 1 : n); ++i)
        a[i + j * lda] += al * v[i * dx] * v[j * dx];
  });
}
/// x := op(A) x, or op(A)^-1 x; A triangular.
template <class T>
Status triangular(Handle* h, Fill fill, Op op, Diagonal diagonal, int n, const T* a, int lda, T* x, int dx,
                  bool solve) {
  return checked(h, n >= 0 && dx && lda >= std::max(1, n), [=] {
    T* v = begin(x, n, dx);
    touches(a, Triangle{fill, lda}, n, n, diagonal != Diagonal::Unit);
    const bool upper = (fill == Fill::Upper) == (op == Op::None);
    auto at = [&](int64_t i, int64_t j) {
      return i == j && diagonal == Diagonal::Unit ? T(1) : element(a, int64_t{lda}, op, i, j);
    };
    // Solving goes from the end whose unknowns are known first; multiplying from the other.
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = upper == solve ? n - 1 - step : step;
      const int64_t from = upper ? i + 1 : 0, end = upper ? n : i;
      T sum{};
      for (int64_t j = from; j < end; ++j) sum += at(i, j) * v[j * dx];
      v[i * dx] = solve ? (v[i * dx] - sum) / at(i, i) : at(i, i) * v[i * dx] + sum;
    }
  });
}

}  // namespace

#define WW_LEVEL2(L, T)                                                                                      \
  WW_LIBRARY_API Status cublas##L##gemv_v2(Handle* h, Op op, int m, int n, const T* al, const T* a, int lda, \
                                           const T* x, int dx, const T* be, T* y, int dy) {                  \
    return gemv(h, op, m, n, al, a, lda, x, dx, be, y, dy);                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemvStridedBatched(                                                       \
      Handle* h, Op op, int m, int n, const T* al, const T* a, int lda, long long sa, const T* x, int dx,    \
      long long sx, const T* be, T* y, int dy, long long sy, int count) {                                    \
    return gemv_batched(h, op, m, n, al, a, lda, sa, x, dx, sx, be, y, dy, sy, count);                       \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemvBatched(Handle* h, Op op, int m, int n, const T* al,                  \
                                               const T* const* a, int lda, const T* const* x, int dx,        \
                                               const T* be, T* const* y, int dy, int count) {                \
    if (Status wrong = ready(h, count >= 0); wrong != Status::Success) return wrong;                         \
    if (m && n) touches_pointers(count, a, x, y);                                                            \
    for (int k = 0; k < count; ++k)                                                                          \
      if (Status s = gemv(h, op, m, n, al, a[k], lda, x[k], dx, be, y[k], dy); s != Status::Success)         \
        return s;                                                                                            \
    return Status::Success;                                                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##symv_v2(Handle* h, Fill f, int n, const T* al, const T* a, int lda,       \
                                           const T* x, int dx, const T* be, T* y, int dy) {                  \
    return symv<T, false>(h, f, n, al, a, lda, x, dx, be, y, dy);                                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##syr_v2(Handle* h, Fill f, int n, const T* al, const T* x, int dx, T* a,   \
                                          int lda) {                                                         \
    return syr(h, f, n, al, x, dx, a, lda);                                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trsv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, const T* a, int lda, \
                                           T* x, int dx) {                                                   \
    return triangular(h, f, op, d, n, a, lda, x, dx, true);                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trmv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, const T* a, int lda, \
                                           T* x, int dx) {                                                   \
    return triangular(h, f, op, d, n, a, lda, x, dx, false);                                                 \
  }
WW_LEVEL2(S, float)
WW_LEVEL2(D, double)
WW_LEVEL2(C, C)
WW_LEVEL2(Z, Z)
#define WW_GER(name, T, conjugated)                                                                        \
  WW_LIBRARY_API Status name(Handle* h, int m, int n, const T* al, const T* x, int dx, const T* y, int dy, \
                             T* a, int lda) {                                                              \
    return ger<T, conjugated>(h, m, n, al, x, dx, y, dy, a, lda);                                          \
  }
WW_GER(cublasSger_v2, float, false)
WW_GER(cublasDger_v2, double, false)
WW_GER(cublasCgeru_v2, C, false)
WW_GER(cublasCgerc_v2, C, true)
WW_GER(cublasZgeru_v2, Z, false)
WW_GER(cublasZgerc_v2, Z, true)
#define WW_HEMV(name, T)                                                                                     \
  WW_LIBRARY_API Status name(Handle* h, Fill f, int n, const T* al, const T* a, int lda, const T* x, int dx, \
                             const T* be, T* y, int dy) {                                                    \
    return symv<T, true>(h, f, n, al, a, lda, x, dx, be, y, dy);                                             \
  }
WW_HEMV(cublasChemv_v2, C)
WW_HEMV(cublasZhemv_v2, Z)
