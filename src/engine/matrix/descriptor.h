// A matrix in shared memory as a descriptor of wgmma says where it lies.
#pragma once

#include <cstdint>

namespace ww::engine {

/// PTX ISA, "Matrix Descriptor Format", "Strides", "Swizzling".
struct Descriptor {
  uint64_t start = 0, leading = 0, stride = 0, base_offset = 0;
  int swizzle = 0;  ///< bytes of a row: 0 (none), 32, 64, 128

  explicit Descriptor(uint64_t bits) {
    auto field = [&](int at) { return (bits >> at & 0x3fff) << 4; };
    start = field(0), leading = field(16), stride = field(32);
    base_offset = bits >> 49 & 7;
    constexpr int kSwizzles[] = {0, 128, 64, 32};
    swizzle = kSwizzles[bits >> 62];
  }

  /// Shared address of the byte where element `k` of row `r` begins (of B: row is n). Bits of an element:
  /// `width`.
  uint64_t address(int r, int k, int width, bool by_rows) const {
    auto row = static_cast<uint64_t>(r), column = static_cast<uint64_t>(k);
    uint64_t at = 0;
    if (by_rows) {  // 16-bit elements, consecutive along rows
      uint64_t line = swizzle ? static_cast<uint64_t>(swizzle) : 16, per_line = line / 2;
      uint64_t next_rows = swizzle ? leading : stride, next_columns = swizzle ? stride : leading;
      at = row % per_line * 2 + row / per_line * next_rows + column % 8 * line + column / 8 * next_columns;
    } else {
      uint64_t byte = column * static_cast<uint64_t>(width) / 8;
      at = swizzle ? row % 8 * static_cast<uint64_t>(swizzle) + row / 8 * stride + byte
                   : row % 8 * 16 + row / 8 * stride + byte / 16 * leading + byte % 16;
    }
    at += start;
    uint64_t mask = static_cast<uint64_t>(swizzle) / 16;
    return mask ? at ^ ((((at >> 7) - base_offset) & (mask - 1)) << 4) : at;
  }
};

/// Bytes of a matrix that lie together whatever the swizzle, consecutive elements along K or along the rows.
constexpr uint32_t kChunkBytes = 16;

/// visit(line, begin, address) of each chunk: of a row (`by_rows`: a column), elements from `begin` on. Stops
/// where that returns false, and says so.
template <class F>
bool each_chunk(const Descriptor& m, int width, int rows, int first, int columns, bool by_rows, F&& visit) {
  const int along = by_rows ? rows : columns, lines = by_rows ? columns : rows;
  const int elements = static_cast<int>(kChunkBytes) * 8 / width;
  for (int line = 0; line < lines; ++line)
    for (int begin = 0; begin < along; begin += elements) {
      const uint64_t at = by_rows ? m.address(first + begin, line, width, true)
                                  : m.address(first + line, begin, width, false);
      if (!visit(line, begin, at)) return false;
    }
  return true;
}

}  // namespace ww::engine
