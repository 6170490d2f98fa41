// The results of products with few columns, which threads store one by one, however they lie.
#pragma once

#include "kernels/bf16.h"

/// Elements from a row to the next, and from a column to the next.
struct ThinSteps {
  long long row, column;
};
/// The results; `bf16`: those, else float32.
struct ThinResults {
  void* data;
  ThinSteps steps;
  bool bf16;

  /// Whether two neighbouring columns, of which the first one is even, lie side by side in aligned memory.
  __device__ __forceinline__ bool in_pairs() const {
    return steps.column == 1 && steps.row % 2 == 0 && reinterpret_cast<size_t>(data) % (bf16 ? 4 : 8) == 0;
  }
  __device__ __forceinline__ void store_pair(int row, int column, float a, float b) const {
    const long long at = row * steps.row + column;
    if (bf16)
      *reinterpret_cast<unsigned*>(static_cast<unsigned short*>(data) + at) = pack_bf16(a, b);
    else
      *reinterpret_cast<float2*>(static_cast<float*>(data) + at) = make_float2(a, b);
  }
  __device__ __forceinline__ void store(int row, int column, float v) const {
    const long long at = row * steps.row + column * steps.column;
    if (bf16)
      static_cast<unsigned short*>(data)[at] = static_cast<unsigned short>(pack_bf16(v, 0) & 0xffff);
    else
      static_cast<float*>(data)[at] = v;
  }
};
