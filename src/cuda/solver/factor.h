// Triangular solves, LU with partial pivoting, Cholesky: matrices by columns, in place, in their own
// precision (Golub and Van Loan, Matrix Computations, chapters 3 and 4).
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/solver/call.h"

namespace ww::solver {

/// Solves op(T) X = B for a triangular T of size n; B has `columns` columns and becomes X.
template <class T>
void solve_triangular(Fill fill, Op op, bool unit, int64_t n, int64_t columns, Matrix<const T> t,
                      Matrix<T> b) {
  in_parallel(columns, double(n) * double(n), [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      T* x = b.column(j);
      const bool forward = (fill == Fill::Lower) == (op == Op::None);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t i = forward ? k : n - 1 - k;
        const int64_t low = fill == Fill::Lower ? i + 1 : 0, high = fill == Fill::Lower ? n : i;
        const T diagonal = op == Op::Adjoint ? conjugate(t(i, i)) : t(i, i);
        if (op == Op::None) {  // by columns: what is known is subtracted from the rest
          if (!unit) x[i] /= diagonal;
          const T known = x[i];
          for (int64_t r = low; r < high; ++r) x[r] -= known * t(r, i);
          continue;
        }
        T sum = x[i];  // by rows of op(T), which are columns of T
        for (int64_t r = low; r < high; ++r) sum -= (op == Op::Adjoint ? conjugate(t(r, i)) : t(r, i)) * x[r];
        x[i] = unit ? sum : sum / diagonal;
      }
    }
  });
}

/// P A = L U; `pivots` from 1 (null: without exchanges). Returns 0, or k where U(k, k) (from 1) is the first
/// zero.
template <class T, class Pivot>
int factor_lu(int64_t m, int64_t n, Matrix<T> a, Pivot* pivots) {
  constexpr int64_t kBlock = 64;
  int info = 0;
  const int64_t all = std::min(m, n);
  for (int64_t k0 = 0; k0 < all; k0 += kBlock) {
    const int64_t k1 = std::min(k0 + kBlock, all);
    for (int64_t k = k0; k < k1; ++k) {  // the panel
      int64_t p = k;
      if (pivots) {
        for (int64_t i = k + 1; i < m; ++i)
          if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
        pivots[k] = static_cast<Pivot>(p + 1);
        if (p != k)
          for (int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(p, j));
      }
      if (a(k, k) == T{}) {
        if (!info) info = static_cast<int>(k + 1);
        continue;
      }
      const T inverse = T(1) / a(k, k);
      for (int64_t i = k + 1; i < m; ++i) a(i, k) *= inverse;
      for (int64_t j = k + 1; j < k1; ++j) {
        const T u = a(k, j);
        for (int64_t i = k + 1; i < m; ++i) a(i, j) -= a(i, k) * u;
      }
    }
    in_parallel(n - k1, double(m - k0) * double(kBlock), [&](int64_t first, int64_t end) {
      for (int64_t j = k1 + first; j < k1 + end; ++j)
        for (int64_t k = k0; k < k1; ++k) {
          const T u = a(k, j);
          for (int64_t i = k + 1; i < m; ++i) a(i, j) -= a(i, k) * u;
        }
    });
  }
  return info;
}

/// Solves op(A) X = B with what factor_lu left.
template <class T, class Pivot>
void solve_lu(Op op, int64_t n, int64_t columns, Matrix<const T> a, const Pivot* pivots, Matrix<T> b) {
  const auto exchange = [&](int64_t k) {
    const int64_t p = pivots ? static_cast<int64_t>(pivots[k]) - 1 : k;
    if (p != k)
      for (int64_t j = 0; j < columns; ++j) std::swap(b(k, j), b(p, j));
  };
  if (op == Op::None) {
    for (int64_t k = 0; k < n; ++k) exchange(k);
    solve_triangular(Fill::Lower, op, true, n, columns, a, b);
    solve_triangular(Fill::Upper, op, false, n, columns, a, b);
    return;
  }
  solve_triangular(Fill::Upper, op, false, n, columns, a, b);
  solve_triangular(Fill::Lower, op, true, n, columns, a, b);
  for (int64_t k = n; k-- > 0;) exchange(k);
}

/// A = L L* or U* U, of the triangle that `fill` names; the other one is left alone. Returns 0, or k where
/// the leading minor of order k is not positive.
template <class T>
int factor_cholesky(Fill fill, int64_t n, Matrix<T> a) {
  // By columns of L: its element (i, j) is a(i, j), or the conjugate of a(j, i).
  std::vector<T> lower(static_cast<size_t>(n * n));
  const Matrix<T> l{lower.data(), n};
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) l(i, j) = fill == Fill::Lower ? a(i, j) : conjugate(a(j, i));
  int info = 0;
  constexpr int64_t kBlock = 64;
  int64_t done = 0;
  for (int64_t k0 = 0; k0 < n && !info; k0 += kBlock) {
    const int64_t k1 = std::min(k0 + kBlock, n);
    for (int64_t k = k0; k < k1; ++k) {
      const Real<T> d = real_part(l(k, k));
      if (!(d > 0)) {
        info = static_cast<int>(k + 1);
        break;
      }
      const Real<T> root = std::sqrt(d);
      l(k, k) = root;
      for (int64_t i = k + 1; i < n; ++i) l(i, k) /= root;
      for (int64_t j = k + 1; j < k1; ++j) {
        const T factor = conjugate(l(j, k));
        for (int64_t i = j; i < n; ++i) l(i, j) -= l(i, k) * factor;
      }
      done = k + 1;
    }
    if (info) break;
    in_parallel(n - k1, double(n - k0) * double(kBlock), [&](int64_t first, int64_t end) {
      for (int64_t j = k1 + first; j < k1 + end; ++j)
        for (int64_t k = k0; k < k1; ++k) {
          const T factor = conjugate(l(j, k));
          for (int64_t i = j; i < n; ++i) l(i, j) -= l(i, k) * factor;
        }
    });
  }
  for (int64_t j = 0; j < (info ? done : n); ++j)
    for (int64_t i = j; i < n; ++i)
      (fill == Fill::Lower ? a(i, j) : a(j, i)) = fill == Fill::Lower ? l(i, j) : conjugate(l(i, j));
  return info;
}

template <class T>
void solve_cholesky(Fill fill, int64_t n, int64_t columns, Matrix<const T> a, Matrix<T> b) {
  solve_triangular(fill, fill == Fill::Lower ? Op::None : Op::Adjoint, false, n, columns, a, b);
  solve_triangular(fill, fill == Fill::Lower ? Op::Adjoint : Op::None, false, n, columns, a, b);
}

}  // namespace ww::solver
