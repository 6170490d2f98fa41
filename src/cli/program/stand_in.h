// The libraries that stand in for CUDA's, and the environment in which programs find them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ww::cli {

/// The folder of these libraries: beside the executable in a build tree, ../lib/warpwright of an installed
/// one. Error: it is not there.
Result<std::string> stand_in_folder();

/// Sets LD_LIBRARY_PATH, LD_PRELOAD and LD_AUDIT of this process so that what it starts, and what that
/// starts, finds the libraries of `folder` before any other.
void use_stand_ins(const std::string& folder);

}  // namespace ww::cli
