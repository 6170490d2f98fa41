// cuSOLVER: symmetric matrices that need not be definite.
#include "cuda/solver/symmetric.h"

#include "cuda/solver/inverse.h"

using namespace ww::solver;

#define WW_SYMMETRIC(letter, T)                                                                            \
  WW_LIBRARY_API Status cusolverDn##letter##sytrf_bufferSize(Handle* h, int n, T*, int lda, int* size) {   \
    return workspace(h, is_square(n, lda), size, n);                                                       \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytrf(Handle* h, Fill fill, int n, T* a, int lda, int* pivots, \
                                                  T*, int, int* info) {                                    \
    return checked(h, is_square(n, lda) && info, [=] {                                                     \
      touches(Matrix<T>{a, lda}, n, n), touches_info(pivots, n), touches_info(info);                       \
      *info = factor_symmetric<T>(fill, n, {a, lda}, pivots);                                              \
    });                                                                                                    \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytri_bufferSize(Handle* h, Fill, int n, T*, int lda,          \
                                                             const int*, int* size) {                      \
    return workspace(h, is_square(n, lda), size, n);                                                       \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverDn##letter##sytri(Handle* h, Fill fill, int n, T* a, int lda,              \
                                                  const int* pivots, T*, int, int* info) {                 \
    return invert(                                                                                         \
        h, fill, n, a, lda, info, [=](int64_t j) { return !pivots || pivots[j] > 0; },                     \
        [=](Matrix<T> x) {                                                                                 \
          solve_symmetric<T>(fill, n, n, {a, lda}, pivots, x);                                             \
        });                                                                                                \
  }
WW_SYMMETRIC(S, float)
WW_SYMMETRIC(D, double)
WW_SYMMETRIC(C, std::complex<float>)
WW_SYMMETRIC(Z, std::complex<double>)

WW_LIBRARY_API Status cusolverDnXsytrs_bufferSize(Handle* h, Fill, int64_t n, int64_t columns, int,
                                                  const void*, int64_t lda, const int64_t*, int, void*,
                                                  int64_t ldb, size_t* device, size_t* host) {
  if (host) *host = 0;
  return workspace(h, is_square(n, lda) && is_square(n, ldb) && columns >= 0 && host, device, n * 16);
}
WW_LIBRARY_API Status cusolverDnXsytrs(Handle* h, Fill fill, int64_t n, int64_t columns, int type,
                                       const void* a, int64_t lda, const int64_t* pivots, int type_of_b,
                                       void* b, int64_t ldb, void*, size_t, void*, size_t, int* info) {
  if (type != type_of_b) return Status::NotSupported;
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_square(n, lda) && is_square(n, ldb) && columns >= 0 && info, [=] {
      T* matrix = static_cast<T*>(const_cast<void*>(a));  // only read
      if (columns) touches(Matrix<const T>{matrix, lda}, n, n), touches_info(pivots, n);
      touches(Matrix<T>{static_cast<T*>(b), ldb}, n, columns), touches_info(info);
      solve_symmetric<T>(fill, n, columns, {matrix, lda}, pivots, {static_cast<T*>(b), ldb});
      *info = 0;
    });
  });
}
