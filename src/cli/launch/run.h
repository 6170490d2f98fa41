// Runs what `launch`, `explain` and `watch` of a kernel of the user's own ask for.
#pragma once

#include "cli/launch/options.h"

namespace ww::cli {

/// One kernel, or several in a row (LaunchOptions::next). Prints what there is to say and returns the exit
/// code.
int run_launches(const LaunchOptions& options);

}  // namespace ww::cli
