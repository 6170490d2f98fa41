// What the texts of a launch's options say.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/argument.h"
#include "cli/launch/options.h"
#include "cli/launch/parameters.h"
#include "cli/launch/symbols.h"
#include "cli/shared/destination.h"
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
  std::string guessed;               ///< the command of the launch, where it was guessed
  std::vector<std::string> remarks;  ///< what a reader of its page has to know of the launch
};

/// Errors: everything that can be wrong on the command line itself, at once.
Result<LaunchInput> parse(const LaunchOptions& options);

}  // namespace ww::cli
