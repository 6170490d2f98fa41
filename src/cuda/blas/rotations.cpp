// cuBLAS: rotations of the plane, plain and modified (Lawson et al., "Basic Linear Algebra Subprograms for
// Fortran Usage", 1979, whose conventions cuBLAS follows).
#include <array>
#include <cmath>

#include "cuda/blas/call.h"
#include "cuda/blas/stored.h"

using namespace ww::blas;

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

/// (a, b) turned to (r, 0). Of b is left z, from which c and s can be had again.
template <class T>
Status make(Handle* h, T* a, T* b, T* c, T* s) {
  return checked(h, a && b && c && s, [=] {
    const T sign = std::abs(*a) > std::abs(*b) ? *a : *b, scale = std::abs(*a) + std::abs(*b);
    if (scale == 0) {
      *c = 1, *s = *a = *b = 0;
      return;
    }
    const T r = std::copysign(scale * std::hypot(*a / scale, *b / scale), sign);
    *c = *a / r, *s = *b / r;
    *b = std::abs(*a) > std::abs(*b) ? *s : *c != 0 ? 1 / *c : T(1);
    *a = r;
  });
}
template <class T>
Status make_complex(Handle* h, std::complex<T>* a, const std::complex<T>* b, T* c, std::complex<T>* s) {
  return checked(h, a && b && c && s, [=] {
    const T size = std::abs(*a);
    if (size == 0) {
      *c = 0, *s = 1, *a = *b;
      return;
    }
    const T norm = std::hypot(size, std::abs(*b));
    const std::complex<T> direction = *a / size;
    *c = size / norm, *s = direction * std::conj(*b) / norm;
    *a = direction * norm;
  });
}
template <class T, class S, class R>
Status turn(Handle* h, int n, T* x, int dx, T* y, int dy, const R* c, const S* s) {
  if (Status wrong = ready(h, c && s); wrong != Status::Success) return wrong;
  return checked(h, n <= 0 || (x && y), [=, first = scalar(h, c), second = scalar(h, s)] {
    const R cosine = first();
    const S sine = second();
    if (n <= 0) return;
    T *a = begin(x, n, dx), *b = begin(y, n, dy);
    for (int64_t k = 0; k < n; ++k) {
      const T was = a[k * dx];
      a[k * dx] = cosine * was + sine * b[k * dy];
      b[k * dy] = cosine * b[k * dy] - conjugate(sine) * was;
    }
  });
}
/// The modified rotation: param[0] says which of the four others count; the rest of the matrix are ones.
template <class T>
Status turn_modified(Handle* h, int n, T* x, int dx, T* y, int dy, const T* param) {
  if (Status wrong = ready(h, param); wrong != Status::Success) return wrong;
  return checked(h, n <= 0 || (x && y),
                 [=, kept = scalar(h, reinterpret_cast<const std::array<T, 5>*>(param))] {
                   const auto [flag, p, q, r, t] = kept();
                   if (flag == -2 || n <= 0) return;
                   const T h11 = flag == 0 ? T(1) : p, h22 = flag == 0 ? T(1) : t;
                   const T h21 = flag == 1 ? T(-1) : q, h12 = flag == 1 ? T(1) : r;
                   T *a = begin(x, n, dx), *b = begin(y, n, dy);
                   for (int64_t k = 0; k < n; ++k) {
                     const T was = a[k * dx];
                     a[k * dx] = h11 * was + h12 * b[k * dy];
                     b[k * dy] = h21 * was + h22 * b[k * dy];
                   }
                 });
}
/// The modified rotation that makes the second component of (sqrt(d1) x1, sqrt(d2) y1) zero. d1 and d2 are
/// kept within 4096 squared of one.
template <class T>
Status make_modified(Handle* h, T* d1, T* d2, T* x1, const T* y1, T* param) {
  return checked(h, d1 && d2 && x1 && y1 && param, [=] {
    T h11 = 0, h12 = 0, h21 = 0, h22 = 0, flag;
    const auto give_up = [&] {
      flag = -1, h11 = h12 = h21 = h22 = 0;
      *d1 = *d2 = *x1 = 0;
    };
    const T p2 = *d2 * *y1, p1 = *d1 * *x1, q2 = p2 * *y1, q1 = p1 * *x1;
    if (*d1 < 0) {
      give_up();
    } else if (p2 == 0) {
      param[0] = -2;
      return;
    } else if (std::abs(q1) > std::abs(q2)) {
      h21 = -*y1 / *x1, h12 = p2 / p1;
      const T u = 1 - h12 * h21;
      flag = 0;
      if (u > 0)
        *d1 /= u, *d2 /= u, *x1 *= u;
      else
        give_up();
    } else if (q2 < 0) {
      give_up();
    } else {
      flag = 1;
      h11 = p1 / p2, h22 = *x1 / *y1;
      const T u = 1 + h11 * h22, was = *d1;
      *d1 = *d2 / u, *d2 = was / u, *x1 = *y1 * u;
    }
    const T large = 4096;
    const auto make_whole = [&] {
      if (flag == 0) h11 = h22 = 1;
      if (flag > 0) h21 = -1, h12 = 1;
      flag = -1;
    };
    while (*d1 != 0 && (*d1 <= 1 / (large * large) || *d1 >= large * large)) {
      make_whole();
      const bool small = *d1 <= 1 / (large * large);
      const T f = small ? large : 1 / large;
      *d1 *= f * f, *x1 /= f, h11 /= f, h12 /= f;
    }
    while (*d2 != 0 && (std::abs(*d2) <= 1 / (large * large) || std::abs(*d2) >= large * large)) {
      make_whole();
      const T f = std::abs(*d2) <= 1 / (large * large) ? large : 1 / large;
      *d2 *= f * f, h21 /= f, h22 /= f;
    }
    param[0] = flag;
    if (flag <= 0) param[2] = h21, param[3] = h12;
    if (flag != 0) param[1] = h11, param[4] = h22;
  });
}

}  // namespace

#define WW_ROTATIONS(L, T)                                                                                 \
  WW_LIBRARY_API Status cublas##L##rotg_v2(Handle* h, T* a, T* b, T* c, T* s) {                            \
    return make(h, a, b, c, s);                                                                            \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##rotm_v2(Handle* h, int n, T* x, int dx, T* y, int dy, const T* param) { \
    return turn_modified(h, n, x, dx, y, dy, param);                                                       \
  }                                                                                                        \
  WW_LIBRARY_API Status cublas##L##rotmg_v2(Handle* h, T* d1, T* d2, T* x1, const T* y1, T* param) {       \
    return make_modified(h, d1, d2, x1, y1, param);                                                        \
  }
WW_ROTATIONS(S, float)
WW_ROTATIONS(D, double)
#define WW_COMPLEX_ROTATIONS(L, real, T, R)                                                               \
  WW_LIBRARY_API Status cublas##L##rotg_v2(Handle* h, T* a, T* b, R* c, T* s) {                           \
    return make_complex(h, a, b, c, s);                                                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##L##rot_v2(Handle* h, int n, T* x, int dx, T* y, int dy, const R* c,       \
                                          const T* s) {                                                   \
    return turn(h, n, x, dx, y, dy, c, s);                                                                \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##L##real##rot_v2(Handle* h, int n, T* x, int dx, T* y, int dy, const R* c, \
                                                const R* s) {                                             \
    return turn(h, n, x, dx, y, dy, c, s);                                                                \
  }
WW_COMPLEX_ROTATIONS(C, s, C, float)
WW_COMPLEX_ROTATIONS(Z, d, Z, double)

/// Of vectors of any type; computed in double precision.
WW_LIBRARY_API Status cublasRotEx(Handle* h, int n, void* x, int tx, int dx, void* y, int ty, int dy,
                                  const void* c, const void* s, int ts, int) {
  if (Status wrong = ready(h, c && s && (n <= 0 || (x && y))); wrong != Status::Success) return wrong;
  for (int t : {tx, ty, ts})
    if (!is_type(t)) return unsupported("cublasRotEx of " + type_name(t));
  return submit(*h, [=, cosine = number_at(ts, c, 0), sine = number_at(ts, s, 0)] {
    const int64_t from = dx < 0 ? int64_t{1 - n} * dx : 0, to = dy < 0 ? int64_t{1 - n} * dy : 0;
    if (n <= 0) return;
    ww::stubs::touches_bytes(x, ((n - 1) * std::abs(int64_t{dx}) + 1) * int64_t(type_bytes(tx)), true);
    ww::stubs::touches_bytes(y, ((n - 1) * std::abs(int64_t{dy}) + 1) * int64_t(type_bytes(ty)), true);
    for (int64_t k = 0; k < n; ++k) {
      const Z a = number_at(tx, x, from + k * dx), b = number_at(ty, y, to + k * dy);
      put_number(tx, x, from + k * dx, cosine * a + sine * b);
      put_number(ty, y, to + k * dy, cosine * b - std::conj(sine) * a);
    }
  });
}
