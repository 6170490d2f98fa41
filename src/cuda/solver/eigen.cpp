// cuSOLVER: eigenvalues of symmetric and Hermitian matrices, also of pairs of them.
#include "cuda/solver/eigen.h"

#include "cuda/solver/factor.h"
#include "cuda/solver/rotations.h"

using namespace ww::solver;

namespace {

bool good(int64_t n, int64_t lda) { return n >= 0 && lda >= std::max<int64_t>(1, n); }

template <class T>
Status values(Handle* h, Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w, int* info,
              int count = 1) {
  return checked(h, good(n, lda) && info && w && count >= 0, [=] {
    for (int64_t k = 0; k < count; ++k)
      info[k] = eigen<T>(vectors == Vectors::Wanted, fill, n, {a + k * lda * int64_t{n}, lda}, w + k * n);
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
  return checked(h, good(n, lda) && good(n, ldb) && which >= 1 && which <= 3 && info, [=] {
    *info = pair_of<T>(which, vectors == Vectors::Wanted, fill, n, {a, lda}, {b, ldb}, w);
  });
}

}  // namespace

// Symmetric ("sy") where it is real, else Hermitian ("he").
#define WW_EIGEN(letter, T, kind)                                                                           \
  WW_SOLVER_API Status cusolverDn##letter##kind##evd_bufferSize(Handle* h, Vectors, Fill, int n, const T*,  \
                                                                int lda, const Real<T>*, int* size) {       \
    return workspace(h, good(n, lda), size, n);                                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##evd(Handle* h, Vectors vectors, Fill fill, int n, T* a,    \
                                                     int lda, Real<T>* w, T*, int, int* info) {             \
    return values(h, vectors, fill, n, a, lda, w, info);                                                    \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##evj_bufferSize(                                            \
      Handle* h, Vectors, Fill, int n, const T*, int lda, const Real<T>*, int* size, Rotations*) {          \
    return workspace(h, good(n, lda), size, n);                                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##evj(Handle* h, Vectors vectors, Fill fill, int n, T* a,    \
                                                     int lda, Real<T>* w, T*, int, int* info, Rotations*) { \
    return values(h, vectors, fill, n, a, lda, w, info);                                                    \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##evjBatched_bufferSize(                                     \
      Handle* h, Vectors, Fill, int n, const T*, int lda, const Real<T>*, int* size, Rotations*, int) {     \
    return workspace(h, good(n, lda), size, n);                                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##evjBatched(Handle* h, Vectors vectors, Fill fill, int n,   \
                                                            T* a, int lda, Real<T>* w, T*, int, int* info,  \
                                                            Rotations*, int count) {                        \
    return values(h, vectors, fill, n, a, lda, w, info, count);                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##gvd_bufferSize(                                            \
      Handle* h, int, Vectors, Fill, int n, const T*, int lda, const T*, int, const Real<T>*, int* size) {  \
    return workspace(h, good(n, lda), size, n);                                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##gvd(Handle* h, int which, Vectors vectors, Fill fill,      \
                                                     int n, T* a, int lda, T* b, int ldb, Real<T>* w, T*,   \
                                                     int, int* info) {                                      \
    return pairs(h, which, vectors, fill, n, a, lda, b, ldb, w, info);                                      \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##gvj_bufferSize(Handle* h, int, Vectors, Fill, int n,       \
                                                                const T*, int lda, const T*, int,           \
                                                                const Real<T>*, int* size, Rotations*) {    \
    return workspace(h, good(n, lda), size, n);                                                             \
  }                                                                                                         \
  WW_SOLVER_API Status cusolverDn##letter##kind##gvj(Handle* h, int which, Vectors vectors, Fill fill,      \
                                                     int n, T* a, int lda, T* b, int ldb, Real<T>* w, T*,   \
                                                     int, int* info, Rotations*) {                          \
    return pairs(h, which, vectors, fill, n, a, lda, b, ldb, w, info);                                      \
  }
WW_EIGEN(S, float, sy)
WW_EIGEN(D, double, sy)
WW_EIGEN(C, std::complex<float>, he)
WW_EIGEN(Z, std::complex<double>, he)
