// The --symbol values of `launch`: variables of the module that the host sets, and what all of them held at
// first.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/launch/argument.h"
#include "cli/launch/buffers.h"
#include "device/device.h"
#include "ptx/debug_types.h"

namespace ww::cli {

struct SymbolValue {
  std::string name;  ///< as the PTX or C++ has it
  std::string path;  ///< of a struct's member; ""
  LaunchArgument value;
};

/// Whether members of structs are given, so that it has to be known what they are.
bool asks_for_members(const std::vector<SymbolValue>& values);

struct KnownVariables {
  std::map<std::string, std::string> types;                      ///< in C++, of the elements, by name
  std::map<std::string, std::vector<ptx::DebugMember>> members;  ///< of structs, by name
};

/// "scale=f32:2", "p.x=1".
Result<SymbolValue> parse_symbol(std::string_view text);

/// Writes the values into the module's variables and leaves in `names` how the PTX calls them. Errors,
/// several at once: no such variable (with the nearest), one named twice, a value that does not fit. `known`:
/// what sources tell of variables. `notes`: of members that nobody gave.
Status set_symbols(const device::Module& module, std::vector<SymbolValue>& values, LaunchBuffers& buffers,
                   uint64_t seed, std::vector<std::string>& names, const KnownVariables& known = {},
                   Diagnostics* notes = nullptr);

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
