// Copies of all kinds come down to one: a box of bytes from one place to another.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

/// One end of a copy: linear memory with a pitch, or an array. Positions are in bytes along x.
struct Place {
  u64 base = 0;
  size_t pitch = 0, slice = 0;  ///< bytes from row to row and from slice to slice
  size_t x = 0, y = 0, z = 0;   ///< bytes, rows, slices
  Array* array = nullptr;
  u64 at(size_t row, size_t plane) const { return base + (z + plane) * slice + (y + row) * pitch + x; }
};

struct Copy {
  Place from, to;
  size_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
  CopyKind kind = CopyKind::Default;
  Memcpy3D params{};  ///< as the program gave them, for queries of graph nodes
  DeviceContext* device = nullptr;
};

/// A copy of `bytes` bytes in a row.
Copy linear_copy(void* to, const void* from, size_t bytes, CopyKind kind);
/// From the runtime's description. Errors: InvalidValue, InvalidPitchValue, InvalidMemcpyDirection.
Error copy_of(const Memcpy3D& params, Copy& copy);

/// Errors: InvalidMemcpyDirection, InvalidValue (memory that is not there or on the wrong side).
Error check(const Copy& copy);
Error perform(const Copy& copy);
/// Whether its end is the host's own memory that is not page-locked: such a copy has ended when the call
/// returns.
bool to_pageable(const Copy& copy);
/// The same for either end.
bool of_pageable(const Copy& copy);

}  // namespace ww::cuda
