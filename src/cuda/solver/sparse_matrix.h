// Sparse matrices of cuSOLVER's sparse part: by rows, counted from 0, columns rising within a row.
#pragma once

#include <algorithm>
#include <numeric>

#include "cuda/solver/call.h"
#include "cuda/sparse/types.h"

namespace ww::solver {

/// cusparseMatDescr_t, which libcusparse makes.
using ww::sparse::Description;

inline size_t slot(int64_t k) { return static_cast<size_t>(k); }

/// Where a matrix is not zero.
struct Pattern {
  int rows = 0, columns = 0;
  std::vector<int> offsets{0}, inner;
  int begin(int row) const { return offsets[slot(row)]; }
  int end(int row) const { return offsets[slot(row) + 1]; }
  int count() const { return static_cast<int>(inner.size()); }
};

template <class T>
struct Sparse : Pattern {
  std::vector<T> values;
  void add(int column, T value) { inner.push_back(column), values.push_back(value); }
  void end_row() { offsets.push_back(static_cast<int>(inner.size())); }
};

/// A copy of what a program gives, counted from `base`. `from[k]` (if wanted) is where value k came from.
inline Pattern pattern(int rows, int columns, int base, const int* offsets, const int* inner,
                       std::vector<int>* from = nullptr) {
  Pattern p;
  p.rows = rows, p.columns = columns;
  const int count = rows ? offsets[rows] - base : 0;
  std::vector<int> order(slot(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < rows; ++i) {
    std::sort(order.begin() + (offsets[i] - base), order.begin() + (offsets[i + 1] - base),
              [&](int a, int b) { return inner[a] < inner[b]; });
    p.offsets.push_back(offsets[i + 1] - base);
  }
  for (int k : order) p.inner.push_back(inner[k] - base);
  if (from) *from = std::move(order);
  return p;
}
template <class T>
Sparse<T> sparse(int rows, int columns, int base, const T* values, const int* offsets, const int* inner) {
  std::vector<int> from;
  Sparse<T> a{pattern(rows, columns, base, offsets, inner, &from), {}};
  for (int k : from) a.values.push_back(values[k]);
  return a;
}

/// `from[k]` is where value k of the result lies in `a`.
inline Pattern transposed(const Pattern& a, std::vector<int>* from = nullptr) {
  Pattern t;
  t.rows = a.columns, t.columns = a.rows;
  t.offsets.assign(slot(a.columns) + 1, 0);
  for (int j : a.inner) ++t.offsets[slot(j) + 1];
  for (int j = 0; j < a.columns; ++j) t.offsets[slot(j) + 1] += t.offsets[slot(j)];
  t.inner.resize(a.inner.size());
  if (from) from->resize(a.inner.size());
  std::vector<int> next(t.offsets.begin(), t.offsets.end() - 1);
  for (int i = 0; i < a.rows; ++i)
    for (int k = a.begin(i); k < a.end(i); ++k) {
      const int to = next[slot(a.inner[slot(k)])]++;
      t.inner[slot(to)] = i;
      if (from) (*from)[slot(to)] = k;
    }
  return t;
}
template <class T>
Sparse<T> transposed(const Sparse<T>& a) {
  std::vector<int> from;
  Sparse<T> t{transposed(static_cast<const Pattern&>(a), &from), {}};
  for (int k : from) t.values.push_back(a.values[slot(k)]);
  return t;
}

/// B(i, j) = A(p[i], q[j]). `from[k]` is where value k of B lies in A.
inline Pattern permuted(const Pattern& a, const int* p, const int* q, std::vector<int>& from) {
  Pattern b;
  b.rows = a.rows, b.columns = a.columns;
  std::vector<int> place(slot(a.columns));
  for (int j = 0; j < a.columns; ++j) place[slot(q[j])] = j;
  for (int i = 0; i < a.rows; ++i) {
    const auto first = static_cast<int64_t>(from.size());
    for (int k = a.begin(p[i]); k < a.end(p[i]); ++k) from.push_back(k);
    std::sort(from.begin() + first, from.end(),
              [&](int x, int y) { return place[slot(a.inner[slot(x)])] < place[slot(a.inner[slot(y)])]; });
    b.offsets.push_back(static_cast<int>(from.size()));
  }
  for (int k : from) b.inner.push_back(place[slot(a.inner[slot(k)])]);
  return b;
}
template <class T>
Sparse<T> permuted(const Sparse<T>& a, const int* p, const int* q) {
  std::vector<int> from;
  Sparse<T> b{permuted(static_cast<const Pattern&>(a), p, q, from), {}};
  for (int k : from) b.values.push_back(a.values[slot(k)]);
  return b;
}

/// Is p a permutation of 0 … n − 1?
inline bool is_permutation(const int* p, int n) {
  std::vector<char> seen(slot(n));
  for (int i = 0; i < n; ++i)
    if (!p || p[i] < 0 || p[i] >= n || seen[slot(p[i])]++) return false;
  return true;
}

/// Does each row's list lie within the matrix?
inline bool holds(int rows, int columns, int count, int base, const int* offsets, const int* inner) {
  if (!offsets || !inner || offsets[0] != base || offsets[rows] - base != count) return false;
  for (int i = 0; i < rows; ++i)
    if (offsets[i + 1] < offsets[i]) return false;
  return std::all_of(inner, inner + count, [&](int j) { return j >= base && j < columns + base; });
}

}  // namespace ww::solver
