// The device runtime's functions for grids: cudaCGGetIntrinsicHandle, cudaCGSynchronize and their kin, which
// cooperative groups of CUDA 9 and 10, and numba, call.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace ww::cuda {

/// Adds definitions of those functions to a module that calls some of them and does not define them; else the
/// module as it is. Semantics: cuda_device_runtime_api.h. A handle is the address of the grid's barrier, 0 in
/// launches that are not cooperative; cudaCGSynchronize then returns cudaErrorInvalidValue (1).
/// Errors: none but a declaration with other parameters than CUDA's.
Result<ir::Module> with_device_groups(ir::Module module);

}  // namespace ww::cuda
