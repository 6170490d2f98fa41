// What the texts of a launch's options say.
#pragma once

#include <string>
#include <vector>

#include "cli/destination.h"
#include "cli/launch_argument.h"
#include "cli/launch_options.h"
#include "cli/launch_parameters.h"
#include "cli/launch_symbols.h"
#include "device/device.h"

namespace ww::cli {

struct LaunchInput {
  bool extents = true;  ///< --grid and --block are both there
  device::Launch launch;
  std::vector<NamedArgument> named;       ///< as they were given
  std::vector<LaunchArgument> arguments;  ///< in the kernel's order, once it is known
  std::vector<Parameter> parameters;      ///< of the kernel, as far as known
  std::vector<SymbolValue> symbols;
  std::vector<std::string> checks;
  Destination to;
};

/// Errors: everything that can be wrong on the command line itself, at once.
Result<LaunchInput> parse(const LaunchOptions& options);

}  // namespace ww::cli
