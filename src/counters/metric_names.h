// Which GPUs have a metric, and under which neutral name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"

namespace ww::counters {

/// Whether `metric` (a neutral tag of memory counters, or a name of a profiler before Nsight Compute) is one
/// that not every GPU has.
bool is_particular(std::string_view metric);
/// Its neutral tag on this GPU; "" if this GPU does not have it. Metrics that are not particular are their
/// own tag.
std::string tag_on(std::string_view metric, const gpus::Gpu& gpu);
/// The tag that this GPU has in its place: of the same accesses, sectors for transactions and the like; "" if
/// there is none.
std::string nearest_on(std::string_view metric, const gpus::Gpu& gpu);
/// Ids of the known GPUs that have it.
std::vector<std::string> gpus_with(std::string_view metric);

}  // namespace ww::counters
