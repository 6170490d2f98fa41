#include <bit>

#include "counters/rules/rules.h"

namespace ww::counters {

Cost texture_cost(Capability cc, const Access& sectors, bool continues) {
  // The sectors come distinct and in order; which of them a quad of lanes asks for in which pass is not
  // published.
  Cost c;
  c.requests = continues ? 0 : 1;
  if (cc < 20) return c;
  c.sectors = static_cast<u64>(std::popcount(sectors.mask));
  c.lines = distinct_pieces(sectors, 128);
  return c;
}

}  // namespace ww::counters
