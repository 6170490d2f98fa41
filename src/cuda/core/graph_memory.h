// Memory of allocation nodes: a graph keeps its addresses, and memory lies there from the time the node runs
// until it is freed, which may be in another graph, by the program, or after the graph is gone.
#pragma once

#include <memory>

#include "cuda/abi/types.h"

namespace ww::cuda {

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  /// Addresses only. Errors: MemoryAllocation, NotSupported.
  static Error reserve(DeviceContext& device, u64 bytes, std::shared_ptr<GraphMemory>& memory);
  /// The one whose addresses begin there, if there is one.
  static std::shared_ptr<GraphMemory> at(const void* address);
  ~GraphMemory();

  void* address() const { return address_; }
  bool live() const { return self_ != nullptr; }
  /// Errors: InvalidValue (not freed since the last time), MemoryAllocation.
  Error begin();
  /// Error: InvalidValue (nothing lies there).
  Error end();

 private:
  u64 number() const { return reinterpret_cast<u64>(address_); }
  DeviceContext* device_ = nullptr;
  void* address_ = nullptr;
  u64 bytes_ = 0;
  std::shared_ptr<GraphMemory> self_;  ///< while it is live, it stays without its graph
};

/// Bytes of graphs' memory on a device, now and at most since the high mark was set back.
struct GraphMemoryUse {
  u64 now = 0, high = 0;
};
GraphMemoryUse graph_memory_use(const DeviceContext& device);
void reset_graph_memory_high(const DeviceContext& device);

}  // namespace ww::cuda
