// What a box sum reads and writes.
#pragma once

#include "kernels/async_copy.h"

/// rows × columns elements of `in`; `out` has 2R fewer of each. Strides: words from a row to the next.
struct Area {
  const float* in;
  float* out;
  int rows, columns, in_stride, out_stride;
  bool chunks;  ///< rows of `in` begin and end at multiples of 16 bytes
  bool wide;    ///< those of `out` do
};

/// in[n²], out[(n − 2R)²].
__device__ __forceinline__ Area square_area(const float* in, float* out, int n, int r) {
  const int side = n - 2 * r;
  return {in, out, n, n, n, side, n % 4 == 0, side % 4 == 0};
}
