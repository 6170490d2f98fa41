// The --symbol values of `launch`: variables of the module that the host sets, and what all of them held at
// first.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/launch_argument.h"
#include "cli/launch_buffers.h"
#include "device/device.h"

namespace ww::cli {

struct SymbolValue {
  std::string name;  ///< as the PTX or C++ has it
  LaunchArgument value;
};

/// "scale=f32:2".
Result<SymbolValue> parse_symbol(std::string_view text);

/// Writes the values into the module's variables and leaves in `names` how the PTX calls them. Errors,
/// several at once: no such variable (with the nearest), one named twice, a value that does not fit. `types`:
/// C++ types by name, where sources tell them.
Status set_symbols(const device::Module& module, std::vector<SymbolValue>& values, LaunchBuffers& buffers,
                   uint64_t seed, std::vector<std::string>& names,
                   const std::map<std::string, std::string>& types = {});

/// The contents of a module's variables.
class KeptVariables {
 public:
  KeptVariables(device::Device& device, const device::Module& module);
  Status restore();

 private:
  device::Device& device_;
  std::vector<std::pair<device::Address, std::vector<std::byte>>> contents_;
};

}  // namespace ww::cli
