// Registers per thread on a GPU: chooses between given, published, ptxas's and estimated figures.
#pragma once

#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "ir/module.h"
#include "model/known_registers.h"
#include "model/prediction.h"

namespace ww::forecast {

/// In this order: what the user gave, what is published (both in `known`), what ptxas says where it is
/// installed and compiles for the GPU (7.5 and later), an estimate (ptxas/pressure.h). Each says which it
/// is. `ptx`: the text that `module` was parsed from.
model::Registers registers_of(std::string_view ptx, const ir::Module& module, const ir::Function& kernel,
                              const gpus::Gpu& gpu, const std::vector<model::KnownRegisters>& known);

}  // namespace ww::forecast
