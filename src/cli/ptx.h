// "warpwright ptx": PTX to the intermediate form.
#pragma once

#include <CLI/CLI.hpp>

namespace ww::cli {

/// `exit_code` is set when the command runs: 0, or 2 when the file cannot be read or is wrong.
void add_ptx(CLI::App& app, int& exit_code);

}  // namespace ww::cli
