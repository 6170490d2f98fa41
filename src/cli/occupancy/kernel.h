// What a kernel of the laboratory asks of an SM: its block, registers, shared memory and parameters.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/compile/cuda_source.h"
#include "kernels/case.h"
#include "model/occupancy.h"
#include "model/prediction.h"
#include "userkernel/own_kernel.h"

namespace ww::cli {

struct KernelDemand {
  model::Demand demand;
  model::Registers registers;         ///< those of the demand, and where they are from
  bool guessed_block = false;         ///< of a kernel of the user's own
  bool wants_dynamic_shared = false;  ///< the same, which the launch says the size of
};

/// `given`: registers per thread; 0: as published, else as ptxas says, else an estimate. Errors: no such
/// kernel, a shape that it does not exist in, a kernel of the host.
Result<KernelDemand> demand_of(const std::string& kernel, const kernels::Shape& shape, const gpus::Gpu& gpu,
                               int64_t given);

/// Of a kernel of the user's own, in blocks of this shape (block_x 0: guessed by its code). Errors also:
/// those of compiling and reading it.
Result<KernelDemand> demand_of(const userkernel::OwnKernel& own, const CompileOptions& compile,
                               const model::Demand& block, const gpus::Gpu& gpu, int64_t given);

}  // namespace ww::cli
