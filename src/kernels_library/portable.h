// The kernels of cuda/portable.cu, for every GPU, layout and alignment.
#pragma once

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

/// Elements from a row to the next and from a column to the next.
struct Steps {
  long long row, column;
};
template <class T>
Steps steps_of(const Matrix<T>& m) {
  return m.layout == Layout::by_rows ? Steps{m.stride, 1} : Steps{1, m.stride};
}

template <class IN, class OUT>
Status multiply_portable(Gpu& gpu, Stream stream, const char* entry, const Matrix<const IN>& a,
                         const Matrix<const IN>& b, const Matrix<OUT>& c) {
  return gpu.launch("portable", entry,
                    {static_cast<uint64_t>(divide_up(c.rows, 16) * divide_up(c.columns, 16))}, 256, 0, stream,
                    a.data, steps_of(a), b.data, steps_of(b), c.data, steps_of(c), static_cast<int>(c.rows),
                    static_cast<int>(c.columns), static_cast<int>(a.columns));
}

/// Zeros: the sum of no terms.
template <class T>
Status fill_zero(Stream stream, const Matrix<T>& c) {
  const bool rows = c.layout == Layout::by_rows;
  const auto address = reinterpret_cast<Address>(c.data);
  const auto pitch = static_cast<size_t>(c.stride) * sizeof(T);
  const auto length = static_cast<size_t>(rows ? c.columns : c.rows),
             lines = static_cast<size_t>(rows ? c.rows : c.columns);
  const Driver& driver = *Driver::get();
  if constexpr (sizeof(T) == 4)
    return check_driver(driver.cuMemsetD2D32Async(address, pitch, 0, length, lines, stream));
  else
    return check_driver(driver.cuMemsetD2D16Async(address, pitch, 0, length, lines, stream));
}

}  // namespace warpwright
