// Conditional nodes of graphs: bodies that run as often as a value in device memory says, which kernels set
// (cudaGraphSetConditional).
#pragma once

#include <vector>

#include "cuda/abi/types.h"

namespace ww::cuda {

/// The manual's numbers (cudaGraphConditionalNodeType).
enum class ConditionalType : int { If = 0, While = 1, Switch = 2 };

struct ConditionalCall {
  u64 handle = 0;
  ConditionalType type = ConditionalType::If;
  std::vector<Graph*> bodies;  ///< its own
};

/// The value behind a handle, which is its address on the device; a graph and its clones share it.
struct Conditional {
  u64 handle = 0;
  u32 initial = 0;
  bool assigned = false;  ///< `initial` is stored whenever the graph begins
  ~Conditional();
};

/// Errors: InvalidValue, MemoryAllocation.
Error make_conditional(Graph* graph, DeviceContext& device, u32 initial, u32 flags, u64& handle);
/// Stores what is assigned at the beginning.
void assign_conditionals(const Graph& graph);
/// A node's bodies, empty. Error: InvalidValue.
Error make_bodies(const Graph& graph, u64 handle, int type, u32 count, ConditionalCall& call);
Error run_conditional(const ConditionalCall& call, Stream& stream);

}  // namespace ww::cuda
