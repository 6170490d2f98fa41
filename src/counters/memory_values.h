// The counters of memory accesses, one line for each: on which GPUs, and which part of the cost.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

struct MemoryMetric {
  std::string_view name;  ///< behind the family's: "requests"
  std::string_view unit, description;
  u64 (*of)(const rules::Cost&);
  bool (*on)(rules::Capability);
};
std::span<const MemoryMetric> memory_metrics(rules::CostSpace space);

}  // namespace ww::counters
