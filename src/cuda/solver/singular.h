// Singular values: QR, then rotations of pairs of columns until all are orthogonal (one-sided Jacobi; Golub
// and Van Loan, Matrix Computations, section 8.6). Computed in double.
#pragma once

#include <limits>
#include <numeric>

#include "cuda/solver/reflect.h"

namespace ww::solver {

template <class T>
using Wide = std::conditional_t<kComplex<T>, std::complex<double>, double>;

/// A = U diag(s) V*, m >= n; s falls. U has `left` columns (n or m), 0: neither U nor V is wanted.
template <class T>
struct Singular {
  std::vector<double> s;
  std::vector<Wide<T>> u, v;  ///< m by `left`, n by n
  bool converged = false;
};

template <class T>
Singular<T> singular(int64_t m, int64_t n, Matrix<const T> a, int64_t left) {
  using W = Wide<T>;
  const auto at = [](int64_t k) { return static_cast<size_t>(k); };
  std::vector<W> work(at(m * n)), tau(at(n)), columns(at(n * n)), turned(at(n * n));
  const Matrix<W> q{work.data(), m}, r{columns.data(), n}, v{turned.data(), n};
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) q(i, j) = W(a(i, j));
  factor_qr(m, n, q, tau.data());
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i <= j; ++i) r(i, j) = q(i, j);
    v(j, j) = W(1);
  }
  Singular<T> out;
  constexpr double kTolerance = 4 * std::numeric_limits<double>::epsilon();
  double all = 0;
  for (const W& x : columns) all += squared(x);
  const double nothing = all * kTolerance * kTolerance;  // a column of rounding errors, squared
  for (int sweep = 0; sweep < 60 && !out.converged; ++sweep) {
    out.converged = true;
    for (int64_t i = 0; i + 1 < n; ++i)
      for (int64_t j = i + 1; j < n; ++j) {
        double x = 0, y = 0;
        W xy{};
        for (int64_t k = 0; k < n; ++k) {
          x += squared(r(k, i)), y += squared(r(k, j));
          xy += conjugate(r(k, i)) * r(k, j);
        }
        const double size = std::abs(xy);
        if (size <= kTolerance * std::sqrt(x * y) || std::min(x, y) <= nothing) continue;
        out.converged = false;
        const W phase = xy / size;
        const double zeta = (y - x) / (2 * size);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        for (const Matrix<W>& both : {r, v})
          for (int64_t k = 0; k < n; ++k) {
            const W p = both(k, i), o = both(k, j) * conjugate(phase);
            both(k, i) = c * p - s * o;
            both(k, j) = s * p + c * o;
          }
      }
  }
  std::vector<double> lengths(at(n));
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += squared(r(k, j));
    lengths[at(j)] = std::sqrt(sum);
  }
  std::vector<int64_t> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return lengths[at(i)] > lengths[at(j)]; });
  for (int64_t j : order) out.s.push_back(lengths[at(j)]);
  if (!left) return out;
  out.v.resize(at(n * n)), out.u.assign(at(m * left), W{});
  const Matrix<W> u{out.u.data(), m};
  const double none = out.s.empty() ? 0 : out.s[0] * 1e-14 * double(n);
  std::vector<W> basis(at(n * n));  // the columns of R over their lengths; where a length is 0, any that fits
  const Matrix<W> b{basis.data(), n};
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[at(j)];
    std::copy(v.column(from), v.column(from) + n, out.v.data() + j * n);
    if (lengths[at(from)] > none) {
      for (int64_t k = 0; k < n; ++k) b(k, j) = r(k, from) / lengths[at(from)];
      continue;
    }
    for (int64_t unit = 0; unit < n; ++unit) {
      for (int64_t k = 0; k < n; ++k) b(k, j) = k == unit ? 1 : 0;
      for (int twice = 0; twice < 2; ++twice)
        for (int64_t o = 0; o < j; ++o) {
          W dot{};
          for (int64_t k = 0; k < n; ++k) dot += conjugate(b(k, o)) * b(k, j);
          for (int64_t k = 0; k < n; ++k) b(k, j) -= dot * b(k, o);
        }
      double length = 0;
      for (int64_t k = 0; k < n; ++k) length += squared(b(k, j));
      length = std::sqrt(length);
      if (length < 1e-3 / std::sqrt(double(n))) continue;
      for (int64_t k = 0; k < n; ++k) b(k, j) /= length;
      break;
    }
  }
  for (int64_t j = 0; j < left; ++j) {
    if (j < n) std::copy(b.column(j), b.column(j) + n, u.column(j));
    if (j >= n) u(j, j) = W(1);
  }
  apply_q(Op::None, m, left, n, Matrix<const W>{work.data(), m}, tau.data(), u);
  return out;
}

/// gesvd: of `u` and `vt`, which hold U and V*: A all columns, S the first n, O into A, N none. m >= n, as
/// cuSOLVER wants it.
template <class T>
void by_letters(signed char want_u, signed char want_vt, int64_t m, int64_t n, Matrix<T> a, Real<T>* s,
                Matrix<T> u, Matrix<T> vt, int* info) {
  const bool vectors = want_u != 'N' || want_vt != 'N';
  const int64_t left = want_u == 'A' ? m : n;
  touches(a, m, n), touches(s, n), touches_info(info);
  if (want_u != 'N' && want_u != 'O') touches(u, m, left);
  if (want_vt != 'N' && want_vt != 'O') touches(vt, n, n);
  const auto r = singular<T>(m, n, {a.data, a.lead}, vectors ? left : 0);
  for (int64_t k = 0; k < n; ++k) s[k] = static_cast<Real<T>>(r.s[static_cast<size_t>(k)]);
  *info = r.converged ? 0 : 1;
  if (want_u != 'N') {
    const Matrix<T> to = want_u == 'O' ? a : u;
    for (int64_t j = 0; j < left; ++j)
      for (int64_t i = 0; i < m; ++i) to(i, j) = T(r.u[static_cast<size_t>(i + j * m)]);
  }
  if (want_vt != 'N') {
    const Matrix<T> to = want_vt == 'O' ? a : vt;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) to(i, j) = T(conjugate(r.v[static_cast<size_t>(j + i * n)]));
  }
}

inline bool is_letter(signed char c) { return c == 'A' || c == 'S' || c == 'O' || c == 'N'; }

}  // namespace ww::solver
