// What a function is about to read and write of its operands, for `check`: of sparse matrices what is stored,
// of dense ones what is met there.
#pragma once

#include <algorithm>
#include <limits>

#include "cuda/sparse/types.h"
#include "cuda/stubs/touches.h"

namespace ww::sparse {

/// From the first to the last of some numbers.
struct Span {
  int64_t first = std::numeric_limits<int64_t>::max(), last = -1;
  void add(int64_t k) { first = std::min(first, k), last = std::max(last, k); }
  bool empty() const { return last < 0; }
};

/// `at`: where element 0 lies.
inline void touches(const void* at, const Span& elements, int64_t bytes_each, bool writes) {
  if (!elements.empty())
    stubs::touches_bytes(static_cast<const char*>(at) + elements.first * bytes_each,
                         (elements.last - elements.first + 1) * bytes_each, writes);
}
inline Span all_of(int64_t count) { return count > 0 ? Span{0, count - 1} : Span{}; }

/// The rows and columns that are met in a matrix, of which the whole pattern is read, and the values as it
/// says.
struct Met {
  Span rows, columns;
};
enum class Stored { Read, Written, Left };
inline Met touches(const SparseMatrix& a, Stored stored = Stored::Read) {
  Met met;
  Span values;
  for_each(a, [&](int64_t i, int64_t j, int64_t k) { met.rows.add(i), met.columns.add(j), values.add(k); });
  const int64_t index = bytes_of(a.index_type), block = a.block_rows * a.block_columns;
  switch (a.format) {
    case Format::Coo:
      touches(a.offsets, all_of(a.count), index, false);
      touches(a.indices, all_of(a.count), index, false);
      break;
    case Format::Csr:
    case Format::Csc:
      touches(a.offsets, all_of((a.format == Format::Csr ? a.rows : a.columns) + 1), bytes_of(a.offset_type),
              false);
      touches(a.indices, values, index, false);
      break;
    case Format::Bsr:
      touches(a.offsets, all_of(a.rows / a.block_rows + 1), bytes_of(a.offset_type), false);
      if (!values.empty()) touches(a.indices, {values.first / block, values.last / block}, index, false);
      break;
    case Format::BlockedEll:
      touches(a.indices, all_of(a.rows / a.block_rows * (a.block_columns / a.block_rows)), index, false);
      break;
    case Format::SlicedEll:
      touches(a.offsets, all_of((a.rows + a.block_rows - 1) / a.block_rows + 1), bytes_of(a.offset_type),
              false);
      touches(a.indices, values, index, false);
      break;
  }
  if (stored != Stored::Left) touches(a.values, values, bytes_of(a.type), stored == Stored::Written);
  return met;
}
/// Some rows and columns of a dense matrix.
inline void touches(const DenseMatrix& a, const Span& rows, const Span& columns, bool writes) {
  if (!rows.empty() && !columns.empty())
    touches(a.values, {a.at(rows.first, columns.first), a.at(rows.last, columns.last)}, bytes_of(a.type),
            writes);
}
inline void touches(const DenseMatrix& a, bool writes) {
  touches(a, all_of(a.rows), all_of(a.columns), writes);
}
inline void touches(const DenseVector& x, bool writes) {
  touches(x.values, all_of(x.size), bytes_of(x.type), writes);
}
/// Where the matrices of a batch begin.
inline void touches_batch(const DenseMatrix& a, bool writes) {
  stubs::touches_batch_bytes(a.values, a.batch_step * bytes_of(a.type), a.batches, writes);
}
inline void touches_batch(const SparseMatrix& a, bool writes_values) {
  const Index outer = a.format == Format::Coo ? a.index_type : a.offset_type;
  stubs::touches_batch_bytes(a.offsets, a.offset_step * bytes_of(outer), a.batches, false);
  stubs::touches_batch_bytes(a.indices, a.index_step * bytes_of(a.index_type), a.batches, false);
  stubs::touches_batch_bytes(a.values, a.value_step * bytes_of(a.type), a.batches, writes_values);
}
/// A sparse vector, and what is met of the dense one.
inline void touches(const SparseVector& x, bool writes_x, const DenseVector& y, bool writes_y) {
  Span met;
  for (int64_t k = 0; k < x.count; ++k) met.add(index_at(x.indices, x.index, k) - x.base);
  touches(x.indices, all_of(x.count), bytes_of(x.index), false);
  touches(x.values, all_of(x.count), bytes_of(x.type), writes_x);
  touches(y.values, met, bytes_of(y.type), writes_y);
}

}  // namespace ww::sparse
