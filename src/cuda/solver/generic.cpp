// cuSOLVER: the calls for any type and 64-bit sizes.
#include "cuda/solver/eigen.h"
#include "cuda/solver/factor.h"
#include "cuda/solver/singular.h"

using namespace ww::solver;

namespace {

Status sizes(Handle* h, bool fits, size_t* device, size_t* host, int64_t n) {
  if (host) *host = 0;
  return workspace(h, fits && host, device, n * 16);
}

}  // namespace

WW_LIBRARY_API Status cusolverDnXgetrf_bufferSize(Handle* h, void*, int64_t m, int64_t n, int, const void*,
                                                  int64_t lda, int, size_t* device, size_t* host) {
  return sizes(h, is_matrix(m, n, lda), device, host, n);
}
WW_LIBRARY_API Status cusolverDnXgetrf(Handle* h, void*, int64_t m, int64_t n, int type, void* a, int64_t lda,
                                       int64_t* pivots, int, void*, size_t, void*, size_t, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(m, n, lda) && info, [=] {
      touches(Matrix<T>{static_cast<T*>(a), lda}, m, n), touches_info(pivots, std::min(m, n));
      touches_info(info);
      *info = factor_lu<T>(m, n, {static_cast<T*>(a), lda}, pivots);
    });
  });
}
WW_LIBRARY_API Status cusolverDnXgetrs(Handle* h, void*, Op op, int64_t n, int64_t columns, int type,
                                       const void* a, int64_t lda, const int64_t* pivots, int, void* b,
                                       int64_t ldb, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(n, n, lda) && is_matrix(n, columns, ldb) && info, [=] {
      if (columns) touches(Matrix<const T>{static_cast<const T*>(a), lda}, n, n), touches_info(pivots, n);
      touches(Matrix<T>{static_cast<T*>(b), ldb}, n, columns), touches_info(info);
      solve_lu<T>(op, n, columns, {static_cast<const T*>(a), lda}, pivots, {static_cast<T*>(b), ldb});
      *info = 0;
    });
  });
}

WW_LIBRARY_API Status cusolverDnXpotrf_bufferSize(Handle* h, void*, Fill, int64_t n, int, const void*,
                                                  int64_t lda, int, size_t* device, size_t* host) {
  return sizes(h, is_matrix(n, n, lda), device, host, n);
}
WW_LIBRARY_API Status cusolverDnXpotrf(Handle* h, void*, Fill fill, int64_t n, int type, void* a, int64_t lda,
                                       int, void*, size_t, void*, size_t, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(n, n, lda) && info, [=] {
      touches(Matrix<T>{static_cast<T*>(a), lda}, n, n), touches_info(info);
      *info = factor_cholesky<T>(fill, n, {static_cast<T*>(a), lda});
    });
  });
}
WW_LIBRARY_API Status cusolverDnXpotrs(Handle* h, void*, Fill fill, int64_t n, int64_t columns, int type,
                                       const void* a, int64_t lda, int, void* b, int64_t ldb, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(n, n, lda) && is_matrix(n, columns, ldb) && info, [=] {
      if (columns) touches(Matrix<const T>{static_cast<const T*>(a), lda}, n, n);
      touches(Matrix<T>{static_cast<T*>(b), ldb}, n, columns), touches_info(info);
      solve_cholesky<T>(fill, n, columns, {static_cast<const T*>(a), lda}, {static_cast<T*>(b), ldb});
      *info = 0;
    });
  });
}

WW_LIBRARY_API Status cusolverDnXgeqrf_bufferSize(Handle* h, void*, int64_t m, int64_t n, int, const void*,
                                                  int64_t lda, int, const void*, int, size_t* device,
                                                  size_t* host) {
  return sizes(h, is_matrix(m, n, lda), device, host, n);
}
WW_LIBRARY_API Status cusolverDnXgeqrf(Handle* h, void*, int64_t m, int64_t n, int type, void* a, int64_t lda,
                                       int, void* tau, int, void*, size_t, void*, size_t, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(m, n, lda) && info, [=] {
      touches(Matrix<T>{static_cast<T*>(a), lda}, m, n), touches(static_cast<T*>(tau), std::min(m, n));
      touches_info(info);
      factor_qr<T>(m, n, {static_cast<T*>(a), lda}, static_cast<T*>(tau));
      *info = 0;
    });
  });
}

WW_LIBRARY_API Status cusolverDnXsyevd_bufferSize(Handle* h, void*, Vectors, Fill, int64_t n, int,
                                                  const void*, int64_t lda, int, const void*, int,
                                                  size_t* device, size_t* host) {
  return sizes(h, is_matrix(n, n, lda), device, host, n);
}
WW_LIBRARY_API Status cusolverDnXsyevd(Handle* h, void*, Vectors vectors, Fill fill, int64_t n, int type,
                                       void* a, int64_t lda, int, void* w, int, void*, size_t, void*, size_t,
                                       int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    return checked(h, is_matrix(n, n, lda) && info, [=] {
      touches(Matrix<T>{static_cast<T*>(a), lda}, n, n), touches(static_cast<Real<T>*>(w), n);
      touches_info(info);
      *info =
          eigen<T>(vectors == Vectors::Wanted, fill, n, {static_cast<T*>(a), lda}, static_cast<Real<T>*>(w));
    });
  });
}

WW_LIBRARY_API Status cusolverDnXgesvd_bufferSize(Handle* h, void*, signed char, signed char, int64_t m,
                                                  int64_t n, int, const void*, int64_t lda, int, const void*,
                                                  int, const void*, int64_t, int, const void*, int64_t, int,
                                                  size_t* device, size_t* host) {
  return sizes(h, is_matrix(m, n, lda) && m >= n, device, host, m + n);
}
WW_LIBRARY_API Status cusolverDnXgesvd(Handle* h, void*, signed char want_u, signed char want_vt, int64_t m,
                                       int64_t n, int type, void* a, int64_t lda, int, void* s, int, void* u,
                                       int64_t ldu, int, void* vt, int64_t ldvt, int, void*, size_t, void*,
                                       size_t, int* info) {
  return typed(type, [&](auto number) {
    using T = decltype(number);
    const bool fits = is_matrix(m, n, lda) && m >= n && is_letter(want_u) && is_letter(want_vt);
    return checked(h, fits && (want_u != 'O' || want_vt != 'O') && info && s, [=] {
      by_letters<T>(want_u, want_vt, m, n, {static_cast<T*>(a), lda}, static_cast<Real<T>*>(s),
                    {static_cast<T*>(u), ldu}, {static_cast<T*>(vt), ldvt}, info);
    });
  });
}
