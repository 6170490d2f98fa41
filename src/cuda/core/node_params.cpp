#include "cuda/core/node_params.h"

#include "cuda/core/code.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"

namespace ww::cuda {

Error kernel_of(const KernelNodeParams& p, DeviceContext& device, KernelCall& call) {
  call = {};
  call.function = function_of(p.function);
  if (!call.function) return no_function(p.function);
  call.handle = p.function;
  call.grid = p.grid, call.block = p.block, call.shared = p.shared;
  call.device = &device;
  if (Error e = check_launch(device, call); e != Error::Success) return e;
  return gather_arguments(device, *call.function, p.arguments, p.extra, call.arguments);
}

Error memset_of(const MemsetParams& p, DeviceContext& device, MemsetCall& call) {
  if (p.element != 1 && p.element != 2 && p.element != 4) return Error::InvalidValue;
  auto at = reinterpret_cast<u64>(p.to);
  auto block = Platform::get().memory().find(at);
  size_t row = p.width * p.element;
  if (!block || p.width == 0 || p.height == 0 || (p.height > 1 && p.pitch < row) ||
      at + (p.height - 1) * p.pitch + row > block->base + block->bytes)
    return Error::InvalidValue;
  call = {at, p.pitch, p.value, p.element, p.width, p.height, &device};
  return Error::Success;
}

Error allocate_for(MemAllocNodeParams& p, DeviceContext& device, Graph& graph) {
  DeviceContext* d = p.props.location.type == 1 ? Platform::get().device(p.props.location.id) : &device;
  if (!d || !p.bytes) return Error::InvalidValue;
  std::shared_ptr<GraphMemory> memory;
  if (Error e = GraphMemory::reserve(*d, p.bytes, memory); e != Error::Success) return e;
  p.pointer = memory->address();
  graph.memory.push_back(std::move(memory));
  return Error::Success;
}

Error operation_of(GraphNodeParams& p, DeviceContext& device, Graph& graph, Operation& operation) {
  switch (static_cast<NodeType>(p.type)) {
    case NodeType::Kernel: {
      KernelCall call;
      Error e = kernel_of(p.kernel, device, call);
      operation = std::move(call);
      return e;
    }
    case NodeType::Memcpy: {
      Copy copy;
      Error e = copy_of(p.copy.params, copy);
      if (e == Error::Success) e = check(copy);
      operation = copy;
      return e;
    }
    case NodeType::Memset: {
      MemsetCall call;
      Error e = memset_of(p.memset, device, call);
      operation = call;
      return e;
    }
    case NodeType::Host:
      operation = HostCall{p.host.function, p.host.data};
      return p.host.function ? Error::Success : Error::InvalidValue;
    case NodeType::Graph:
      if (!is_graph(p.child.graph)) return Error::InvalidValue;
      operation = ChildCall{keep(p.child.graph->clone())};
      return Error::Success;
    case NodeType::Empty:
      operation = EmptyCall{};
      return Error::Success;
    case NodeType::WaitEvent:
    case NodeType::EventRecord:
      if (!is_event(p.event)) return Error::InvalidResourceHandle;
      if (static_cast<NodeType>(p.type) == NodeType::WaitEvent)
        operation = WaitCall{p.event};
      else
        operation = RecordCall{p.event};
      return Error::Success;
    case NodeType::MemAlloc: {
      Error e = allocate_for(p.alloc, device, graph);
      operation = AllocCall{p.alloc};
      return e;
    }
    case NodeType::MemFree:
      operation = FreeCall{p.freed};
      return p.freed ? Error::Success : Error::InvalidValue;
    case NodeType::Conditional: {
      ConditionalCall call;
      auto& c = p.conditional;
      if (Error e = make_bodies(graph, c.handle, c.type, c.size, call); e != Error::Success) return e;
      c.graphs = call.bodies.data();  // stays where it is when the call is moved into its node
      operation = std::move(call);
      return Error::Success;
    }
    default:
      return Error::NotSupported;  // semaphores of other APIs
  }
}

KernelNodeParams params_of(GraphNode& node, const KernelCall& call) {
  node.pointers.clear();
  for (const auto& a : call.arguments) node.pointers.push_back(const_cast<u8*>(a.data()));
  return {const_cast<void*>(call.handle), call.grid, call.block, call.shared, node.pointers.data(), nullptr};
}

MemsetParams params_of(const MemsetCall& call) {
  return {reinterpret_cast<void*>(call.to), call.pitch, call.value, call.element, call.width, call.height};
}

bool may_replace(const Operation& from, const Operation& to) {
  if (from.index() != to.index()) return false;
  if (auto* child = std::get_if<ChildCall>(&from)) {
    const Graph &a = *child->graph, &b = *std::get<ChildCall>(to).graph;
    if (a.nodes.size() != b.nodes.size()) return false;
    for (size_t k = 0; k < a.nodes.size(); ++k)
      if (!may_replace(a.nodes[k]->operation, b.nodes[k]->operation)) return false;
  }
  return true;
}

}  // namespace ww::cuda
