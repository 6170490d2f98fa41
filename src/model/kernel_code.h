// What the code of a kernel says on a GPU, whatever its launches do with it.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "ptxas/chains.h"
#include "ptxas/machine_code.h"
#include "ptxas/pressure.h"

namespace ww::model {

struct FunctionCode {
  ptxas::MachineCode machine;
  std::vector<std::vector<bool>> beside_loads, spins;  ///< by block and instruction
  std::vector<ptxas::Stretch> stretches;
  std::vector<ptxas::LoadRoom> rooms;  ///< by stretch
};

/// By the program's functions. `registers`: that a thread has.
using KernelCode = std::vector<FunctionCode>;

KernelCode kernel_code(const engine::Program& program, const gpus::Gpu& gpu, int64_t registers);

}  // namespace ww::model
