// Through which of its parameters a kernel may write global memory, and of which each access is made.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// 8 bytes of the parameters: an address, or a number that goes into one.
struct ParamPlace {
  size_t param = 0;     ///< index into Function::params
  uint64_t offset = 0;  ///< within it
};

struct WrittenParams {
  /// Every address that the kernel stores or updates through is made of `places` and of what is no address.
  /// Else: some come from memory, from global variables, out of calls, or in ways that are not followed.
  bool known = false;
  std::vector<ParamPlace> places;
};

WrittenParams written_params(const ir::Module& module, const ir::Function& entry);

struct AccessParams {
  std::vector<ParamPlace> places;
  /// Accesses of single lanes whose address is made of some of the places and of what is no address: bit k
  /// stands for place k.
  std::vector<std::pair<const ir::Instruction*, uint64_t>> of;
};

AccessParams access_params(const ir::Module& module, const ir::Function& entry);

}  // namespace ww::analysis
