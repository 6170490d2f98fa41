#include "rules/rules.h"

#include <algorithm>
#include <bit>

namespace ww::rules {

Access place(const Pattern& pattern, u32 alignment) {
  Access a{pattern.mask, pattern.bytes, {}};
  for (size_t l = 0; l < 32; ++l) a.address[l] = pattern.offset[l] + alignment;
  return a;
}

Access part(const Access& access, u32 lanes) {
  Access a = access;
  a.mask &= lanes;
  return a;
}

L1Passes& L1Passes::operator+=(const L1Passes& more) {
  data += more.data, lookups += more.lookups;
  return *this;
}

Cost& Cost::operator+=(const Cost& c) {
  requests += c.requests;
  threads += c.threads;
  bytes += c.bytes;
  sectors += c.sectors;
  lines += c.lines;
  transactions += c.transactions;
  for (int k = 0; k < 3; ++k) sized[k] += c.sized[k];
  wavefronts += c.wavefronts;
  conflicts += c.conflicts;
  l1 += c.l1;
  return *this;
}

Cost Cost::operator*(u64 n) const {
  return {requests * n,
          threads * n,
          bytes * n,
          sectors * n,
          lines * n,
          transactions * n,
          {sized[0] * n, sized[1] * n, sized[2] * n},
          wavefronts * n,
          conflicts * n,
          l1 * n};
}

u32 distinct_pieces(const Access& access, u32 size) {
  // Lanes mostly ascend: a piece that equals the last one is skipped before the list is sorted.
  std::array<int64_t, 32 * 32> pieces;  // an access is at most 32 bytes wide, a piece at least one
  size_t count = 0;
  bool ascend = true;
  int shift = std::countr_zero(size);
  for (u32 m = access.mask; m != 0; m &= m - 1) {
    int64_t first = access.address[static_cast<size_t>(std::countr_zero(m))];
    for (int64_t p = first >> shift, last = (first + access.bytes - 1) >> shift; p <= last; ++p) {
      if (count != 0 && pieces[count - 1] == p) continue;
      ascend = ascend && (count == 0 || pieces[count - 1] < p);
      pieces[count++] = p;
    }
  }
  if (ascend) return static_cast<u32>(count);
  const auto end = pieces.begin() + static_cast<long>(count);
  std::sort(pieces.begin(), end);
  return static_cast<u32>(std::unique(pieces.begin(), end) - pieces.begin());
}

Cost cost(Capability cc, const Pattern& pattern, u32 alignment, bool store, bool atomic) {
  Access a = place(pattern, alignment);
  switch (pattern.space) {
    case ir::Space::Shared:
      return atomic ? shared_atomic_cost(cc, a) : shared_cost(cc, a, store);
    case ir::Space::Local: {
      Cost c = local_cost(cc, a, store);
      const u64 rows = (a.bytes + 3) / 4;  // of words, a line each
      c.l1 = {rows, cc < 70 ? 0 : rows * kPlaces};
      return c;
    }
    case ir::Space::Const:
    case ir::Space::Param:
      return constant_cost(cc, a);
    default: {
      Cost c = global_cost(cc, a, store);
      c.l1 = l1_passes(cc, a, c, store);
      return c;
    }
  }
}

}  // namespace ww::rules
