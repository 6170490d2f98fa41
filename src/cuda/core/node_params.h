// Graph nodes as the program describes them and as we keep them.
#pragma once

#include "cuda/core/graph.h"

namespace ww::cuda {

// From the program's description. Errors: InvalidValue, InvalidDeviceFunction and those of copies and
// launches.
Error kernel_of(const KernelNodeParams& params, DeviceContext& device, KernelCall& call);
Error memset_of(const MemsetParams& params, DeviceContext& device, MemsetCall& call);
/// Any node, by its type's number.
Error operation_of(GraphNodeParams& params, DeviceContext& device, Graph& graph, Operation& operation);

// And back. Pointers in it live as long as the node.
KernelNodeParams params_of(GraphNode& node, const KernelCall& call);
MemsetParams params_of(const MemsetCall& call);

/// Gives memory to an allocation node.
Error allocate_for(MemAllocNodeParams& params, DeviceContext& device, Graph& graph);

/// Whether `to` may take the place of `from` in an executable graph (same kind, same kernel's module …).
bool may_replace(const Operation& from, const Operation& to);

}  // namespace ww::cuda
