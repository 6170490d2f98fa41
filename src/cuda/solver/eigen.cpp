// cuSOLVER: eigenvalues of symmetric and Hermitian matrices, also of pairs of them.
#include "cuda/solver/eigen.h"

#include "cuda/solver/factor.h"
#include "cuda/solver/rotations.h"

using namespace ww::solver;

namespace {

template <class T>
Status values(Handle* h, Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w, int* info,
              int count = 1) {
  return checked(h, is_square(n, lda) && info && w && count >= 0, [=] {
    touches_info(info, count);
    for (int64_t k = 0; k < count; ++k) {
      const Matrix<T> matrix{a + k * lda * int64_t{n}, lda};
      touches(matrix, n, n), touches(w + k * n, n);
      info[k] = eigen<T>(vectors == Vectors::Wanted, fill, n, matrix, w + k * n);
    }
  });
}

/// A x = w B x (1), A B x = w x (2), B A x = w x (3), by the Cholesky factor of B, which stays in its place.
template <class T>
int pair_of(int which, bool vectors, Fill fill, int64_t n, Matrix<T> a, Matrix<T> b, Real<T>* w) {
  const auto size = static_cast<size_t>(n * n);
  if (int info = factor_cholesky<T>(fill, n, b)) return static_cast<int>(n) + info;
  std::vector<T> full(size), lower(size);
  const Matrix<T> s{full.data(), n}, l{lower.data(), n};
  const auto turn = [&] {  // S becomes S*
    for (int64_t j = 0; j < n; ++j) {
      s(j, j) = conjugate(s(j, j));
      for (int64_t i = j + 1; i < n; ++i) {
        const T v = conjugate(s(i, j));
        s(i, j) = conjugate(s(j, i)), s(j, i) = v;
      }
    }
  };
  const auto multiply = [&](bool adjoint, Matrix<T> x) {  // X = L X or L* X
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k) {
        const int64_t i = adjoint ? k : n - 1 - k;
        T sum{};
        if (adjoint)
          for (int64_t r = i; r < n; ++r) sum += conjugate(l(r, i)) * x(r, j);
        else
          for (int64_t r = 0; r <= i; ++r) sum += l(i, r) * x(r, j);
        x(i, j) = sum;
      }
  };
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      s(i, j) = fill == Fill::Lower ? a(i, j) : conjugate(a(j, i));
      s(j, i) = conjugate(s(i, j));
      l(i, j) = fill == Fill::Lower ? b(i, j) : conjugate(b(j, i));
    }
  const Matrix<const T> factor{lower.data(), n};
  for (int both = 0; both < 2; ++both) {  // L^-1 A L^-*, or L* A L
    if (which == 1)
      solve_triangular<T>(Fill::Lower, Op::None, false, n, n, factor, s);
    else
      multiply(true, s);
    turn();
  }
  if (int info = eigen<T>(vectors, Fill::Lower, n, s, w)) return info;
  if (!vectors) return 0;
  if (which == 3)
    multiply(false, s);
  else
    solve_triangular<T>(Fill::Lower, Op::Adjoint, false, n, n, factor, s);
  for (int64_t j = 0; j < n; ++j) std::copy(s.column(j), s.column(j) + n, a.column(j));
  return 0;
}

template <class T>
Status pairs(Handle* h, int which, Vectors vectors, Fill fill, int n, T* a, int lda, T* b, int ldb,
             Real<T>* w, int* info) {
  return checked(h, is_square(n, lda) && is_square(n, ldb) && which >= 1 && which <= 3 && info, [=] {
    touches(Matrix<T>{a, lda}, n, n), touches(Matrix<T>{b, ldb}, n, n), touches(w, n), touches_info(info);
    *info = pair_of<T>(which, vectors == Vectors::Wanted, fill, n, {a, lda}, {b, ldb}, w);
  });
}

/// cusolverEigRange_t: all, those numbered from `first` to `last` (from 1), those in (low, high].
struct Range {
  int kind;
  double low, high;
  int64_t first, last;
  bool good(int64_t n) const {
    if (kind == 1002) return first >= 1 && last <= n && first <= last;
    return kind == 1001 || (kind == 1003 && low < high);
  }
};
/// Keeps what of the values and vectors is in the range; returns how many.
template <class T>
int64_t keep(const Range& r, bool vectors, int64_t n, Matrix<T> a, Real<T>* w) {
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (r.kind == 1002 && (k + 1 < r.first || k + 1 > r.last)) continue;
    if (r.kind == 1003 && (double(w[k]) <= r.low || double(w[k]) > r.high)) continue;
    if (vectors && count != k) std::copy(a.column(k), a.column(k) + n, a.column(count));
    w[count++] = w[k];
  }
  return count;
}
template <class T, class Count>
Status some_values(Handle* h, Vectors vectors, const Range& range, Fill fill, int64_t n, T* a, int64_t lda,
                   Count* count, Real<T>* w, int* info) {
  return checked(h, is_square(n, lda) && range.good(n) && info && w && count, [=] {
    const bool want = vectors == Vectors::Wanted;
    touches(Matrix<T>{a, lda}, n, n), touches(w, n), touches_info(info);
    *info = eigen<T>(want, fill, n, {a, lda}, w);
    *count = static_cast<Count>(keep<T>(range, want, n, {a, lda}, w));
  });
}
template <class T>
Status some_pairs(Handle* h, int which, Vectors vectors, const Range& range, Fill fill, int64_t n, T* a,
                  int64_t lda, T* b, int64_t ldb, int* count, Real<T>* w, int* info) {
  const bool fits = is_square(n, lda) && is_square(n, ldb) && which >= 1 && which <= 3 && range.good(n);
  return checked(h, fits && info && w && count, [=] {
    const bool want = vectors == Vectors::Wanted;
    touches(Matrix<T>{a, lda}, n, n), touches(Matrix<T>{b, ldb}, n, n), touches(w, n), touches_info(info);
    *info = pair_of<T>(which, want, fill, n, {a, lda}, {b, ldb}, w);
    *count = *info ? 0 : static_cast<int>(keep<T>(range, want, n, {a, lda}, w));
  });
}

}  // namespace

// Symmetric ("sy") where it is real, else Hermitian ("he").
#define WW_EIGEN(letter, T, kind)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evd_bufferSize(Handle* h, Vectors, Fill, int n, const T*,  \
                                                                 int lda, const Real<T>*, int* size) {       \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evd(Handle* h, Vectors vectors, Fill fill, int n, T* a,    \
                                                      int lda, Real<T>* w, T*, int, int* info) {             \
    return values(h, vectors, fill, n, a, lda, w, info);                                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evj_bufferSize(                                            \
      Handle* h, Vectors, Fill, int n, const T*, int lda, const Real<T>*, int* size, Rotations*) {           \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evj(Handle* h, Vectors vectors, Fill fill, int n, T* a,    \
                                                      int lda, Real<T>* w, T*, int, int* info, Rotations*) { \
    return values(h, vectors, fill, n, a, lda, w, info);                                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evjBatched_bufferSize(                                     \
      Handle* h, Vectors, Fill, int n, const T*, int lda, const Real<T>*, int* size, Rotations*, int) {      \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evjBatched(Handle* h, Vectors vectors, Fill fill, int n,   \
                                                             T* a, int lda, Real<T>* w, T*, int, int* info,  \
                                                             Rotations*, int count) {                        \
    return values(h, vectors, fill, n, a, lda, w, info, count);                                              \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvd_bufferSize(                                            \
      Handle* h, int, Vectors, Fill, int n, const T*, int lda, const T*, int, const Real<T>*, int* size) {   \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvd(Handle* h, int which, Vectors vectors, Fill fill,      \
                                                      int n, T* a, int lda, T* b, int ldb, Real<T>* w, T*,   \
                                                      int, int* info) {                                      \
    return pairs(h, which, vectors, fill, n, a, lda, b, ldb, w, info);                                       \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvj_bufferSize(Handle* h, int, Vectors, Fill, int n,       \
                                                                 const T*, int lda, const T*, int,           \
                                                                 const Real<T>*, int* size, Rotations*) {    \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvj(Handle* h, int which, Vectors vectors, Fill fill,      \
                                                      int n, T* a, int lda, T* b, int ldb, Real<T>* w, T*,   \
                                                      int, int* info, Rotations*) {                          \
    return pairs(h, which, vectors, fill, n, a, lda, b, ldb, w, info);                                       \
  }
WW_EIGEN(S, float, sy)
WW_EIGEN(D, double, sy)
WW_EIGEN(C, std::complex<float>, he)
WW_EIGEN(Z, std::complex<double>, he)

// Part of the eigenvalues.
#define WW_SOME(letter, T, kind)                                                                             \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evdx_bufferSize(Handle* h, Vectors, int, Fill, int n,      \
                                                                  const T*, int lda, Real<T>, Real<T>, int,  \
                                                                  int, int*, const Real<T>*, int* size) {    \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##evdx(                                                      \
      Handle* h, Vectors vectors, int range, Fill fill, int n, T* a, int lda, Real<T> low, Real<T> high,     \
      int first, int last, int* count, Real<T>* w, T*, int, int* info) {                                     \
    return some_values(h, vectors, {range, low, high, first, last}, fill, n, a, lda, count, w, info);        \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvdx_bufferSize(                                           \
      Handle* h, int, Vectors, int, Fill, int n, const T*, int lda, const T*, int, Real<T>, Real<T>, int,    \
      int, int*, const Real<T>*, int* size) {                                                                \
    return workspace(h, is_square(n, lda), size, n);                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##kind##gvdx(                                                      \
      Handle* h, int which, Vectors vectors, int range, Fill fill, int n, T* a, int lda, T* b, int ldb,      \
      Real<T> low, Real<T> high, int first, int last, int* count, Real<T>* w, T*, int, int* info) {          \
    return some_pairs(h, which, vectors, {range, low, high, first, last}, fill, n, a, lda, b, ldb, count, w, \
                      info);                                                                                 \
  }
WW_SOME(S, float, sy)
WW_SOME(D, double, sy)
WW_SOME(C, std::complex<float>, he)
WW_SOME(Z, std::complex<double>, he)

namespace {
template <class F>
Status any_type(int type, F&& body) {
  if (type == 0) return body(float{});
  if (type == 1) return body(double{});
  if (type == 4) return body(std::complex<float>{});
  return type == 5 ? body(std::complex<double>{}) : Status::NotSupported;
}
}  // namespace
WW_LIBRARY_API Status cusolverDnXsyevdx_bufferSize(Handle* h, void*, Vectors, int, Fill, int64_t n, int,
                                                   const void*, int64_t lda, void*, void*, int64_t, int64_t,
                                                   int64_t*, int, const void*, int, size_t* device,
                                                   size_t* host) {
  if (host) *host = 0;
  return workspace(h, is_square(n, lda), device, n);
}
WW_LIBRARY_API Status cusolverDnXsyevdx(Handle* h, void*, Vectors vectors, int range, Fill fill, int64_t n,
                                        int type, void* a, int64_t lda, void* low, void* high, int64_t first,
                                        int64_t last, int64_t* count, int, void* w, int, void*, size_t, void*,
                                        size_t, int* info) {
  return any_type(type, [&](auto number) {
    using T = decltype(number);
    const auto bound = [](const void* v) { return v ? double(*static_cast<const Real<T>*>(v)) : 0; };
    return some_values(h, vectors, {range, bound(low), bound(high), first, last}, fill, n, static_cast<T*>(a),
                       lda, count, static_cast<Real<T>*>(w), info);
  });
}
WW_LIBRARY_API Status cusolverDnXsyevBatched_bufferSize(Handle* h, void*, Vectors, Fill, int64_t n, int,
                                                        const void*, int64_t lda, int, const void*, int,
                                                        size_t* device, size_t* host, int64_t) {
  if (host) *host = 0;
  return workspace(h, is_square(n, lda), device, n);
}
WW_LIBRARY_API Status cusolverDnXsyevBatched(Handle* h, void*, Vectors vectors, Fill fill, int64_t n,
                                             int type, void* a, int64_t lda, int, void* w, int, void*, size_t,
                                             void*, size_t, int* info, int64_t count) {
  return any_type(type, [&](auto number) {
    using T = decltype(number);
    return values(h, vectors, fill, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                  static_cast<Real<T>*>(w), info, static_cast<int>(count));
  });
}
