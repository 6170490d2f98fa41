// What a kernel takes and may take: attributes of functions and of launches, occupancy.
#pragma once

#include "cuda/abi/types.h"
#include "cuda/core/operation.h"
#include "ir/module.h"

namespace ww::cuda {

/// Static shared memory: what the kernel and the functions of its module declare.
size_t static_shared(const ir::Module& module, const ir::Function& kernel);
/// Registers, memory and limits of a kernel. The registers are ptxas's where it is installed, else estimated
/// (forecast/registers.h). Errors: InvalidDeviceFunction, and those of loading its code.
Error function_attributes(DeviceContext& device, Function& function, FuncAttributes& attributes);
/// One of them, by the driver's number (CUfunction_attribute). Error besides: InvalidValue.
Error function_attribute(DeviceContext& device, Function& function, int attribute, int& value);
/// cudaFuncSetAttribute. Errors: InvalidValue.
Error set_function_attribute(DeviceContext& device, Function& function, int attribute, int value);
/// One of the attributes of cudaLaunchKernelExC.
void apply_attribute(const LaunchAttribute& attribute, KernelCall& call);
/// Blocks of a kernel that one SM holds; 0 if none fits. Errors: InvalidDeviceFunction, InvalidValue.
Error active_blocks(DeviceContext& device, Function& function, int threads, size_t dynamic_shared,
                    int& blocks);
/// Clusters of such a launch that the GPU holds: the blocks of each are on SMs of one GPC. Errors besides:
/// InvalidClusterSize.
Error active_clusters(DeviceContext& device, const KernelCall& call, int& clusters);

}  // namespace ww::cuda
