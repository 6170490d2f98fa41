// Symmetric matrices that need not be definite: L D L^T with the pivoting of Bunch and Kaufman (Golub and Van
// Loan, Matrix Computations, 4.4.4), stored as LAPACK and cuSOLVER do: D has blocks of one and two rows, and
// the exchanges are not carried out in the columns of L that came before.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "cuda/solver/call.h"

namespace ww::solver {

/// The triangle that `fill` names as a lower one. The upper triangle is factored from its last column on, so
/// it is the lower one with its indices turned round.
template <class T>
struct Triangle {
  Matrix<T> a;
  int64_t n;
  bool upper;
  T& operator()(int64_t i, int64_t j) const { return a(place(i), place(j)); }
  /// The row of the matrix, and back.
  int64_t place(int64_t i) const { return upper ? n - 1 - i : i; }
};

/// Which rows a step takes: `size` of them from k on, the last of which was exchanged with `other`.
struct SymmetricStep {
  int64_t size = 1, other = 0;
};

template <class T>
SymmetricStep choose_pivot(const Triangle<T>& a, int64_t k) {
  const Real<T> alpha = (1 + std::sqrt(Real<T>(17))) / 8;
  const auto size_of = [&](int64_t i, int64_t j) { return std::abs(a(std::max(i, j), std::min(i, j))); };
  const Real<T> diagonal = size_of(k, k);
  int64_t largest = k;
  for (int64_t i = k + 1; i < a.n; ++i)
    if (largest == k || size_of(i, k) > size_of(largest, k)) largest = i;
  if (largest == k) return {1, k};
  const Real<T> column = size_of(largest, k);
  if (diagonal >= alpha * column) return {1, k};
  Real<T> row = 0;  // the largest of its row besides the diagonal
  for (int64_t j = k; j < a.n; ++j)
    if (j != largest) row = std::max(row, size_of(largest, j));
  if (diagonal * row >= alpha * column * column) return {1, k};
  return {size_of(largest, largest) >= alpha * row ? 1 : 2, largest};
}

/// Exchanges rows and columns p < q of what is left from row k on.
template <class T>
void exchange(const Triangle<T>& a, int64_t k, int64_t p, int64_t q) {
  if (p == q) return;
  for (int64_t j = k; j < p; ++j) std::swap(a(p, j), a(q, j));
  for (int64_t j = p + 1; j < q; ++j) std::swap(a(j, p), a(q, j));
  for (int64_t i = q + 1; i < a.n; ++i) std::swap(a(i, p), a(i, q));
  std::swap(a(p, p), a(q, q));
}

/// x D = (x0, x1) for a block of two rows of D.
template <class T>
std::pair<T, T> divide(const Triangle<T>& a, int64_t k, T x0, T x1) {
  // By the element off the diagonal, which is the largest of the block.
  const T off = a(k + 1, k), d0 = a(k, k) / off, d1 = a(k + 1, k + 1) / off;
  const T scale = T(1) / (d0 * d1 - T(1)) / off;
  return {(d1 * x0 - x1) * scale, (d0 * x1 - x0) * scale};
}

/// `pivots` as in the manual of cusolverDn<t>sytrf; null: none is looked for. Returns 0, or k where D(k, k)
/// (from 1) is zero.
template <class T>
int factor_symmetric(Fill fill, int64_t n, Matrix<T> matrix, int* pivots) {
  const Triangle<T> a{matrix, n, fill == Fill::Upper};
  int info = 0;
  for (int64_t k = 0; k < n;) {
    const SymmetricStep step = pivots ? choose_pivot(a, k) : SymmetricStep{1, k};
    const int64_t last = k + step.size - 1, next = k + step.size;
    exchange(a, k, last, step.other);
    const int pivot = static_cast<int>(a.place(step.other)) + 1;
    for (int64_t i = k; pivots && i < next; ++i) pivots[a.place(i)] = step.size == 1 ? pivot : -pivot;
    if (step.size == 1 && a(k, k) == T{}) {
      if (!info) info = static_cast<int>(a.place(k) + 1);
      k = next;
      continue;
    }
    in_parallel(n - next, double(n - next) * 2, [&](int64_t first, int64_t end) {
      for (int64_t j = next + first; j < next + end; ++j) {
        const auto [l0, l1] =
            step.size == 1 ? std::pair<T, T>(a(j, k) / a(k, k), T{}) : divide<T>(a, k, a(j, k), a(j, k + 1));
        for (int64_t i = j; i < n; ++i)
          a(i, j) -= step.size == 1 ? a(i, k) * l0 : a(i, k) * l0 + a(i, k + 1) * l1;
      }
    });
    for (int64_t i = next; i < n; ++i)
      if (step.size == 1)
        a(i, k) /= a(k, k);
      else
        std::tie(a(i, k), a(i, k + 1)) = divide<T>(a, k, a(i, k), a(i, k + 1));
    k = next;
  }
  return info;
}

/// Solves A X = B with what factor_symmetric left.
template <class T, class Pivot>
void solve_symmetric(Fill fill, int64_t n, int64_t columns, Matrix<T> matrix, const Pivot* pivots,
                     Matrix<T> b) {
  const Triangle<T> a{matrix, n, fill == Fill::Upper};
  const auto step_at = [&](int64_t k) -> SymmetricStep {
    if (!pivots) return {1, k};
    const int64_t p = pivots[a.place(k)];
    return {p > 0 ? 1 : 2, a.place(std::abs(p) - 1)};
  };
  std::vector<int64_t> starts;
  for (int64_t k = 0; k < n; k += step_at(k).size) starts.push_back(k);
  in_parallel(columns, double(n) * double(n), [&](int64_t first, int64_t end) {
    for (int64_t column = first; column < end; ++column) {
      const auto x = [&](int64_t i) -> T& { return b(a.place(i), column); };
      for (const int64_t k : starts) {
        const SymmetricStep step = step_at(k);
        std::swap(x(k + step.size - 1), x(step.other));
        for (int64_t d = k; d < k + step.size; ++d)
          for (int64_t i = k + step.size; i < n; ++i) x(i) -= a(i, d) * x(d);
        if (step.size == 1)
          x(k) /= a(k, k);
        else
          std::tie(x(k), x(k + 1)) = divide<T>(a, k, x(k), x(k + 1));
      }
      for (auto k = starts.rbegin(); k != starts.rend(); ++k) {
        const SymmetricStep step = step_at(*k);
        for (int64_t d = *k; d < *k + step.size; ++d)
          for (int64_t i = *k + step.size; i < n; ++i) x(d) -= a(i, d) * x(i);
        std::swap(x(*k + step.size - 1), x(step.other));
      }
    }
  });
}

}  // namespace ww::solver
