#include "engine/matrix/sparse.h"

#include <algorithm>

namespace ww::engine {

namespace {
constexpr int kSparseRows = 16, kIndexBits = 4;
}

Sparsity sparsity_of(isa::Type type, int k) {
  const int bits = isa::bits(type);
  Sparsity s;
  s.chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  s.together = bits == 4 ? 2 : 1;
  s.narrow = bits <= 8;
  // 16 rows of k / chunk indices, 32 bits a lane, eight groups of lanes.
  s.lanes = kSparseRows * (k / s.chunk) * kIndexBits / (32 * 8);
  // The shapes are those for which one or two lanes hold the metadata, or, of narrow types, two or four.
  const bool known = s.narrow ? s.lanes == 2 || s.lanes == 4 : s.lanes == 1 || s.lanes == 2;
  if (!known || (isa::is_float(type) && bits == 8 && s.lanes != 4)) s.chunk = 0;
  return s;
}

void spread(Warp& w, const Sparsity& s, int k, const double* stored, double* whole) {
  const int chunks = k / s.chunk, in_chunk = s.chunk / 2;
  std::fill_n(whole, kSparseRows * k, 0.0);
  const u32* metadata = slot<u32>(w, s.metadata);
  for (int row = 0; row < kSparseRows; ++row)
    for (int chunk = 0; chunk < chunks; ++chunk) {
      // Wide types: a lane has four chunks of row g and the same four of row g + 8. Narrow ones: even lanes
      // have eight chunks of row g, odd ones those of row g + 8.
      const int lower = row / 8;
      const int lane = s.narrow ? chunk / 8 * 2 + lower : chunk / 4;
      const int index = s.narrow ? chunk % 8 : lower * 4 + chunk % 4;
      const u32 bits = metadata[row % 8 * 4 + s.first + lane] >> (index * kIndexBits) & 15;
      const double* from = stored + row * (k / 2) + chunk * in_chunk;
      double* to = whole + row * k + chunk * s.chunk;
      if (s.chunk == 2) {  // one of two: both bits of an index say the same
        to[bits >> 1 & 1] = from[0];
        continue;
      }
      for (int pair = 0; pair < 2; ++pair)
        for (int e = 0; e < s.together; ++e)
          to[static_cast<int>(bits >> (2 * pair) & 3) * s.together + e] = from[pair * s.together + e];
    }
}

}  // namespace ww::engine
