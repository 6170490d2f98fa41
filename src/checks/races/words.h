// Words of memory, lanes and scopes: what the parts of the race check share.
#pragma once

#include "checks/races/order.h"
#include "isa/form.h"

namespace ww::checks::races {

inline constexpr u32 kWarpLanes = 32;
inline constexpr u32 kWordBytes = 4;
inline constexpr u32 kWholeWord = 15;  ///< a bit for each byte
inline constexpr u64 kSharedKey = u64{1} << 63;
inline constexpr u64 kClusterKey = u64{1} << 62;  ///< of a cluster's barrier

inline Scope race_scope(isa::Mod scope) {
  switch (scope) {
    case isa::Mod::cta:
      return kCta;
    case isa::Mod::cluster:
      return kCluster;
    default:
      return kGpu;
  }
}

inline u32 first_lane(u32 mask) { return static_cast<u32>(__builtin_ctz(mask)); }

/// Bytes of the word at 4 · word that lie in [begin, end).
inline u32 bytes_of_word(u64 word, u64 begin, u64 end) {
  const u64 at = word * kWordBytes;
  u32 bytes = kWholeWord;
  if (begin > at) bytes &= kWholeWord << (begin - at);
  if (end < at + kWordBytes) bytes &= kWholeWord >> (at + kWordBytes - end);
  return bytes & kWholeWord;
}

}  // namespace ww::checks::races
