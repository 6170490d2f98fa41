#include "caches/lines.h"

#include <algorithm>
#include <bit>

#include "caches/sectored_cache.h"

namespace ww::caches {

namespace {

/// Sorts by line and joins the parts of each.
void join(std::vector<LinePart>& parts) {
  std::sort(parts.begin(), parts.end(), [](const LinePart& a, const LinePart& b) {
    return static_cast<int64_t>(a.line) < static_cast<int64_t>(b.line);
  });
  size_t n = 0;
  for (const LinePart& p : parts) {
    if (n > 0 && parts[n - 1].line == p.line)
      parts[n - 1].sectors |= p.sectors;
    else
      parts[n++] = p;
  }
  parts.resize(n);
}

/// Patterns that are kept expanded, of one shape: a block that never repeats one gains nothing by it.
constexpr size_t kKept = 2048;

}  // namespace

std::vector<LinePart> global_lines(const rules::Pattern& p, u64 offset) {
  std::vector<LinePart> out;
  for (u32 m = p.mask; m != 0; m &= m - 1) {
    const int64_t from = p.offset[static_cast<size_t>(std::countr_zero(m))] + static_cast<int64_t>(offset);
    for (int64_t s = from >> 5; s <= (from + p.bytes - 1) >> 5; ++s) {
      const LinePart part{static_cast<u64>(s >> 2), 1u << (s & 3)};
      if (!out.empty() && out.back().line == part.line)
        out.back().sectors |= part.sectors;
      else
        out.push_back(part);
    }
  }
  join(out);
  return out;
}

void local_lines(const rules::Pattern& p, u64 address, u64 place, std::vector<LinePart>& out) {
  out.clear();
  for (u32 m = p.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const int64_t from = static_cast<int64_t>(address) + p.offset[static_cast<size_t>(lane)];
    for (int64_t w = from >> 2; w <= (from + p.bytes - 1) >> 2; ++w) {
      // Far from all global memory: bit 50 of the line's number.
      const LinePart part{u64{1} << 50 | place << 24 | static_cast<u64>(w), 1u << (lane >> 3)};
      if (!out.empty() && out.back().line == part.line)
        out.back().sectors |= part.sectors;
      else
        out.push_back(part);
    }
  }
  join(out);
}

std::span<const LinePart> Expansions::of(const BlockShape& shape, u32 pattern, u64 offset) {
  if (shape.patterns.size() > kKept) return scratch_ = global_lines(shape.patterns[pattern], offset);
  if (last_ != &shape) {
    last_ = &shape;
    last_known_ = &known_[&shape];
    last_known_->by_pattern.resize(shape.patterns.size());
  }
  auto& by_offset = last_known_->by_pattern[pattern];
  if (!by_offset) by_offset = std::make_unique<std::array<Place, 128>>();
  Place& place = (*by_offset)[offset];
  if (place.count == 0) {
    const std::vector<LinePart> lines = global_lines(shape.patterns[pattern], offset);
    place = {static_cast<u32>(parts_.size()), static_cast<u32>(lines.size())};
    parts_.insert(parts_.end(), lines.begin(), lines.end());
  }
  return {&parts_[place.first], place.count};
}

}  // namespace ww::caches
