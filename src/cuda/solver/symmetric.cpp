// cuSOLVER: symmetric matrices that need not be definite.
#include "cuda/solver/symmetric.h"

using namespace ww::solver;

namespace {

bool good(int64_t n, int64_t lda) { return n >= 0 && lda >= std::max<int64_t>(1, n); }

/// Into the triangle that was factored.
template <class T>
Status invert(Handle* h, Fill fill, int n, T* a, int lda, const int* pivots, int* info) {
  return checked(h, good(n, lda) && info, [=] {
    const int64_t size = n;
    std::vector<T> inverse(static_cast<size_t>(size * size));
    const Matrix<T> x{inverse.data(), size};
    *info = 0;
    for (int64_t j = 0; j < n; ++j) {
      x(j, j) = T(1);
      if (a[j + j * int64_t{lda}] == T{} && (!pivots || pivots[j] > 0) && !*info)
        *info = static_cast<int>(j + 1);
    }
    if (*info) return;
    solve_symmetric<T>(fill, n, n, {a, lda}, pivots, x);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = fill == Fill::Lower ? j : 0; i < (fill == Fill::Lower ? n : j + 1); ++i)
        a[i + j * int64_t{lda}] = x(i, j);
  });
}

}  // namespace

#define WW_SYMMETRIC(letter, T)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##sytrf_bufferSize(Handle* h, int n, T*, int lda, int* size) {   \
    return workspace(h, good(n, lda), size, n);                                                            \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytrf(Handle* h, Fill fill, int n, T* a, int lda, int* pivots, \
                                                  T*, int, int* info) {                                    \
    return checked(h, good(n, lda) && info, [=] {                                                          \
      *info = factor_symmetric<T>(fill, n, {a, lda}, pivots);                                              \
    });                                                                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytri_bufferSize(Handle* h, Fill, int n, T*, int lda,          \
                                                             const int*, int* size) {                      \
    return workspace(h, good(n, lda), size, n);                                                            \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytri(Handle* h, Fill fill, int n, T* a, int lda,              \
                                                  const int* pivots, T*, int, int* info) {                 \
    return invert(h, fill, n, a, lda, pivots, info);                                                       \
  }
WW_SYMMETRIC(S, float)
WW_SYMMETRIC(D, double)
WW_SYMMETRIC(C, std::complex<float>)
WW_SYMMETRIC(Z, std::complex<double>)

WW_LIBRARY_API Status cusolverDnXsytrs_bufferSize(Handle* h, Fill, int64_t n, int64_t columns, int,
                                                  const void*, int64_t lda, const int64_t*, int, void*,
                                                  int64_t ldb, size_t* device, size_t* host) {
  if (host) *host = 0;
  return workspace(h, good(n, lda) && good(n, ldb) && columns >= 0 && host, device, n * 16);
}
WW_LIBRARY_API Status cusolverDnXsytrs(Handle* h, Fill fill, int64_t n, int64_t columns, int type,
                                       const void* a, int64_t lda, const int64_t* pivots, int type_of_b,
                                       void* b, int64_t ldb, void*, size_t, void*, size_t, int* info) {
  if (type != type_of_b) return Status::NotSupported;
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, good(n, lda) && good(n, ldb) && columns >= 0 && info, [=] {
      T* matrix = static_cast<T*>(const_cast<void*>(a));  // only read
      solve_symmetric<T>(fill, n, columns, {matrix, lda}, pivots, {static_cast<T*>(b), ldb});
      *info = 0;
    });
  });
}
