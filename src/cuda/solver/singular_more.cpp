// cuSOLVER: singular values by other ways than gesvd's (the polar factor, random projections, an
// approximation for many matrices). All are found as gesvd's are here, which is at least as exact; and
// inverses of triangles.
#include <cmath>

#include "cuda/solver/singular.h"

using namespace ww::solver;

namespace {

/// A = U diag(s) V*, of any shape, the first `count` columns of U and V and values.
template <class T>
bool parts(int64_t m, int64_t n, Matrix<const T> a, bool vectors, int64_t left, int64_t right, int64_t count,
           Real<T>* s, Matrix<T> u, Matrix<T> v) {
  std::vector<T> turned;
  if (m < n) {
    turned.resize(static_cast<size_t>(m * n));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) turned[static_cast<size_t>(j + i * n)] = conjugate(a(i, j));
    return parts<T>(n, m, {turned.data(), n}, vectors, right, left, count, s, v, u);
  }
  const int64_t columns = left > n ? m : n;
  const auto r = singular<T>(m, n, a, vectors ? columns : 0);
  for (int64_t k = 0; k < count; ++k) s[k] = static_cast<Real<T>>(r.s[static_cast<size_t>(k)]);
  if (!vectors) return r.converged;
  for (int64_t j = 0; u.data && j < left; ++j)
    for (int64_t i = 0; i < m; ++i) u(i, j) = T(r.u[static_cast<size_t>(i + j * m)]);
  for (int64_t j = 0; v.data && j < right; ++j)
    for (int64_t i = 0; i < n; ++i) v(i, j) = T(r.v[static_cast<size_t>(i + j * n)]);
  return r.converged;
}
template <class F>
Status number(int type, F&& body) {
  if (type == 0) return body(float{});
  if (type == 1) return body(double{});
  if (type == 4) return body(std::complex<float>{});
  return type == 5 ? body(std::complex<double>{}) : Status::NotSupported;
}
Status sizes(Handle* h, bool good, size_t* device, size_t* host) {
  if (host) *host = 0;
  return workspace(h, good, device, 1);
}

template <class T>
Status approximate(Handle* h, Vectors vectors, int rank, int m, int n, const T* a, int lda, long long step_a,
                   Real<T>* s, long long step_s, T* u, int ldu, long long step_u, T* v, int ldv,
                   long long step_v, int* info, double* residual, int count) {
  const bool good = is_matrix(m, n, lda) && rank >= 1 && rank <= std::min(m, n) && count >= 0 && info;
  return checked(h, good && s, [=] {
    const bool want = vectors == Vectors::Wanted;
    for (int64_t k = 0; k < count; ++k) {
      const Matrix<const T> from{a + k * step_a, lda};
      Real<T>* values = s + k * step_s;
      const Matrix<T> left{want ? u + k * step_u : nullptr, ldu}, right{want ? v + k * step_v : nullptr, ldv};
      info[k] = parts<T>(m, n, from, want, rank, rank, rank, values, left, right) ? 0 : 1;
      if (!residual || !want) continue;
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          T x = from(i, j);
          for (int64_t r = 0; r < rank; ++r) x -= left(i, r) * values[r] * conjugate(right(j, r));
          sum += double(squared(x));
        }
      residual[k] = std::sqrt(sum);
    }
  });
}

/// Returns the first k (from 1) whose diagonal is zero, or 0.
template <class T>
int invert_triangle(Fill fill, bool unit, int64_t n, Matrix<T> a) {
  for (int64_t k = 0; k < n && !unit; ++k)
    if (a(k, k) == T{}) return static_cast<int>(k) + 1;
  // Column j of the inverse: what is solved for the unit vector, from the diagonal away.
  std::vector<T> x(static_cast<size_t>(n));
  std::vector<T> before;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) before.push_back(a(i, j));
  const Matrix<const T> from{before.data(), n};
  for (int64_t j = 0; j < n; ++j) {
    std::fill(x.begin(), x.end(), T{});
    x[static_cast<size_t>(j)] = 1;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t k = fill == Fill::Lower ? step : n - 1 - step;
      T& value = x[static_cast<size_t>(k)];
      if (!unit) value /= from(k, k);
      for (int64_t i = fill == Fill::Lower ? k + 1 : 0; i < (fill == Fill::Lower ? n : k); ++i)
        x[static_cast<size_t>(i)] -= from(i, k) * value;
    }
    for (int64_t i = fill == Fill::Lower ? j : 0; i <= (fill == Fill::Lower ? n - 1 : j); ++i)
      if (!unit || i != j) a(i, j) = x[static_cast<size_t>(i)];
  }
  return 0;
}

}  // namespace

WW_LIBRARY_API Status cusolverDnXgesvdp_bufferSize(Handle* h, void*, Vectors, int, int64_t m, int64_t n, int,
                                                   const void*, int64_t lda, int, const void*, int,
                                                   const void*, int64_t, int, const void*, int64_t, int,
                                                   size_t* device, size_t* host) {
  return sizes(h, is_matrix(m, n, lda), device, host);
}
/// `economic`: the first min(m, n) columns of U and V, else all. The perturbation is none.
WW_LIBRARY_API Status cusolverDnXgesvdp(Handle* h, void*, Vectors vectors, int economic, int64_t m, int64_t n,
                                        int type, void* a, int64_t lda, int, void* s, int, void* u,
                                        int64_t ldu, int, void* v, int64_t ldv, int, void*, size_t, void*,
                                        size_t, int* info, double* perturbation) {
  if (perturbation) *perturbation = 0;
  return number(type, [&](auto one) {
    using T = decltype(one);
    return checked(h, is_matrix(m, n, lda) && s && info, [=] {
      const int64_t k = std::min(m, n);
      *info = parts<T>(m, n, {static_cast<const T*>(a), lda}, vectors == Vectors::Wanted, economic ? k : m,
                       economic ? k : n, k, static_cast<Real<T>*>(s), {static_cast<T*>(u), ldu},
                       {static_cast<T*>(v), ldv})
                  ? 0
                  : 1;
    });
  });
}
WW_LIBRARY_API Status cusolverDnXgesvdr_bufferSize(Handle* h, void*, signed char, signed char, int64_t m,
                                                   int64_t n, int64_t, int64_t, int64_t, int, const void*,
                                                   int64_t lda, int, const void*, int, const void*, int64_t,
                                                   int, const void*, int64_t, int, size_t* device,
                                                   size_t* host) {
  return sizes(h, is_matrix(m, n, lda), device, host);
}
WW_LIBRARY_API Status cusolverDnXgesvdr(Handle* h, void*, signed char want_u, signed char want_v, int64_t m,
                                        int64_t n, int64_t k, int64_t p, int64_t, int type, void* a,
                                        int64_t lda, int, void* s, int, void* u, int64_t ldu, int, void* v,
                                        int64_t ldv, int, void*, size_t, void*, size_t, int* info) {
  return number(type, [&](auto one) {
    using T = decltype(one);
    const bool good = is_matrix(m, n, lda) && k >= 1 && p >= 0 && k + p <= std::min(m, n);
    return checked(h, good && s && info, [=] {
      const Matrix<T> left{want_u == 'S' ? static_cast<T*>(u) : nullptr, ldu};
      const Matrix<T> right{want_v == 'S' ? static_cast<T*>(v) : nullptr, ldv};
      *info = parts<T>(m, n, {static_cast<const T*>(a), lda}, left.data || right.data, k, k, k,
                       static_cast<Real<T>*>(s), left, right)
                  ? 0
                  : 1;
    });
  });
}
#define WW_APPROXIMATE(letter, T)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##gesvdaStridedBatched_bufferSize(                                 \
      Handle* h, Vectors, int, int m, int n, const T*, int lda, long long, const Real<T>*, long long,        \
      const T*, int, long long, const T*, int, long long, int* size, int) {                                  \
    return workspace(h, is_matrix(m, n, lda), size, n);                                                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##gesvdaStridedBatched(                                            \
      Handle* h, Vectors vectors, int rank, int m, int n, const T* a, int lda, long long step_a, Real<T>* s, \
      long long step_s, T* u, int ldu, long long step_u, T* v, int ldv, long long step_v, T*, int,           \
      int* info, double* residual, int count) {                                                              \
    return approximate(h, vectors, rank, m, n, a, lda, step_a, s, step_s, u, ldu, step_u, v, ldv, step_v,    \
                       info, residual, count);                                                               \
  }
WW_APPROXIMATE(S, float)
WW_APPROXIMATE(D, double)
WW_APPROXIMATE(C, std::complex<float>)
WW_APPROXIMATE(Z, std::complex<double>)

WW_LIBRARY_API Status cusolverDnXtrtri_bufferSize(Handle* h, Fill, int, int64_t n, int, void*, int64_t lda,
                                                  size_t* device, size_t* host) {
  return sizes(h, is_matrix(n, n, lda), device, host);
}
/// `diagonal` 1: of ones.
WW_LIBRARY_API Status cusolverDnXtrtri(Handle* h, Fill fill, int diagonal, int64_t n, int type, void* a,
                                       int64_t lda, void*, size_t, void*, size_t, int* info) {
  return number(type, [&](auto one) {
    using T = decltype(one);
    return checked(h, is_matrix(n, n, lda) && info, [=] {
      *info = invert_triangle<T>(fill, diagonal == 1, n, {static_cast<T*>(a), lda});
    });
  });
}
