// The names that profilers before Nsight Compute have for the neutral counters (Nsight Compute's: device/ncu_metrics.h).
#pragma once

#include <span>
#include <string_view>

namespace ww::counters {

struct ProfilerName {
  std::string_view name;      ///< "gld_transactions"
  std::string_view tag;       ///< "global_load_transactions"
  int first_cc, last_cc;      ///< of the GPUs that this profiler has the counter for: 20, 62
};
std::span<const ProfilerName> profiler_names();

}  // namespace ww::counters
