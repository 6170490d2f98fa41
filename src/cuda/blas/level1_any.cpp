// cuBLAS: level 1 of vectors of any type. Sums are kept in double precision.
#include <cmath>

#include "cuda/blas/call.h"
#include "cuda/blas/stored.h"

using namespace ww::blas;

namespace {

using Number = std::complex<double>;

/// A vector of the program's; with a negative increment it begins at its end.
struct Vector {
  const void* data;
  int type;
  int64_t step, first;
  /// It is about to be gone through.
  Vector(const void* at, int of, int64_t n, int64_t increment, bool writes = false)
      : data(at), type(of), step(increment), first(increment < 0 ? (1 - n) * increment : 0) {
    const auto bytes = static_cast<int64_t>(type_bytes(of));
    if (n > 0) ww::stubs::touches_bytes(at, ((n - 1) * std::abs(increment) + 1) * bytes, writes);
  }
  Number operator[](int64_t k) const { return number_at(type, data, first + k * step); }
  void put(int64_t k, Number v) const { put_number(type, const_cast<void*>(data), first + k * step, v); }
};

/// Types first: a type that is not there is told before anything runs.
template <class F>
Status any(Handle* h, bool good, std::initializer_list<int> types, F&& work) {
  if (Status wrong = ready(h, good); wrong != Status::Success) return wrong;
  for (int t : types)
    if (!is_type(t)) return unsupported("a function of cuBLAS's vectors of " + type_name(t));
  return submit(*h, std::forward<F>(work));
}

Status dot(Handle* h, int64_t n, const void* x, int tx, int64_t dx, const void* y, int ty, int64_t dy,
           void* result, int tr, bool conjugated) {
  return any(h, result && (n <= 0 || (x && y)), {tx, ty, tr}, [=] {
    const Vector a(x, tx, n, dx), b(y, ty, n, dy);
    Number sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += (conjugated ? std::conj(a[k]) : a[k]) * b[k];
    put_number(tr, result, 0, sum);
  });
}
Status axpy(Handle* h, int64_t n, const void* alpha, int ta, const void* x, int tx, int64_t dx, void* y,
            int ty, int64_t dy) {
  if (Status wrong = ready(h, alpha && is_type(ta)); wrong != Status::Success) return wrong;
  return any(h, n <= 0 || (x && y), {tx, ty},
             [=, kept = KeptFactor(h->pointer_mode == 1, alpha, type_bytes(ta))] {
               const Number factor = number_at(ta, kept.at(), 0);
               if (factor == Number(0)) return;
               const Vector a(x, tx, n, dx), b(y, ty, n, dy, true);
               for (int64_t k = 0; k < n; ++k) b.put(k, b[k] + factor * a[k]);
             });
}
Status scal(Handle* h, int64_t n, const void* alpha, int ta, void* x, int tx, int64_t dx) {
  if (Status wrong = ready(h, alpha && is_type(ta)); wrong != Status::Success) return wrong;
  return any(h, n <= 0 || x, {tx}, [=, kept = KeptFactor(h->pointer_mode == 1, alpha, type_bytes(ta))] {
    const Number factor = number_at(ta, kept.at(), 0);
    if (dx <= 0) return;
    const Vector a(x, tx, n, dx, true);
    for (int64_t k = 0; k < n; ++k) a.put(k, factor * a[k]);
  });
}
Status copy(Handle* h, int64_t n, const void* x, int tx, int64_t dx, void* y, int ty, int64_t dy) {
  return any(h, n <= 0 || (x && y), {tx, ty}, [=] {
    const Vector a(x, tx, n, dx), b(y, ty, n, dy, true);
    for (int64_t k = 0; k < n; ++k) b.put(k, a[k]);
  });
}
Status swap(Handle* h, int64_t n, void* x, int tx, int64_t dx, void* y, int ty, int64_t dy) {
  return any(h, n <= 0 || (x && y), {tx, ty}, [=] {
    const Vector a(x, tx, n, dx, true), b(y, ty, n, dy, true);
    for (int64_t k = 0; k < n; ++k) {
      const Number kept = a[k];
      a.put(k, b[k]), b.put(k, kept);
    }
  });
}
double size_of(Number v) { return std::abs(v.real()) + std::abs(v.imag()); }
Status norm(Handle* h, int64_t n, const void* x, int tx, int64_t dx, void* result, int tr) {
  return any(h, result && (n <= 0 || x), {tx, tr}, [=] {
    const Vector a(x, tx, dx > 0 ? n : 0, dx);
    double length = 0;
    for (int64_t k = 0; k < n && dx > 0; ++k) length = std::hypot(length, std::abs(a[k]));
    put_number(tr, result, 0, length);
  });
}
Status sum_of_sizes(Handle* h, int64_t n, const void* x, int tx, int64_t dx, void* result, int tr) {
  return any(h, result && (n <= 0 || x), {tx, tr}, [=] {
    const Vector a(x, tx, dx > 0 ? n : 0, dx);
    double sum = 0;
    for (int64_t k = 0; k < n && dx > 0; ++k) sum += size_of(a[k]);
    put_number(tr, result, 0, sum);
  });
}
/// Counted from 1; 0 where there is no element.
template <class N>
Status extreme(Handle* h, N n, const void* x, int tx, N dx, N* result, bool largest) {
  return any(h, result && (n <= 0 || x), {tx}, [=] {
    const Vector a(x, tx, dx > 0 ? n : 0, dx);
    *result = n > 0 && dx > 0 ? 1 : 0;
    for (int64_t k = 1; k < n && dx > 0; ++k) {
      const double now = size_of(a[k]), best = size_of(a[*result - 1]);
      if (largest ? now > best : now < best) *result = static_cast<N>(k + 1);
    }
  });
}

}  // namespace

#define WW_ANY(N, s)                                                                                        \
  WW_LIBRARY_API Status cublasDotEx##s(Handle* h, N n, const void* x, int tx, N dx, const void* y, int ty,  \
                                       N dy, void* result, int tr, int) {                                   \
    return dot(h, n, x, tx, dx, y, ty, dy, result, tr, false);                                              \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasDotcEx##s(Handle* h, N n, const void* x, int tx, N dx, const void* y, int ty, \
                                        N dy, void* result, int tr, int) {                                  \
    return dot(h, n, x, tx, dx, y, ty, dy, result, tr, true);                                               \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasAxpyEx##s(Handle* h, N n, const void* alpha, int ta, const void* x, int tx,   \
                                        N dx, void* y, int ty, N dy, int) {                                 \
    return axpy(h, n, alpha, ta, x, tx, dx, y, ty, dy);                                                     \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasScalEx##s(Handle* h, N n, const void* alpha, int ta, void* x, int tx, N dx,   \
                                        int) {                                                              \
    return scal(h, n, alpha, ta, x, tx, dx);                                                                \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasCopyEx##s(Handle* h, N n, const void* x, int tx, N dx, void* y, int ty,       \
                                        N dy) {                                                             \
    return copy(h, n, x, tx, dx, y, ty, dy);                                                                \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasSwapEx##s(Handle* h, N n, void* x, int tx, N dx, void* y, int ty, N dy) {     \
    return swap(h, n, x, tx, dx, y, ty, dy);                                                                \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasNrm2Ex##s(Handle* h, N n, const void* x, int tx, N dx, void* result, int tr,  \
                                        int) {                                                              \
    return norm(h, n, x, tx, dx, result, tr);                                                               \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasAsumEx##s(Handle* h, N n, const void* x, int tx, N dx, void* result, int tr,  \
                                        int) {                                                              \
    return sum_of_sizes(h, n, x, tx, dx, result, tr);                                                       \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasIamaxEx##s(Handle* h, N n, const void* x, int tx, N dx, N* result) {          \
    return extreme(h, n, x, tx, dx, result, true);                                                          \
  }                                                                                                         \
  WW_LIBRARY_API Status cublasIaminEx##s(Handle* h, N n, const void* x, int tx, N dx, N* result) {          \
    return extreme(h, n, x, tx, dx, result, false);                                                         \
  }
WW_ANY(int, )
WW_ANY(int64_t, _64)
