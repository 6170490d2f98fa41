#include <algorithm>
#include <bit>

#include "rules/rules.h"

namespace ww::rules {

Cost local_cost(Capability cc, const Access& a, bool store) {
  // Word w of lane l lies at 128·w + 4·l: lanes that use the same variable touch neighbouring words (CUDA C
  // programming guide, "Local Memory"). Each word of a wide access is a row of its own.
  Cost c;
  const u32 words = (a.bytes + 3) / 4;
  for (u32 w = 0; w < words; ++w) {
    Access row{a.mask, std::min<u32>(4, a.bytes), {}};
    for (size_t l = 0; l < 32; ++l) {
      const int64_t at = a.address[l] + 4 * w;
      row.address[l] = (at >> 2) * 128 + static_cast<int64_t>(4 * l) + (at & 3);
    }
    c += global_cost(cc, row, store);
  }
  c.requests = 1;
  c.threads = static_cast<u64>(std::popcount(a.mask));
  c.bytes = c.threads * a.bytes;
  return c;
}

}  // namespace ww::rules
