// Sparse LU with partial pivoting, column by column (Gilbert and Peierls 1988), and its solves.
#pragma once

#include <cmath>

#include "cuda/solver/sparse_matrix.h"

namespace ww::solver {

/// P A = L U: row i of P A is row rows[i] of A. L without its ones.
template <class T>
struct SparseLu {
  Sparse<T> lower, upper;  ///< by columns: "row" k is column k; upper's last value is the diagonal
  std::vector<int> rows;
  int n = 0;

  /// `at` is A by columns. A diagonal value is taken as the pivot where it is at least `threshold` times the
  /// largest of its column.
  static SparseLu factor(const Sparse<T>& at, double threshold) {
    const int n = at.rows;
    SparseLu f;
    f.n = n, f.lower.rows = f.upper.rows = f.lower.columns = f.upper.columns = n;
    std::vector<int> place(slot(n), -1), path, stack, next(slot(n)), seen(slot(n), -1);
    std::vector<T> x(slot(n));
    for (int k = 0; k < n; ++k) {
      path.clear();
      const auto reach = [&](int i) {
        seen[slot(i)] = k, next[slot(i)] = place[slot(i)] < 0 ? 0 : f.lower.begin(place[slot(i)]);
        stack.push_back(i);
      };
      for (int s = at.begin(k); s < at.end(k); ++s) {  // what column k can reach, each behind what it reaches
        if (seen[slot(at.inner[slot(s)])] != k) reach(at.inner[slot(s)]);
        while (!stack.empty()) {
          const int i = stack.back(), end = place[slot(i)] < 0 ? 0 : f.lower.end(place[slot(i)]);
          int& to = next[slot(i)];
          while (to < end && seen[slot(f.lower.inner[slot(to)])] == k) ++to;
          if (to < end) {
            reach(f.lower.inner[slot(to++)]);
          } else {
            stack.pop_back();
            path.push_back(i);
          }
        }
      }
      for (int s = at.begin(k); s < at.end(k); ++s) x[slot(at.inner[slot(s)])] = at.values[slot(s)];
      std::vector<std::pair<int, T>> above;
      for (auto i = path.rbegin(); i != path.rend(); ++i) {
        const int column = place[slot(*i)];
        if (column < 0) continue;
        const T known = x[slot(*i)];
        above.emplace_back(column, known);
        for (int s = f.lower.begin(column); s < f.lower.end(column); ++s)
          x[slot(f.lower.inner[slot(s)])] -= f.lower.values[slot(s)] * known;
      }
      int pivot = -1;
      Real<T> largest{-1};
      for (int i : path)
        if (place[slot(i)] < 0 && std::abs(x[slot(i)]) > largest) largest = std::abs(x[slot(i)]), pivot = i;
      if (seen[slot(k)] == k && place[slot(k)] < 0 && std::abs(x[slot(k)]) >= threshold * largest) pivot = k;
      if (pivot < 0)  // an empty column: any row that is left
        pivot = static_cast<int>(std::find(place.begin(), place.end(), -1) - place.begin());
      std::sort(above.begin(), above.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [row, value] : above) f.upper.add(row, value);
      const T diagonal = x[slot(pivot)];
      f.upper.add(k, diagonal), f.upper.end_row();
      place[slot(pivot)] = k, f.rows.push_back(pivot);
      for (int i : path) {
        if (place[slot(i)] < 0 && diagonal != T{}) f.lower.add(i, x[slot(i)] / diagonal);
        x[slot(i)] = T{};
      }
      f.lower.end_row();
    }
    for (int& i : f.lower.inner) i = place[slot(i)];  // from rows of A to rows of P A
    return f;
  }
  /// The first k with |U(k, k)| <= tolerance, or −1.
  int zero_pivot(double tolerance) const {
    for (int k = 0; k < n; ++k)
      if (!(std::abs(upper.values[slot(upper.end(k) - 1)]) > tolerance)) return k;
    return -1;
  }
  void solve(const T* b, T* x) const {
    std::vector<T> y(slot(n));
    for (int i = 0; i < n; ++i) y[slot(i)] = b[rows[slot(i)]];
    for (int k = 0; k < n; ++k)
      for (int s = lower.begin(k); s < lower.end(k); ++s)
        y[slot(lower.inner[slot(s)])] -= lower.values[slot(s)] * y[slot(k)];
    for (int k = n - 1; k >= 0; --k) {
      y[slot(k)] /= upper.values[slot(upper.end(k) - 1)];
      for (int s = upper.begin(k); s < upper.end(k) - 1; ++s)
        y[slot(upper.inner[slot(s)])] -= upper.values[slot(s)] * y[slot(k)];
    }
    std::copy(y.begin(), y.end(), x);
  }
};

}  // namespace ww::solver
