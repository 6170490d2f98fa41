// What can be put into a stream or be a node of a graph.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cuda/abi/graph.h"
#include "cuda/core/conditional.h"
#include "cuda/core/copy.h"

namespace ww::ir {
struct Function;
}
namespace ww::checks {
struct Start;
}

namespace ww::cuda {

struct KernelCall {
  Function* function = nullptr;
  const void* handle = nullptr;  ///< what the program gave for the function
  Dim3 grid, block;
  u32 shared = 0;
  bool cooperative = false;
  bool early = false;  ///< may begin before the launch before it in the stream has ended
  Dim3 cluster;
  std::vector<std::vector<u8>> arguments;
  DeviceContext* device = nullptr;
};
struct MemsetCall {
  u64 to = 0;
  size_t pitch = 0;
  u32 value = 0, element = 1;
  size_t width = 0, height = 1;  ///< elements, rows
  DeviceContext* device = nullptr;
};
struct HostCall {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};
struct EmptyCall {};
struct RecordCall {
  Event* event = nullptr;
  bool external = false;  ///< in a capture: a node, not an edge of the graph
};
struct WaitCall {
  Event* event = nullptr;
  bool external = false;
};
struct ChildCall {
  Graph* graph = nullptr;  ///< a clone of its own
};
struct AllocCall {
  MemAllocNodeParams params{};
};
struct FreeCall {
  void* pointer = nullptr;
};

using Operation = std::variant<KernelCall, Copy, MemsetCall, HostCall, EmptyCall, RecordCall, WaitCall,
                               ChildCall, AllocCall, FreeCall, ConditionalCall>;

/// Does it now.
Error execute(Operation operation, Stream& stream);

/// Errors of a launch's clusters: InvalidClusterSize.
Error check_cluster(DeviceContext& device, const KernelCall& call, const ir::Function& kernel);
/// Errors of a launch that cannot be, without running it.
Error check_launch(DeviceContext& device, const KernelCall& call);
/// Why one of the two last refused a launch of this thread, for people; empty once it was taken.
std::string take_refusal();
Error launch(DeviceContext& device, KernelCall call);
Error launch(DeviceContext& device, KernelCall call, const checks::Start& start);
/// Takes the arguments from an array of pointers, or from `extra` (CU_LAUNCH_PARAM_*) where that is given.
Error gather_arguments(DeviceContext& device, Function& function, void** pointers, void** extra,
                       std::vector<std::vector<u8>>& arguments);

}  // namespace ww::cuda
