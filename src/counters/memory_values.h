// The counters of memory accesses, one line for each: on which GPUs, and which part of the cost.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/access_totals.h"

namespace ww::counters {

using engine::u32;
using engine::u64;

struct MemoryFamily {
  std::string name;  ///< "global_load"
  rules::CostSpace space;
  rules::AccessKind kind;
  bool always;  ///< also when there is none of it
};
const std::vector<MemoryFamily>& memory_families();

/// What all accesses of a family cost.
struct MemoryCost {
  const MemoryFamily* family = nullptr;  ///< of memory_families()
  rules::Cost cost;
};
/// In the order of the families; those that are not `always` told only where there is some of them.
std::vector<MemoryCost> memory_costs(const rules::AccessTotals& totals);

struct MemoryMetric {
  std::string_view name;  ///< behind the family's: "requests"
  std::string_view unit, description;
  u64 (*of)(const rules::Cost&);
  bool (*on)(rules::Capability);
};
std::span<const MemoryMetric> memory_metrics(rules::CostSpace space);

}  // namespace ww::counters
