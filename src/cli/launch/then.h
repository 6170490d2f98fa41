// launch A … --then B …: several kernels in a row on the same arrays.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/options.h"

namespace ww::cli {

/// Takes the words from the first --then on away from the words of `launch`; those of each kernel.
std::vector<std::vector<std::string>> take_then(std::vector<std::string>& words);

/// The launches behind the first: KERNEL or FILE:KERNEL and options; grid, block and dynamic shared memory
/// are the one's before unless they are given. False after the reason has been printed.
bool add_next(LaunchOptions& first, const std::vector<std::vector<std::string>>& words);

}  // namespace ww::cli
