#include "caches/sm_layout.h"

#include <algorithm>

namespace ww::caches {

SmLayout::SmLayout(u32 sms, u32 clusters, u32 apart, u32 every)
    : every_(std::max<u32>(1, every)), places_(sms) {
  clusters = std::max<u32>(1, clusters);
  const u32 together = sms % 2 == 0 ? 2 : 1;
  const u32 pairs = sms / together, fewer = pairs / clusters, rest = pairs % clusters;
  u32 next = 0;
  for (u32 c = 0; c < clusters; ++c) {
    const u32 size = together * (fewer + (c >= clusters - rest ? 1 : 0));
    const u32 here = c == 0 && apart < size ? size - apart : size;
    for (u32 k = 0; k < size; ++k) {
      const u32 sm = k < here ? next + k : sms - size + k;
      places_[sm] = {c, size < 2 ? 0 : 2.0 * k / (size - 1) - 1};
    }
    if (here > 0) groups_.push_back({next, here});
    next += here;
  }
  apart_ = {next, sms - next};
}

void SmLayout::deal(u32 rounds, const std::function<void(u32 sm, u32 round)>& take) const {
  const auto turn = [&](const Group& group, u32 round) {
    for (u32 k = 0; k < group.count; ++k) take(group.first + k, round);
  };
  u32 apart = 0, turns = 1;  // their second turn comes one sooner
  if (apart_.count > 0 && rounds > 0) turn(apart_, apart++);
  for (u32 round = 0; round < rounds; ++round)
    for (const Group& group : groups_) {
      turn(group, round);
      if (apart_.count == 0 || ++turns < every_ || apart == rounds) continue;
      turn(apart_, apart++);
      turns = 0;
    }
  while (apart_.count > 0 && apart < rounds) turn(apart_, apart++);
}

}  // namespace ww::caches
