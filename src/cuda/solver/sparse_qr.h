// Sparse QR by rotations of rows (George and Heath 1980), and its solves; least squares where there are more
// rows than columns.
#pragma once

#include <cmath>

#include "cuda/solver/sparse_matrix.h"

namespace ww::solver {

/// R = Qᴴ A; Q is kept as the rotations that made R.
template <class T>
struct SparseQr {
  struct Rotation {
    int row, with;  ///< row `row` of A, with row `with` of R
    Real<T> cosine;
    T sine;
  };
  std::vector<std::vector<std::pair<int, T>>> r;  ///< rows, the diagonal first; an empty one is zero
  std::vector<Rotation> rotations;                ///< cosine < 0: the row becomes R's
  int rows = 0, columns = 0;

  static SparseQr factor(const Sparse<T>& a, T shift = T{}) {
    SparseQr f;
    f.rows = a.rows, f.columns = a.columns, f.r.resize(slot(a.columns));
    std::vector<std::pair<int, T>> row, rest, top;
    for (int i = 0; i < a.rows; ++i) {
      row.clear();
      bool diagonal = shift == T{};
      for (int k = a.begin(i); k < a.end(i); ++k) {
        const int j = a.inner[slot(k)];
        if (!diagonal && j > i) row.emplace_back(i, -shift), diagonal = true;
        row.emplace_back(j, a.values[slot(k)] - (j == i ? shift : T{}));
        diagonal = diagonal || j == i;
      }
      if (!diagonal && i < a.columns) row.emplace_back(i, -shift);
      while (!row.empty()) {
        const int j = row.front().first;
        if (row.front().second == T{}) {
          row.erase(row.begin());
          continue;
        }
        auto& upper = f.r[slot(j)];
        if (upper.empty()) {
          f.rotations.push_back({i, j, -1, T{}});
          upper.swap(row);
          break;
        }
        f.rotate(i, j, row, top, rest);
        upper.swap(top), row.swap(rest);
      }
    }
    return f;
  }
  int zero_pivot(double tolerance) const {
    for (int k = 0; k < columns; ++k)
      if (r[slot(k)].empty() || !(std::abs(r[slot(k)].front().second) > tolerance)) return k;
    return -1;
  }
  /// b has `rows` values, x `columns`.
  void solve(const T* b, T* x) const {
    std::vector<T> beta(b, b + rows), y(slot(columns));
    for (const auto& t : rotations) {
      T &low = beta[slot(t.row)], &high = y[slot(t.with)];
      if (t.cosine < 0) {
        high = low, low = T{};
        continue;
      }
      const T turned = high * t.cosine + low * conjugate(t.sine);
      low = low * t.cosine - high * t.sine;
      high = turned;
    }
    for (int k = columns - 1; k >= 0; --k) {
      const auto& row = r[slot(k)];
      if (row.empty()) {  // singular
        y[slot(k)] = T{};
        continue;
      }
      for (size_t s = 1; s < row.size(); ++s) y[slot(k)] -= row[s].second * y[slot(row[s].first)];
      y[slot(k)] /= row.front().second;
    }
    std::copy(y.begin(), y.end(), x);
  }

 private:
  /// Makes the first value of `low`, in column j, zero: the new rows are `top` and `rest`.
  void rotate(int i, int j, const std::vector<std::pair<int, T>>& low, std::vector<std::pair<int, T>>& top,
              std::vector<std::pair<int, T>>& rest) {
    const auto& high = r[slot(j)];
    const T p = high.front().second, q = low.front().second;
    const Real<T> length = std::hypot(std::abs(p), std::abs(q));
    // With c real: [c s*; −s c] (p; q) = (…; 0), so s = c q / p; where p is zero the rows change places.
    const Real<T> c = std::abs(p) / length;
    const T s = std::abs(p) > 0 ? q / p * c : T(1);
    rotations.push_back({i, j, c, s});
    top.clear(), rest.clear();
    size_t a = 0, b = 0;
    while (a < high.size() || b < low.size()) {
      const int column =
          std::min(a < high.size() ? high[a].first : columns, b < low.size() ? low[b].first : columns);
      const T u = a < high.size() && high[a].first == column ? high[a++].second : T{};
      const T v = b < low.size() && low[b].first == column ? low[b++].second : T{};
      top.emplace_back(column, u * c + v * conjugate(s));
      if (column != j) rest.emplace_back(column, v * c - u * s);
    }
  }
};

}  // namespace ww::solver
