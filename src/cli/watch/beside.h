// warpwright watch A … --beside B …: two kernels in one picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/app.h"

namespace ww::cli {

/// --beside, for --help: what stands behind it is read by watch_beside.
void add_beside_option(CLI::App& command);

/// The words behind `watch` for the second kernel: those behind --beside, then the options of the first that
/// they do not have. ":KERNEL" is one of the first's file.
std::vector<std::string> words_of_second(const std::vector<std::string>& first,
                                         const std::vector<std::string>& behind);

/// Runs the command if its words hold --beside, and returns the exit code.
std::optional<int> watch_beside(int argc, char** argv);

}  // namespace ww::cli
