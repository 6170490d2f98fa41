// The slow, obvious reference: runs a module one thread at a time, each up to the next place where it waits for others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ww::reference {

struct Launch {
  std::string kernel;
  uint32_t grid = 1, block = 1;                  ///< along x
  std::vector<std::vector<uint8_t>> arguments;   ///< one for each parameter
};

struct Machine {
  const ir::Module& module;
  std::map<uint64_t, std::vector<uint8_t>> global;        ///< allocations by address
  std::map<ir::SymbolId, uint64_t> variables;             ///< addresses of .global variables
  std::map<const ir::Instruction*, uint64_t> executed;    ///< by how many threads each instruction was
};

/// Runs a kernel. Returns "" or what went wrong.
std::string run(Machine& machine, const Launch& launch);

}  // namespace ww::reference
