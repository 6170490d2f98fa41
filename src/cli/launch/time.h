// launch --repeat: how long the launch itself takes on this machine.
#pragma once

#include <vector>

#include "base/table.h"

namespace ww::cli {

/// "host_seconds_least", "host_seconds_median" and "launches" of these seconds (at least one), measured.
std::vector<Value> host_times(std::vector<double> seconds);

}  // namespace ww::cli
