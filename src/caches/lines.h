// The lines and sectors that a warp's request touches.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "caches/trace.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

/// Sectors (a mask) of a line, by its number.
struct LinePart {
  u64 line = 0;
  u32 sectors = 0;
  bool operator==(const LinePart&) const = default;
};

/// The parts of a global access whose first active lane's address lies at `offset` in its line, in ascending
/// order; numbers count from that line (and may wrap below it).
std::vector<LinePart> global_lines(const rules::Pattern& pattern, u64 offset);

/// The parts of a local access: `address` is that of the first active lane in its own memory, `place` a
/// number for the warp's place on the GPU. Word w of lane l lies at 128·w + 4·l of the warp's memory (CUDA C
/// Programming Guide, "Local Memory").
void local_lines(const rules::Pattern& pattern, u64 address, u64 place, std::vector<LinePart>& out);

/// Remembers what global_lines() gives.
class Expansions {
 public:
  /// Until it is asked again.
  std::span<const LinePart> of(const BlockShape& shape, u32 pattern, u64 offset);

 private:
  struct Place {
    u32 first = 0, count = 0;  // in parts_; no line: not known
  };
  struct OfShape {
    std::vector<std::unique_ptr<std::array<Place, 128>>> by_pattern;
  };
  std::unordered_map<const BlockShape*, OfShape> known_;
  std::vector<LinePart> parts_;
  const BlockShape* last_ = nullptr;
  OfShape* last_known_ = nullptr;
  std::vector<LinePart> scratch_;
};

}  // namespace ww::caches
