#include "caches/waits.h"

#include <algorithm>
#include <cmath>

namespace ww::caches {

namespace {

constexpr WaitCounts::Numbers WaitCounts::*kNumbers[] = {&WaitCounts::groups, &WaitCounts::past_l1,
                                                         &WaitCounts::past_l2};

}  // namespace

WaitCounts& WaitCounts::operator+=(const WaitCounts& more) {
  for (auto numbers : kNumbers)
    for (size_t k = 0; k < kSizes; ++k) (this->*numbers)[k] += (more.*numbers)[k];
  return *this;
}

WaitCounts WaitCounts::operator-(const WaitCounts& less) const {
  WaitCounts out = *this;
  for (auto numbers : kNumbers)
    for (size_t k = 0; k < kSizes; ++k) (out.*numbers)[k] -= (less.*numbers)[k];
  return out;
}

WaitCounts::Shares WaitCounts::shares(double loads) const {
  // Warps that end early make no large groups.
  size_t most = 0;
  while (most + 1 < kSizes && groups[most + 1] > 0) ++most;
  if (groups[0] == 0) return {};
  const double size = std::clamp(std::log2(std::max(1.0, loads)), 0.0, static_cast<double>(most));
  const auto below = static_cast<size_t>(size);
  const size_t above = std::min(below + 1, most);
  const double part = size - static_cast<double>(below);
  const auto of = [&](const Numbers& past) {
    const auto share = [&](size_t k) {
      return static_cast<double>(past[k]) / static_cast<double>(groups[k]);
    };
    return share(below) + part * (share(above) - share(below));
  };
  return {of(past_l1), of(past_l2)};
}

void WarpWaits::add(Level level, WaitCounts& counts) {
  ++loads_;
  for (size_t k = 0; k < WaitCounts::kSizes; ++k) {
    farthest_[k] = std::max(farthest_[k], level);
    if (loads_ % (uint64_t{1} << k) != 0) return;  // nor is any larger group complete
    // The next size takes over what this one has seen.
    if (k + 1 < WaitCounts::kSizes) level = farthest_[k];
    ++counts.groups[k];
    counts.past_l1[k] += farthest_[k] >= Level::L2;
    counts.past_l2[k] += farthest_[k] >= Level::Dram;
    farthest_[k] = Level::L1;
  }
}

}  // namespace ww::caches
