// cuSPARSE: sums of matrices, and matrices of square blocks, given in pieces.
#include <algorithm>
#include <map>
#include <set>

#include "cuda/sparse/types.h"

using namespace ww::sparse;

namespace {

/// A matrix given in pieces, in CSR form.
template <class T>
struct Pieces {
  const T* values;
  const int *offsets, *columns;
  int base;
  template <class F>
  void row(int i, F&& visit) const {
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k) visit(columns[k] - base, k);
  }
};

/// The count goes where alpha and beta come from (cuSPARSE manual, "cusparseXcsrgeam2Nnz").
Status count_sum(Handle* h, int m, const Description* da, const int* ra, const int* ca, const Description* db,
                 const int* rb, const int* cb, const Description* dc, int* rc, int* count) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || !da || !db || !dc || !ra || !rb || !rc || !count) return Status::InvalidValue;
  return submit(h, [=, base_a = da->base, base_b = db->base, base = dc->base] {
    const Pieces<char> a{nullptr, ra, ca, base_a}, b{nullptr, rb, cb, base_b};
    rc[0] = base;
    for (int i = 0; i < m; ++i) {
      std::set<int> all;
      a.row(i, [&](int j, int) { all.insert(j); });
      b.row(i, [&](int j, int) { all.insert(j); });
      rc[i + 1] = rc[i] + static_cast<int>(all.size());
    }
    *count = rc[m] - base;
  });
}
template <class T>
Status sum(Handle* h, int m, const T* alpha, const Description* da, const T* va, const int* ra, const int* ca,
           const T* beta, const Description* db, const T* vb, const int* rb, const int* cb,
           const Description* dc, T* vc, const int* rc, int* cc) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || !alpha || !beta || !da || !db || !dc || !ra || !rb || !rc) return Status::InvalidValue;
  return submit(h, [=, p = scalar<T>(h, alpha), q = scalar<T>(h, beta), base_a = da->base, base_b = db->base,
                    base = dc->base] {
    const Pieces<T> a{va, ra, ca, base_a}, b{vb, rb, cb, base_b};
    for (int i = 0; i < m; ++i) {
      std::map<int, T> all;
      a.row(i, [&](int j, int k) { all[j] += p() * va[k]; });
      b.row(i, [&](int j, int k) { all[j] += q() * vb[k]; });
      int k = rc[i] - base;
      for (const auto& [j, v] : all) cc[k] = j + base, vc[k++] = v;
    }
  });
}

/// Where the element (i, j) of a block is. `direction` 0: by rows.
int within(int direction, int side, int i, int j) { return direction == 0 ? i * side + j : j * side + i; }
int blocks_of(int n, int side) { return (n + side - 1) / side; }

Status count_blocks(Handle* h, int m, const Description* da, const int* rows, const int* columns, int side,
                    const Description* dc, int* block_rows, int* count) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || side < 1 || !da || !dc || !rows || !block_rows || !count) return Status::InvalidValue;
  return submit(h, [=, from = da->base, base = dc->base] {
    const Pieces<char> a{nullptr, rows, columns, from};
    block_rows[0] = base;
    for (int o = 0; o < blocks_of(m, side); ++o) {
      std::set<int> all;
      for (int i = o * side; i < std::min(m, (o + 1) * side); ++i)
        a.row(i, [&](int j, int) { all.insert(j / side); });
      block_rows[o + 1] = block_rows[o] + static_cast<int>(all.size());
    }
    *count = block_rows[blocks_of(m, side)] - base;
  });
}
template <class T>
Status to_blocks(Handle* h, int direction, int m, const Description* da, const T* values, const int* rows,
                 const int* columns, int side, const Description* dc, T* to, const int* block_rows,
                 int* block_columns) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || side < 1 || !da || !dc || !rows || !block_rows) return Status::InvalidValue;
  return submit(h, [=, from = da->base, base = dc->base] {
    const Pieces<T> a{values, rows, columns, from};
    for (int o = 0; o < blocks_of(m, side); ++o) {
      std::map<int, int> at;  // block column to block
      for (int i = o * side; i < std::min(m, (o + 1) * side); ++i)
        a.row(i, [&](int j, int) { at[j / side] = 0; });
      int next = block_rows[o] - base;
      for (auto& [column, block] : at) block_columns[next] = column + base, block = next++;
      std::fill(to + int64_t{block_rows[o] - base} * side * side,
                to + int64_t{block_rows[o + 1] - base} * side * side, T{});
      for (int i = o * side; i < std::min(m, (o + 1) * side); ++i)
        a.row(i, [&](int j, int k) {
          to[int64_t{at[j / side]} * side * side + within(direction, side, i % side, j % side)] = values[k];
        });
    }
  });
}
template <class T>
Status from_blocks(Handle* h, int direction, int rows, const Description* da, const T* values,
                   const int* block_rows, const int* block_columns, int side, const Description* dc, T* to,
                   int* to_rows, int* to_columns) {
  if (!h) return Status::NotInitialized;
  if (rows < 0 || side < 1 || !da || !dc || !block_rows || !to_rows) return Status::InvalidValue;
  return submit(h, [=, base = da->base, to_base = dc->base] {
    int k = 0;
    to_rows[0] = to_base;
    for (int i = 0; i < rows * side; ++i) {
      for (int b = block_rows[i / side] - base; b < block_rows[i / side + 1] - base; ++b)
        for (int j = 0; j < side; ++j) {
          to_columns[k] = (block_columns[b] - base) * side + j + to_base;
          to[k++] = values[int64_t{b} * side * side + within(direction, side, i % side, j)];
        }
      to_rows[i + 1] = k + to_base;
    }
  });
}
template <class T>
Status multiply(Handle* h, int direction, Op op, int rows, const T* alpha, const Description* da,
                const T* values, const int* block_rows, const int* block_columns, int side, const T* x,
                const T* beta, T* y) {
  if (!h) return Status::NotInitialized;
  if (rows < 0 || side < 1 || !alpha || !beta || !da || !block_rows || !x || !y) return Status::InvalidValue;
  if (op != Op::None) return Status::NotSupported;  // as cuSPARSE
  return submit(h, [=, p = scalar<T>(h, alpha), q = scalar<T>(h, beta), base = da->base] {
    for (int i = 0; i < rows * side; ++i) {
      T sum{};
      for (int b = block_rows[i / side] - base; b < block_rows[i / side + 1] - base; ++b)
        for (int j = 0; j < side; ++j)
          sum += values[int64_t{b} * side * side + within(direction, side, i % side, j)] *
                 x[(block_columns[b] - base) * side + j];
      y[i] = p() * sum + scaled(q(), y[i]);
    }
  });
}

}  // namespace

WW_LIBRARY_API Status cusparseXcsrgeam2Nnz(Handle* h, int m, int, const Description* da, int, const int* ra,
                                           const int* ca, const Description* db, int, const int* rb,
                                           const int* cb, const Description* dc, int* rc, int* count, void*) {
  return count_sum(h, m, da, ra, ca, db, rb, cb, dc, rc, count);
}
WW_LIBRARY_API Status cusparseXcsr2bsrNnz(Handle* h, int, int m, int, const Description* da, const int* rows,
                                          const int* columns, int side, const Description* dc,
                                          int* block_rows, int* count) {
  return count_blocks(h, m, da, rows, columns, side, dc, block_rows, count);
}
#define WW_PIECES(L, T)                                                                                      \
  WW_LIBRARY_API Status cusparse##L##csrgeam2_bufferSizeExt(                                                 \
      Handle* h, int, int, const T*, const Description*, int, const T*, const int*, const int*, const T*,    \
      const Description*, int, const T*, const int*, const int*, const Description*, const T*, const int*,   \
      const int*, size_t* bytes) {                                                                           \
    if (!h) return Status::NotInitialized;                                                                   \
    if (!bytes) return Status::InvalidValue;                                                                 \
    *bytes = 8;                                                                                              \
    return Status::Success;                                                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##csrgeam2(                                                               \
      Handle* h, int m, int, const T* alpha, const Description* da, int, const T* va, const int* ra,         \
      const int* ca, const T* beta, const Description* db, int, const T* vb, const int* rb, const int* cb,   \
      const Description* dc, T* vc, int* rc, int* cc, void*) {                                               \
    return sum<T>(h, m, alpha, da, va, ra, ca, beta, db, vb, rb, cb, dc, vc, rc, cc);                        \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##csr2bsr(                                                                \
      Handle* h, int direction, int m, int, const Description* da, const T* values, const int* rows,         \
      const int* columns, int side, const Description* dc, T* to, int* block_rows, int* block_columns) {     \
    return to_blocks<T>(h, direction, m, da, values, rows, columns, side, dc, to, block_rows,                \
                        block_columns);                                                                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##bsr2csr(Handle* h, int direction, int rows, int, const Description* da, \
                                             const T* values, const int* block_rows,                         \
                                             const int* block_columns, int side, const Description* dc,      \
                                             T* to, int* to_rows, int* to_columns) {                         \
    return from_blocks<T>(h, direction, rows, da, values, block_rows, block_columns, side, dc, to, to_rows,  \
                          to_columns);                                                                       \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##bsrmv(Handle* h, int direction, Op op, int rows, int, int,              \
                                           const T* alpha, const Description* da, const T* values,           \
                                           const int* block_rows, const int* block_columns, int side,        \
                                           const T* x, const T* beta, T* y) {                                \
    return multiply<T>(h, direction, op, rows, alpha, da, values, block_rows, block_columns, side, x, beta,  \
                       y);                                                                                   \
  }
WW_PIECES(S, float)
WW_PIECES(D, double)
WW_PIECES(C, std::complex<float>)
WW_PIECES(Z, std::complex<double>)
