// What all calls check of their arguments, and views of matrices.
#pragma once

#include <initializer_list>
#include <utility>

#include "kernels_library/kernels.h"

namespace warpwright {

/// The same elements as the transposed matrix.
template <class T>
Matrix<T> transposed(Matrix<T> m) {
  std::swap(m.rows, m.columns);
  m.layout = m.layout == Layout::by_rows ? Layout::by_columns : Layout::by_rows;
  return m;
}

/// Bytes from `data` on.
struct Range {
  const void* data;
  size_t bytes;
};
bool overlap(const Range& a, const Range& b);

/// Sizes, stride, address and alignment of one matrix whose elements have `element` bytes.
Status check_matrix(const void* data, int64_t rows, int64_t columns, int64_t stride, Layout layout,
                    size_t element);
template <class T>
Status check(const Matrix<T>& m) {
  return check_matrix(m.data, m.rows, m.columns, m.stride, m.layout, sizeof(T));
}

template <class T>
Range range_of(const Matrix<T>& m) {
  const bool rows = m.layout == Layout::by_rows;
  const int64_t lines = rows ? m.rows : m.columns, length = rows ? m.columns : m.rows;
  const bool empty = lines == 0 || length == 0;
  return {m.data, empty ? 0 : static_cast<size_t>((lines - 1) * m.stride + length) * sizeof(T)};
}

/// The result against the operands, and the workspace against all, which has `needed` bytes at least.
Status check_memory(std::initializer_list<Range> operands, const Range& result, const Workspace& workspace,
                    size_t needed);

/// Whether `m`, which lies by rows, has rows that begin and end at multiples of 16 bytes.
template <class T>
bool in_chunks(const Matrix<T>& m) {
  constexpr int64_t kElements = 16 / sizeof(T);
  return reinterpret_cast<uintptr_t>(m.data) % 16 == 0 && m.stride % kElements == 0 &&
         m.columns % kElements == 0;
}
/// Whether they begin there.
template <class T>
bool aligned_rows(const Matrix<T>& m) {
  return reinterpret_cast<uintptr_t>(m.data) % 16 == 0 && m.stride % (16 / sizeof(T)) == 0;
}

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Parts of a workspace, one behind the other, each at a multiple of 256 bytes.
class Parts {
 public:
  explicit Parts(void* data) : data_(static_cast<char*>(data)) {}
  template <class T>
  T* take(int64_t count) {
    T* part = reinterpret_cast<T*>(data_ + used_);
    used_ += (static_cast<size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return part;
  }
  size_t used() const { return used_; }

 private:
  char* data_;
  size_t used_ = 0;
};

}  // namespace warpwright
