// cuSOLVER: Cholesky, what it solves, and inverses.
#include "cuda/solver/factor.h"

using namespace ww::solver;

namespace {

bool good(int64_t n, int64_t lda) { return n >= 0 && lda >= std::max<int64_t>(1, n); }

template <class T>
Status invert(Handle* h, Fill fill, int n, T* a, int lda, int* info) {
  return checked(h, good(n, lda) && info, [=] {
    const int64_t size = n;
    std::vector<T> inverse(static_cast<size_t>(size * size));
    const Matrix<T> x{inverse.data(), size};
    *info = 0;
    for (int64_t j = 0; j < n; ++j) {
      x(j, j) = T(1);
      if (a[j + j * int64_t{lda}] == T{} && !*info) *info = static_cast<int>(j + 1);
    }
    if (*info) return;
    solve_cholesky<T>(fill, n, n, {a, lda}, x);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = fill == Fill::Lower ? j : 0; i < (fill == Fill::Lower ? n : j + 1); ++i)
        a[i + j * int64_t{lda}] = x(i, j);
  });
}

}  // namespace

#define WW_CHOLESKY(letter, T)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##potrf_bufferSize(Handle* h, Fill, int n, T*, int lda,         \
                                                             int* size) {                                 \
    return workspace(h, good(n, lda), size, n);                                                           \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrf(Handle* h, Fill fill, int n, T* a, int lda, T*, int,    \
                                                  int* info) {                                            \
    return checked(h, good(n, lda) && info, [=] { *info = factor_cholesky<T>(fill, n, {a, lda}); });      \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrs(Handle* h, Fill fill, int n, int columns, const T* a,   \
                                                  int lda, T* b, int ldb, int* info) {                    \
    return checked(h, good(n, lda) && good(n, ldb) && columns >= 0, [=] {                                 \
      solve_cholesky<T>(fill, n, columns, {a, lda}, {b, ldb});                                            \
      if (info) *info = 0;                                                                                \
    });                                                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potri_bufferSize(Handle* h, Fill, int n, T*, int lda,         \
                                                             int* size) {                                 \
    return workspace(h, good(n, lda), size, n);                                                           \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potri(Handle* h, Fill fill, int n, T* a, int lda, T*, int,    \
                                                  int* info) {                                            \
    return invert(h, fill, n, a, lda, info);                                                              \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrfBatched(Handle* h, Fill fill, int n, T** a, int lda,     \
                                                         int* info, int count) {                          \
    return checked(h, good(n, lda) && count >= 0 && a && info, [=] {                                      \
      for (int k = 0; k < count; ++k) info[k] = factor_cholesky<T>(fill, n, {a[k], lda});                 \
    });                                                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverDn##letter##potrsBatched(Handle* h, Fill fill, int n, int columns, T** a, \
                                                         int lda, T** b, int ldb, int* info, int count) { \
    return checked(h, good(n, lda) && good(n, ldb) && count >= 0 && a && b && info, [=] {                 \
      for (int k = 0; k < count; ++k) solve_cholesky<T>(fill, n, columns, {a[k], lda}, {b[k], ldb});      \
      *info = 0;                                                                                          \
    });                                                                                                   \
  }
WW_CHOLESKY(S, float)
WW_CHOLESKY(D, double)
WW_CHOLESKY(C, std::complex<float>)
WW_CHOLESKY(Z, std::complex<double>)
