// cuBLAS: level 1, vectors.
#include <cmath>
#include <type_traits>

#include "cuda/blas/call.h"

using namespace ww::blas;

namespace {

/// Sums are kept in double precision.
template <class T>
using Sum = std::conditional_t<kComplex<T>, std::complex<double>, double>;

/// |re| + |im|, as BLAS compares and adds.
template <class T>
double size_of(T v) {
  if constexpr (kComplex<T>)
    return std::abs(double(v.real())) + std::abs(double(v.imag()));
  else
    return std::abs(double(v));
}

template <class T>
Status axpy(Handle* h, int n, const T* alpha, const T* x, int dx, T* y, int dy) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, n <= 0 || (x && y), [=, first = scalar(h, alpha)] {
    const T a = first();
    if (n <= 0 || a == T{}) return;
    const T* from = begin(x, n, dx);
    T* to = begin(y, n, dy);
    for (int64_t k = 0; k < n; ++k) to[k * dy] += a * from[k * dx];
  });
}
template <class T, class A>
Status scal(Handle* h, int n, const A* alpha, T* x, int dx) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, n <= 0 || x, [=, first = scalar(h, alpha)] {
    const A a = first();
    if (dx <= 0 || n <= 0) return;
    T* to = begin(x, n, dx);
    for (int64_t k = 0; k < n; ++k) to[k * dx] *= a;
  });
}
template <class T>
Status copy(Handle* h, int n, const T* x, int dx, T* y, int dy) {
  return checked(h, n <= 0 || (x && y), [=] {
    if (n <= 0) return;
    const T* from = begin(x, n, dx);
    T* to = begin(y, n, dy);
    for (int64_t k = 0; k < n; ++k) to[k * dy] = from[k * dx];
  });
}
template <class T>
Status swap(Handle* h, int n, T* x, int dx, T* y, int dy) {
  return checked(h, n <= 0 || (x && y), [=] {
    if (n <= 0) return;
    T *a = begin(x, n, dx), *b = begin(y, n, dy);
    for (int64_t k = 0; k < n; ++k) std::swap(a[k * dx], b[k * dy]);
  });
}
template <class T, bool kConjugate>
Status dot(Handle* h, int n, const T* x, int dx, const T* y, int dy, T* result) {
  return checked(h, result != nullptr, [=] {
    Sum<T> sum = 0;
    if (n > 0) {
      const T *a = begin(x, n, dx), *b = begin(y, n, dy);
      for (int64_t k = 0; k < n; ++k)
        sum += Sum<T>(kConjugate ? conjugate(a[k * dx]) : a[k * dx]) * Sum<T>(b[k * dy]);
    }
    *result = T(sum);
  });
}
template <class T>
Status nrm2(Handle* h, int n, const T* x, int dx, Real<T>* result) {
  return checked(h, result != nullptr, [=] {
    if (dx > 0) (void)begin(x, n, dx);
    double scale = 0;  // of the largest, so that squares stay in range
    for (int64_t k = 0; k < n && dx > 0; ++k) scale = std::max(scale, size_of(x[k * dx]));
    double sum = 0;
    for (int64_t k = 0; k < n && dx > 0 && scale > 0; ++k) {
      const double part = std::abs(Sum<T>(x[k * dx])) / scale;
      sum += part * part;
    }
    *result = static_cast<Real<T>>(scale * std::sqrt(sum));
  });
}
template <class T>
Status asum(Handle* h, int n, const T* x, int dx, Real<T>* result) {
  return checked(h, result != nullptr, [=] {
    if (dx > 0) (void)begin(x, n, dx);
    double sum = 0;
    for (int64_t k = 0; k < n && dx > 0; ++k) sum += size_of(x[k * dx]);
    *result = static_cast<Real<T>>(sum);
  });
}
/// Counted from 1; 0 where there is no element.
template <class T, class Size>
Status extreme(Handle* h, Size n, const T* x, Size dx, Size* result, bool largest) {
  return checked(h, result != nullptr, [=] {
    *result = n > 0 && dx > 0 ? 1 : 0;
    if (dx > 0) (void)begin(x, n, dx);
    for (int64_t k = 1; k < n && dx > 0; ++k) {
      const double now = size_of(x[k * dx]), best = size_of(x[(*result - 1) * int64_t{dx}]);
      if (largest ? now > best : now < best) *result = static_cast<Size>(k + 1);
    }
  });
}
template <class T>
Status rot(Handle* h, int n, T* x, int dx, T* y, int dy, const T* c, const T* s) {
  if (Status wrong = ready(h, c && s); wrong != Status::Success) return wrong;
  return checked(h, n <= 0 || (x && y), [=, first = scalar(h, c), second = scalar(h, s)] {
    const T cos = first(), sin = second();
    if (n <= 0) return;
    T *a = begin(x, n, dx), *b = begin(y, n, dy);
    for (int64_t k = 0; k < n; ++k) {
      const T was = a[k * dx];
      a[k * dx] = cos * was + sin * b[k * dy];
      b[k * dy] = cos * b[k * dy] - sin * was;
    }
  });
}

using C = std::complex<float>;
using Z = std::complex<double>;

}  // namespace

#define WW_LEVEL1(L, T, ASUM, NRM2, IAMAX, IAMIN)                                                            \
  WW_LIBRARY_API Status cublas##L##axpy_v2(Handle* h, int n, const T* a, const T* x, int dx, T* y, int dy) { \
    return axpy(h, n, a, x, dx, y, dy);                                                                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##scal_v2(Handle* h, int n, const T* a, T* x, int dx) {                     \
    return scal(h, n, a, x, dx);                                                                             \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##copy_v2(Handle* h, int n, const T* x, int dx, T* y, int dy) {             \
    return copy(h, n, x, dx, y, dy);                                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##swap_v2(Handle* h, int n, T* x, int dx, T* y, int dy) {                   \
    return swap(h, n, x, dx, y, dy);                                                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status NRM2(Handle* h, int n, const T* x, int dx, Real<T>* r) {                             \
    return nrm2(h, n, x, dx, r);                                                                             \
  }                                                                                                          \
  WW_LIBRARY_API Status ASUM(Handle* h, int n, const T* x, int dx, Real<T>* r) {                             \
    return asum(h, n, x, dx, r);                                                                             \
  }                                                                                                          \
  WW_LIBRARY_API Status IAMAX(Handle* h, int n, const T* x, int dx, int* r) {                                \
    return extreme(h, n, x, dx, r, true);                                                                    \
  }                                                                                                          \
  WW_LIBRARY_API Status IAMIN(Handle* h, int n, const T* x, int dx, int* r) {                                \
    return extreme(h, n, x, dx, r, false);                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status IAMAX##_64(Handle* h, int64_t n, const T* x, int64_t dx, int64_t* r) {               \
    return extreme(h, n, x, dx, r, true);                                                                    \
  }                                                                                                          \
  WW_LIBRARY_API Status IAMIN##_64(Handle* h, int64_t n, const T* x, int64_t dx, int64_t* r) {               \
    return extreme(h, n, x, dx, r, false);                                                                   \
  }
WW_LEVEL1(S, float, cublasSasum_v2, cublasSnrm2_v2, cublasIsamax_v2, cublasIsamin_v2)
WW_LEVEL1(D, double, cublasDasum_v2, cublasDnrm2_v2, cublasIdamax_v2, cublasIdamin_v2)
WW_LEVEL1(C, C, cublasScasum_v2, cublasScnrm2_v2, cublasIcamax_v2, cublasIcamin_v2)
WW_LEVEL1(Z, Z, cublasDzasum_v2, cublasDznrm2_v2, cublasIzamax_v2, cublasIzamin_v2)

#define WW_DOT(name, T, conjugated)                                                            \
  WW_LIBRARY_API Status name(Handle* h, int n, const T* x, int dx, const T* y, int dy, T* r) { \
    return dot<T, conjugated>(h, n, x, dx, y, dy, r);                                          \
  }
WW_DOT(cublasSdot_v2, float, false)
WW_DOT(cublasDdot_v2, double, false)
WW_DOT(cublasCdotu_v2, C, false)
WW_DOT(cublasCdotc_v2, C, true)
WW_DOT(cublasZdotu_v2, Z, false)
WW_DOT(cublasZdotc_v2, Z, true)
WW_LIBRARY_API Status cublasCsscal_v2(Handle* h, int n, const float* a, C* x, int dx) {
  return scal(h, n, a, x, dx);
}
WW_LIBRARY_API Status cublasZdscal_v2(Handle* h, int n, const double* a, Z* x, int dx) {
  return scal(h, n, a, x, dx);
}
WW_LIBRARY_API Status cublasSrot_v2(Handle* h, int n, float* x, int dx, float* y, int dy, const float* c,
                                    const float* s) {
  return rot(h, n, x, dx, y, dy, c, s);
}
WW_LIBRARY_API Status cublasDrot_v2(Handle* h, int n, double* x, int dx, double* y, int dy, const double* c,
                                    const double* s) {
  return rot(h, n, x, dx, y, dy, c, s);
}
