// cuSOLVER: Cholesky, what it solves, and inverses.
#include "cuda/solver/factor.h"
#include "cuda/solver/inverse.h"

using namespace ww::solver;

#define WW_CHOLESKY(letter, T)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##potrf_bufferSize(Handle* h, Fill, int n, T*, int lda,         \
                                                             int* size) {                                 \
    return workspace(h, is_square(n, lda), size, n);                                                      \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrf(Handle* h, Fill fill, int n, T* a, int lda, T*, int,    \
                                                  int* info) {                                            \
    return checked(h, is_square(n, lda) && info, [=] {                                                    \
      touches(Matrix<T>{a, lda}, n, n), touches_info(info);                                               \
      *info = factor_cholesky<T>(fill, n, {a, lda});                                                      \
    });                                                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrs(Handle* h, Fill fill, int n, int columns, const T* a,   \
                                                  int lda, T* b, int ldb, int* info) {                    \
    return checked(h, is_square(n, lda) && is_square(n, ldb) && columns >= 0, [=] {                       \
      if (columns) touches(Matrix<const T>{a, lda}, n, n);                                                \
      touches(Matrix<T>{b, ldb}, n, columns), touches_info(info);                                         \
      solve_cholesky<T>(fill, n, columns, {a, lda}, {b, ldb});                                            \
      if (info) *info = 0;                                                                                \
    });                                                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potri_bufferSize(Handle* h, Fill, int n, T*, int lda,         \
                                                             int* size) {                                 \
    return workspace(h, is_square(n, lda), size, n);                                                      \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potri(Handle* h, Fill fill, int n, T* a, int lda, T*, int,    \
                                                  int* info) {                                            \
    return invert(                                                                                        \
        h, fill, n, a, lda, info, [](int64_t) { return true; },                                           \
        [=](Matrix<T> x) {                                                                                \
          solve_cholesky<T>(fill, n, n, {a, lda}, x);                                                     \
        });                                                                                               \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrfBatched(Handle* h, Fill fill, int n, T** a, int lda,     \
                                                         int* info, int count) {                          \
    return checked(h, is_square(n, lda) && count >= 0 && a && info, [=] {                                 \
      touches(static_cast<T* const*>(a), count), touches_info(info, count);                               \
      for (int k = 0; k < count; ++k) {                                                                   \
        touches(Matrix<T>{a[k], lda}, n, n);                                                              \
        info[k] = factor_cholesky<T>(fill, n, {a[k], lda});                                               \
      }                                                                                                   \
    });                                                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrsBatched(Handle* h, Fill fill, int n, int columns, T** a, \
                                                         int lda, T** b, int ldb, int* info, int count) { \
    return checked(h, is_square(n, lda) && is_square(n, ldb) && count >= 0 && a && b && info, [=] {       \
      touches(static_cast<T* const*>(a), count), touches(static_cast<T* const*>(b), count);               \
      touches_info(info);                                                                                 \
      for (int k = 0; k < count; ++k) {                                                                   \
        if (columns) touches(Matrix<const T>{a[k], lda}, n, n);                                           \
        touches(Matrix<T>{b[k], ldb}, n, columns);                                                        \
        solve_cholesky<T>(fill, n, columns, {a[k], lda}, {b[k], ldb});                                    \
      }                                                                                                   \
      *info = 0;                                                                                          \
    });                                                                                                   \
  }
WW_CHOLESKY(S, float)
WW_CHOLESKY(D, double)
WW_CHOLESKY(C, std::complex<float>)
WW_CHOLESKY(Z, std::complex<double>)
