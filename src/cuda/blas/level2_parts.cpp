// cuBLAS: level 2 with matrices that are stored in part (bands, packed triangles), and updates of rank 1
// and 2.
#include "cuda/blas/stored_parts.h"

using namespace ww::blas;

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

/// beta y, where y of before does not count with beta 0.
template <class T>
T times(T beta, T y) {
  return beta == T{} ? T{} : beta * y;
}

template <class T>
Status gbmv(Handle* h, Op op, int m, int n, int below, int above, const T* alpha, const T* a, int lda,
            const T* x, int dx, const T* beta, T* y, int dy) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  const bool good = m >= 0 && n >= 0 && below >= 0 && above >= 0 && lda > below + above && dx && dy;
  return checked(h, good, [=, first = scalar(h, alpha), second = scalar(h, beta)] {
    const T al = first(), be = second();
    const GeneralBand where{lda, below, above};
    const int64_t rows = op == Op::None ? m : n, columns = op == Op::None ? n : m;
    if (!m || !n || (al == T{} && be == T(1))) return;
    const T* from = x;
    if (al != T{}) touches(a, where, m, n), from = begin(x, columns, dx);
    T* to = begin(y, rows, dy);
    for (int64_t i = 0; i < rows; ++i) {
      T sum{};
      for (int64_t j = 0; j < columns && al != T{}; ++j) {
        const int64_t k = op == Op::None ? where.at(i, j) : where.at(j, i);
        if (k >= 0) sum += (op == Op::Adjoint ? conjugate(a[k]) : a[k]) * from[j * dx];
      }
      to[i * dy] = al * sum + times(be, to[i * dy]);
    }
  });
}
template <class T, class Where>
Status mirrored_product(Handle* h, const Where& where, bool good, int n, const T* alpha, const T* a,
                        const T* x, int dx, const T* beta, T* y, int dy, bool hermitian) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  return checked(h, good && n >= 0 && dx && dy, [=, first = scalar(h, alpha), second = scalar(h, beta)] {
    const T al = first(), be = second();
    if (!n || (al == T{} && be == T(1))) return;
    const T* from = x;
    if (al != T{}) touches(a, where, n, n), from = begin(x, n, dx);
    T* to = begin(y, n, dy);
    for (int64_t i = 0; i < n; ++i) {
      T sum{};
      for (int64_t j = 0; j < n && al != T{}; ++j) sum += mirrored(a, where, i, j, hermitian) * from[j * dx];
      to[i * dy] = al * sum + times(be, to[i * dy]);
    }
  });
}
/// A += alpha x x', or alpha x y' + y (alpha x)'; ' also conjugates where A is Hermitian.
template <class T, class S, class Where>
Status update(Handle* h, const Where& where, bool good, int n, const S* alpha, const T* x, int dx, const T* y,
              int dy, T* a, bool hermitian) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, good && n >= 0 && dx && (!y || dy), [=, first = scalar(h, alpha)] {
    const T al(first());
    if (al == T{}) return;
    touches(a, where, n, n);
    const T* p = begin(x, n, dx);
    const T* q = y ? begin(y, n, dy) : nullptr;
    const auto turned = [&](T v) { return hermitian ? conjugate(v) : v; };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) {
        const int64_t k = where.at(i, j);
        if (k < 0) continue;
        if (q)
          a[k] += al * p[i * dx] * turned(q[j * dy]) + turned(al) * q[i * dy] * turned(p[j * dx]);
        else
          a[k] += al * p[i * dx] * turned(p[j * dx]);
        if (hermitian && i == j) a[k] = T(std::real(a[k]));
      }
  });
}
/// x := op(A) x, or op(A)^-1 x.
template <class T, class Where>
Status triangular(Handle* h, const Where& where, bool good, Op op, Diagonal diagonal, int n, const T* a, T* x,
                  int dx, bool solve) {
  return checked(h, good && n >= 0 && dx, [=] {
    T* v = begin(x, n, dx);
    touches(a, where, n, n, diagonal != Diagonal::Unit);
    const bool upper = (where.fill == Fill::Upper) == (op == Op::None);
    const auto at = [&](int64_t i, int64_t j) {
      if (i == j && diagonal == Diagonal::Unit) return T(1);
      const int64_t k = op == Op::None ? where.at(i, j) : where.at(j, i);
      return k < 0 ? T{} : op == Op::Adjoint ? conjugate(a[k]) : a[k];
    };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = upper == solve ? n - 1 - step : step;
      T sum{};
      for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) sum += at(i, j) * v[j * dx];
      v[i * dx] = solve ? (v[i * dx] - sum) / at(i, i) : at(i, i) * v[i * dx] + sum;
    }
  });
}

}  // namespace

#define WW_PARTS(L, T)                                                                                     \
  WW_LIBRARY_API Status cublas##L##gbmv_v2(Handle* h, Op op, int m, int n, int below, int above,           \
                                           const T* al, const T* a, int lda, const T* x, int dx,           \
                                           const T* be, T* y, int dy) {                                    \
    return gbmv(h, op, m, n, below, above, al, a, lda, x, dx, be, y, dy);                                  \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##tbmv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, int k, const T* a, \
                                           int lda, T* x, int dx) {                                        \
    return triangular(h, TriangleBand{f, lda, k}, k >= 0 && lda > k, op, d, n, a, x, dx, false);           \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##tbsv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, int k, const T* a, \
                                           int lda, T* x, int dx) {                                        \
    return triangular(h, TriangleBand{f, lda, k}, k >= 0 && lda > k, op, d, n, a, x, dx, true);            \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##tpmv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, const T* a, T* x,  \
                                           int dx) {                                                       \
    return triangular(h, Packed{f, n}, true, op, d, n, a, x, dx, false);                                   \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##tpsv_v2(Handle* h, Fill f, Op op, Diagonal d, int n, const T* a, T* x,  \
                                           int dx) {                                                       \
    return triangular(h, Packed{f, n}, true, op, d, n, a, x, dx, true);                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##syr2_v2(Handle* h, Fill f, int n, const T* al, const T* x, int dx,      \
                                           const T* y, int dy, T* a, int lda) {                            \
    if (Status wrong = ready(h, y); wrong != Status::Success) return wrong;                                \
    return update(h, Triangle{f, lda}, lda >= n, n, al, x, dx, y, dy, a, false);                           \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##trttp(Handle* h, Fill f, int n, const T* a, int lda, T* to) {           \
    return checked(h, n >= 0 && lda >= n, [=] {                                                            \
      touches(a, Triangle{f, lda}, n, n), touches(to, Packed{f, n}, n, n);                                 \
      for (int64_t j = 0; j < n; ++j)                                                                      \
        for (int64_t i = 0; i < n; ++i)                                                                    \
          if (const int64_t k = Packed{f, n}.at(i, j); k >= 0) to[k] = a[i + j * lda];                     \
    });                                                                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##tpttr(Handle* h, Fill f, int n, const T* a, T* to, int lda) {           \
    return checked(h, n >= 0 && lda >= n, [=] {                                                            \
      touches(a, Packed{f, n}, n, n), touches(to, Triangle{f, lda}, n, n);                                 \
      for (int64_t j = 0; j < n; ++j)                                                                      \
        for (int64_t i = 0; i < n; ++i)                                                                    \
          if (const int64_t k = Packed{f, n}.at(i, j); k >= 0) to[i + j * lda] = a[k];                     \
    });                                                                                                    \
  }
WW_PARTS(S, float)
WW_PARTS(D, double)
WW_PARTS(C, C)
WW_PARTS(Z, Z)

// Symmetric of real numbers, Hermitian of complex ones; R is what a Hermitian update of rank 1 is scaled by.
#define WW_MIRRORED(L, T, R, hermitian)                                                                      \
  WW_LIBRARY_API Status cublas##L##bmv_v2(Handle* h, Fill f, int n, int k, const T* al, const T* a, int lda, \
                                          const T* x, int dx, const T* be, T* y, int dy) {                   \
    return mirrored_product(h, TriangleBand{f, lda, k}, k >= 0 && lda > k, n, al, a, x, dx, be, y, dy,       \
                            hermitian);                                                                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##pmv_v2(Handle* h, Fill f, int n, const T* al, const T* a, const T* x,     \
                                          int dx, const T* be, T* y, int dy) {                               \
    return mirrored_product(h, Packed{f, n}, true, n, al, a, x, dx, be, y, dy, hermitian);                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##pr_v2(Handle* h, Fill f, int n, const R* al, const T* x, int dx, T* a) {  \
    return update<T>(h, Packed{f, n}, true, n, al, x, dx, static_cast<const T*>(nullptr), 0, a, hermitian);  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##pr2_v2(Handle* h, Fill f, int n, const T* al, const T* x, int dx,         \
                                          const T* y, int dy, T* a) {                                        \
    if (Status wrong = ready(h, y); wrong != Status::Success) return wrong;                                  \
    return update(h, Packed{f, n}, true, n, al, x, dx, y, dy, a, hermitian);                                 \
  }
WW_MIRRORED(Ss, float, float, false)
WW_MIRRORED(Ds, double, double, false)
WW_MIRRORED(Ch, C, float, true)
WW_MIRRORED(Zh, Z, double, true)

#define WW_HERMITIAN_UPDATES(L, T, R)                                                                      \
  WW_LIBRARY_API Status cublas##L##her_v2(Handle* h, Fill f, int n, const R* al, const T* x, int dx, T* a, \
                                          int lda) {                                                       \
    return update<T>(h, Triangle{f, lda}, lda >= n, n, al, x, dx, static_cast<const T*>(nullptr), 0, a,    \
                     true);                                                                                \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##her2_v2(Handle* h, Fill f, int n, const T* al, const T* x, int dx,      \
                                           const T* y, int dy, T* a, int lda) {                            \
    if (Status wrong = ready(h, y); wrong != Status::Success) return wrong;                                \
    return update(h, Triangle{f, lda}, lda >= n, n, al, x, dx, y, dy, a, true);                            \
  }
WW_HERMITIAN_UPDATES(C, C, float)
WW_HERMITIAN_UPDATES(Z, Z, double)
