// What the texts of a launch's options say.
#pragma once

#include <string>
#include <vector>

#include "cli/destination.h"
#include "cli/launch_argument.h"
#include "cli/launch_options.h"
#include "cli/launch_symbols.h"
#include "device/device.h"

namespace ww::cli {

struct LaunchInput {
  device::Launch launch;
  std::vector<LaunchArgument> arguments;
  std::vector<SymbolValue> symbols;
  std::vector<std::string> checks;
  Destination to;
};

/// Errors: everything that can be wrong on the command line itself, at once.
Result<LaunchInput> parse(const LaunchOptions& options);

}  // namespace ww::cli
