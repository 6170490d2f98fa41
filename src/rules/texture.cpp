#include <bit>

#include "rules/rules.h"

namespace ww::rules {

Cost texture_cost(Capability cc, const Access& sectors) {
  // Nsight Compute counts a request for each four lanes of a warp, and their distinct sectors: so measured on
  // an H200 (data/measured/h200-spaces), and taken to be so everywhere.
  Cost c;
  c.requests = 1;
  if (cc < 20) return c;
  c.sectors = static_cast<u64>(std::popcount(sectors.mask));
  c.lines = distinct_pieces(sectors, 128);
  return c;
}

}  // namespace ww::rules
