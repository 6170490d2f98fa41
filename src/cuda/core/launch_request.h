// What cudaLaunchKernel, cuLaunchKernel and their kin have in common.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct LaunchOrder {
  Function* function = nullptr;
  const void* handle = nullptr;  ///< what the program gave for the function
  Dim3 grid, block;
  size_t shared = 0;
  Stream* stream = nullptr;
  bool cooperative = false;
  void** arguments = nullptr;  ///< pointers to the arguments, or
  void** extra = nullptr;      ///< a buffer of them (CU_LAUNCH_PARAM_BUFFER_POINTER)
  const LaunchAttribute* attributes = nullptr;
  u32 count = 0;
};

/// Checks it and submits it. Errors: InvalidDeviceFunction, InvalidValue, and those of check_launch(),
/// gather_arguments() and submit().
Error order_launch(DeviceContext& device, const LaunchOrder& order);

}  // namespace ww::cuda
