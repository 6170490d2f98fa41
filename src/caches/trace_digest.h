// Tells grids' requests apart.
#pragma once

#include "caches/trace.h"

namespace ww::caches {

/// XXH3's 128 bits: equal of different requests by a chance of about 2^-128 for each pair.
struct TraceDigest {
  u64 low = 0, high = 0;
  bool operator==(const TraceDigest&) const = default;
};

/// Of all that a replay reads of a grid of so many blocks: where its buffers lie makes no difference, how far
/// they lie from each other does.
TraceDigest digest_of(u64 blocks, const std::map<u64, BlockTrace>& traces);

}  // namespace ww::caches
