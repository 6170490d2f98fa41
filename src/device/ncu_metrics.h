// Nsight Compute's metrics and the neutral names under which all devices' counters are compared.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "device/ncu_csv.h"

namespace ww::device {

struct NcuMetric {
  std::string_view metric;  ///< Nsight Compute's name
  std::string_view tag;     ///< ours
  std::string_view unit;    ///< of the neutral value
  double factor;            ///< from Nsight Compute's base unit to ours
  std::string_view description;
};

/// The metrics that are collected when none are named. They exist on compute capability 7.0 and later.
std::span<const NcuMetric> ncu_metrics();

/// The values known under neutral names, renamed and in our units, and what follows from several of them
/// (flop, gflops). Values without a neutral name are left out.
std::vector<Value> neutral_values(const std::vector<Value>& ncu_values);

/// What several launches come to, under Nsight Compute's names: metrics that are sums (".sum") add up, of all
/// others (rates, what a launch was given) those of the longest launch stay. Empty for none.
std::vector<Value> total_of(std::span<const ProfiledKernel> launches);

}  // namespace ww::device
