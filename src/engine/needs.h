// What each kernel of a module needs to run, and why those that cannot run are refused: known without a
// device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "engine/machine.h"
#include "ir/module.h"

namespace ww::engine {

struct KernelNeeds {
  std::string name;
  Diagnostics refused;  ///< empty: it runs. The fields below are then set.
  u32 params_bytes = 0;
  u32 shared_bytes = 0;  ///< static
  u32 local_bytes = 0;   ///< per thread
  u32 functions = 0;     ///< that it reaches, itself not counted
  bool dynamic_shared = false;
  std::vector<std::string> features;  ///< "clusters", "textures", "printf", …: in order of the alphabet
};

/// Decodes every kernel, in the module's order.
std::vector<KernelNeeds> needs_of(std::shared_ptr<const ir::Module> module);

}  // namespace ww::engine
