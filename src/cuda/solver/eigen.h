// Eigenvalues of symmetric and Hermitian matrices: reflections to tridiagonal form, then the QL algorithm
// with implicit shifts (Golub and Van Loan, Matrix Computations, chapter 8).
#pragma once

#include <limits>
#include <numeric>

#include "cuda/solver/reflect.h"

namespace ww::solver {

/// Of a tridiagonal matrix with diagonal d and off-diagonal e (e[k] between k and k + 1): d becomes the
/// eigenvalues, unordered; the columns of q are turned along (null: not wanted). False: no convergence.
template <class R, class T>
bool diagonalize(std::vector<R>& d, std::vector<R>& e, T* q, int64_t rows) {
  const auto n = static_cast<int64_t>(d.size());
  const auto at = [](int64_t k) { return static_cast<size_t>(k); };
  e.resize(at(n), 0);
  for (int64_t l = 0; l < n; ++l)
    for (int tries = 0;; ++tries) {
      int64_t m = l;
      for (; m + 1 < n; ++m)
        if (std::abs(e[at(m)]) <=
            std::numeric_limits<R>::epsilon() * (std::abs(d[at(m)]) + std::abs(d[at(m + 1)])))
          break;
      if (m == l) break;
      if (tries == 60) return false;
      R g = (d[at(l + 1)] - d[at(l)]) / (2 * e[at(l)]);
      R r = std::hypot(g, R(1));
      g = d[at(m)] - d[at(l)] + e[at(l)] / (g + std::copysign(r, g));
      R s = 1, c = 1, p = 0;
      int64_t i = m - 1;
      for (; i >= l; --i) {
        R f = s * e[at(i)];
        const R b = c * e[at(i)];
        r = std::hypot(f, g);
        e[at(i + 1)] = r;
        if (r == 0) {  // it falls apart here
          d[at(i + 1)] -= p;
          e[at(m)] = 0;
          break;
        }
        s = f / r, c = g / r;
        g = d[at(i + 1)] - p;
        r = (d[at(i)] - g) * s + 2 * c * b;
        p = s * r;
        d[at(i + 1)] = g + p;
        g = c * r - b;
        if (q) {
          T *left = q + i * rows, *right = left + rows;
          for (int64_t k = 0; k < rows; ++k) {
            const T x = right[k];
            right[k] = left[k] * T(s) + x * T(c);
            left[k] = left[k] * T(c) - x * T(s);
          }
        }
      }
      if (r == 0 && i >= l) continue;
      d[at(l)] -= p;
      e[at(l)] = g;
      e[at(m)] = 0;
    }
  return true;
}

/// Eigenvalues in rising order into w, vectors (if wanted) into the columns of a, whose triangle `fill` is
/// read. Returns 0, or 1 where it does not converge. Computed in double.
template <class T>
int eigen(bool vectors, Fill fill, int64_t n, Matrix<T> a, Real<T>* w) {
  using W = std::conditional_t<kComplex<T>, std::complex<double>, double>;
  const auto at = [](int64_t k) { return static_cast<size_t>(k); };
  std::vector<W> full(at(n * n)), tau(at(n));
  const Matrix<W> s{full.data(), n};
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      const W v = fill == Fill::Lower ? W(a(i, j)) : conjugate(W(a(j, i)));
      s(i, j) = v, s(j, i) = conjugate(v);
      if (i == j) s(i, i) = real_part(v);
    }
  std::vector<double> d(at(n)), e(at(n), 0);
  for (int64_t k = 0; k + 1 < n; ++k) {  // H* S H, where H reflects the column below the diagonal
    W* x = s.column(k) + k + 1;
    const int64_t rest = n - k - 1;
    const W t = tau[at(k)] = reflection(rest, x);
    e[at(k)] = real_part(x[0]);
    if (t == W{}) continue;
    const Matrix<W> below = s.at(k + 1, k + 1);
    reflect(rest, x, conjugate(t), rest, below);  // from the left; then from the right
    std::vector<W> sums(at(rest));
    for (int64_t j = 0; j < rest; ++j) {
      const W v = j ? x[j] : W(1);
      for (int64_t i = 0; i < rest; ++i) sums[at(i)] += below(i, j) * v;
    }
    for (int64_t j = 0; j < rest; ++j) {
      const W v = t * conjugate(j ? x[j] : W(1));
      for (int64_t i = 0; i < rest; ++i) below(i, j) -= sums[at(i)] * v;
    }
  }
  for (int64_t k = 0; k < n; ++k) d[at(k)] = real_part(s(k, k));
  std::vector<W> q;
  if (vectors) {  // Q = H1 H2 …, which leave the first row alone
    q.assign(at(n * n), W{});
    const Matrix<W> m{q.data(), n};
    for (int64_t j = 0; j < n; ++j) m(j, j) = W(1);
    for (int64_t k = n - 2; k >= 0; --k)
      reflect(n - k - 1, s.column(k) + k + 1, tau[at(k)], n - k - 1, m.at(k + 1, k + 1));
  }
  if (!diagonalize(d, e, vectors ? q.data() : nullptr, n)) return 1;
  std::vector<int64_t> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return d[at(i)] < d[at(j)]; });
  for (int64_t j = 0; j < n; ++j) {
    w[j] = static_cast<Real<T>>(d[at(order[at(j)])]);
    if (vectors)
      for (int64_t i = 0; i < n; ++i) a(i, j) = T(q[at(i + order[at(j)] * n)]);
  }
  return 0;
}

}  // namespace ww::solver
