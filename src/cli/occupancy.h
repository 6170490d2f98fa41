// warpwright occupancy: what of a launch an SM can hold, which limit binds, and where that changes.
#pragma once

#include "cli/shared/app.h"

namespace ww::cli {

/// Adds the subcommand. Its callback prints and sets exit_code: 0; 1 for a launch that the GPU refuses; 2 for
/// wrong input.
void add_occupancy(CLI::App& app, int& exit_code);

}  // namespace ww::cli
