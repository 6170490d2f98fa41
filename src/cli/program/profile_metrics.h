// Whether metrics that `profile` is asked for exist, before the program runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"

namespace ww::cli {

/// `metrics`: our tags, "all", or "a|b". Error: one that no launch can have, with the nearest. Which of the
/// others a launch has, only the launch tells.
Status check_profile_metrics(const std::vector<std::string>& metrics, const std::vector<gpus::Gpu>& gpus);

}  // namespace ww::cli
