// Sparse Cholesky, row by row, and its solves. Reads the lower triangle.
#pragma once

#include <cmath>

#include "cuda/solver/sparse_matrix.h"

namespace ww::solver {

/// A = L Lᴴ.
template <class T>
struct SparseCholesky {
  Sparse<T> columns;  ///< of L below the diagonal: "row" k is column k
  std::vector<T> diagonal;
  int n = 0;
  int bad = -1;  ///< the first row whose square is not positive

  static SparseCholesky factor(const Sparse<T>& a) {
    const int n = a.rows;
    SparseCholesky f;
    f.n = n, f.diagonal.assign(slot(n), T{});
    std::vector<int> parent(slot(n), -1), seen(slot(n), -1), path, row;
    std::vector<std::vector<std::pair<int, T>>> below(slot(n));
    std::vector<T> x(slot(n));
    for (int i = 0; i < n; ++i) {
      row.clear();  // where row i of L is not zero: paths in the elimination tree
      seen[slot(i)] = i;
      Real<T> square = 0;
      for (int k = a.begin(i); k < a.end(i); ++k) {
        const int j = a.inner[slot(k)];
        if (j == i) square = real_part(a.values[slot(k)]);
        if (j >= i) continue;
        x[slot(j)] = conjugate(a.values[slot(k)]);
        for (int t = j; seen[slot(t)] != i; t = parent[slot(t)]) {
          if (parent[slot(t)] < 0) parent[slot(t)] = i;
          row.push_back(t), seen[slot(t)] = i;
        }
      }
      std::sort(row.begin(), row.end());
      for (int j : row) {
        const T known = x[slot(j)] / conjugate(f.diagonal[slot(j)]);
        x[slot(j)] = T{};
        for (const auto& [r, value] : below[slot(j)])
          if (r < i) x[slot(r)] -= value * known;
        square -= squared(known);
        below[slot(j)].emplace_back(i, conjugate(known));
      }
      if (!(square > 0) && f.bad < 0) f.bad = i;
      f.diagonal[slot(i)] = square > 0 ? T(std::sqrt(square)) : T{};
    }
    for (const auto& column : below) {
      for (const auto& [r, value] : column) f.columns.add(r, value);
      f.columns.end_row();
    }
    return f;
  }
  int zero_pivot(double tolerance) const {
    for (int k = 0; k < n; ++k)
      if (k == bad || !(std::abs(diagonal[slot(k)]) > tolerance)) return k;
    return -1;
  }
  void solve(const T* b, T* x) const {
    std::vector<T> y(b, b + n);
    for (int k = 0; k < n; ++k) {
      y[slot(k)] /= diagonal[slot(k)];
      for (int s = columns.begin(k); s < columns.end(k); ++s)
        y[slot(columns.inner[slot(s)])] -= columns.values[slot(s)] * y[slot(k)];
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int s = columns.begin(k); s < columns.end(k); ++s)
        y[slot(k)] -= conjugate(columns.values[slot(s)]) * y[slot(columns.inner[slot(s)])];
      y[slot(k)] /= conjugate(diagonal[slot(k)]);
    }
    std::copy(y.begin(), y.end(), x);
  }
};

}  // namespace ww::solver
