// CUDA Runtime API: Graph Management, nodes: adding them, and what they do.
#include <variant>

#include "cuda/core/graph.h"
#include "cuda/core/node_params.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/runtime/calls.h"
#include "cuda/runtime/with_graph.h"

using namespace ww::cuda;

namespace {

template <class T, class F>
Error with_node(GraphNode* node, F&& body) {
  return api([&](DeviceContext& d) -> Error {
    if (!is_graph_node(node)) return Error::InvalidValue;
    T* call = std::get_if<T>(&node->operation);
    return call ? body(*call, d) : Error::InvalidValue;
  });
}

Error symbol_place(const void* symbol, size_t bytes, size_t offset, DeviceContext& d, void*& at) {
  ww::cuda::u64 address = 0, size = 0;
  if (Error e = Registry::get().symbol(d, symbol, address, size); e != Error::Success) return e;
  if (offset > size || bytes > size - offset) return Error::InvalidValue;
  at = reinterpret_cast<void*>(address + offset);
  return Error::Success;
}

}  // namespace

WW_CUDA_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         size_t count, const KernelNodeParams* params) {
  return api([&](DeviceContext& d) -> Error {
    if (!params) return Error::InvalidValue;
    KernelCall call;
    if (Error e = kernel_of(*params, d, call); e != Error::Success) return e;
    return add_node(graph, std::move(call), after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         size_t count, const Memcpy3D* params) {
  return api([&](DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    Copy copy;
    if (Error e = copy_of(*params, copy); e != Error::Success) return e;
    if (Error e = check(copy); e != Error::Success) return e;
    return add_node(graph, copy, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* after,
                                           size_t count, void* to, const void* from, size_t bytes,
                                           CopyKind kind) {
  return api([&](DeviceContext&) -> Error {
    Copy copy = linear_copy(to, from, bytes, kind);
    if (Error e = check(copy); e != Error::Success) return e;
    return add_node(graph, copy, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemcpyNodeToSymbol(GraphNode** node, Graph* graph, GraphNode* const* after,
                                                 size_t count, const void* symbol, const void* from,
                                                 size_t bytes, size_t offset, CopyKind kind) {
  return api([&](DeviceContext& d) -> Error {
    void* at = nullptr;
    if (Error e = symbol_place(symbol, bytes, offset, d, at); e != Error::Success) return e;
    Copy copy = linear_copy(at, from, bytes, kind);
    if (Error e = check(copy); e != Error::Success) return e;
    return add_node(graph, copy, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemcpyNodeFromSymbol(GraphNode** node, Graph* graph, GraphNode* const* after,
                                                   size_t count, void* to, const void* symbol, size_t bytes,
                                                   size_t offset, CopyKind kind) {
  return api([&](DeviceContext& d) -> Error {
    void* at = nullptr;
    if (Error e = symbol_place(symbol, bytes, offset, d, at); e != Error::Success) return e;
    Copy copy = linear_copy(to, at, bytes, kind);
    if (Error e = check(copy); e != Error::Success) return e;
    return add_node(graph, copy, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         size_t count, const MemsetParams* params) {
  return api([&](DeviceContext& d) -> Error {
    if (!params) return Error::InvalidValue;
    MemsetCall call;
    if (Error e = memset_of(*params, d, call); e != Error::Success) return e;
    return add_node(graph, call, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                       const HostNodeParams* params) {
  return api([&](DeviceContext&) -> Error {
    if (!params || !params->function) return Error::InvalidValue;
    return add_node(graph, HostCall{params->function, params->data}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                             size_t count, Graph* child) {
  return with_graph(child, [&](Graph& c, DeviceContext&) -> Error {
    if (&c == graph) return Error::InvalidValue;
    return add_node(graph, ChildCall{keep(c.clone())}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                        size_t count) {
  return api([&](DeviceContext&) { return add_node(graph, EmptyCall{}, after, count, node); });
}
WW_CUDA_API Error cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                              size_t count, Event* event) {
  return api([&](DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    return add_node(graph, RecordCall{event}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                            size_t count, Event* event) {
  return api([&](DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    return add_node(graph, WaitCall{event}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                           size_t count, MemAllocNodeParams* params) {
  return with_graph(graph, [&](Graph& g, DeviceContext& d) -> Error {
    if (!params) return Error::InvalidValue;
    if (Error e = allocate_for(*params, d, g); e != Error::Success) return e;
    return add_node(graph, AllocCall{*params}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                          size_t count, void* pointer) {
  return api([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(pointer);
    if (!pointer || (block && block->kind == BlockKind::Device && !block->pool)) return Error::InvalidValue;
    return add_node(graph, FreeCall{pointer}, after, count, node);
  });
}
WW_CUDA_API Error cudaGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                      const GraphEdgeData*, size_t count, GraphNodeParams* params) {
  return with_graph(graph, [&](Graph& g, DeviceContext& d) -> Error {
    if (!params) return Error::InvalidValue;
    Operation operation;
    if (Error e = operation_of(*params, d, g, operation); e != Error::Success) return e;
    return add_node(graph, std::move(operation), after, count, node);
  });
}
WW_CUDA_API Error cudaGraphConditionalHandleCreate(ww::cuda::u64* handle, Graph* graph, u32 initial,
                                                   u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    return handle ? make_conditional(graph, d, initial, flags, *handle) : Error::InvalidValue;
  });
}
// Before CUDA 13 there was no list of edges between the nodes and their count.
WW_CUDA_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                   ww::cuda::u64 fourth, ww::cuda::u64 fifth, GraphNodeParams* params) {
  if (Platform::get().runtime_version() >= 13000)
    return cudaGraphAddNode_v2(node, graph, after, nullptr, fifth, params);
  return cudaGraphAddNode_v2(node, graph, after, nullptr, fourth, reinterpret_cast<GraphNodeParams*>(fifth));
}

// What a node does.
WW_CUDA_API Error cudaGraphKernelNodeGetParams(GraphNode* node, KernelNodeParams* params) {
  return with_node<KernelCall>(node, [&](KernelCall& call, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = params_of(*node, call);
    // Programs compare it with their kernels' names; nvcc's code launches by another handle.
    if (const void* host = Registry::get().host_function(static_cast<const Function*>(params->function)))
      params->function = const_cast<void*>(host);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParams* params) {
  return with_node<KernelCall>(node, [&](KernelCall& call, DeviceContext& d) -> Error {
    if (!params) return Error::InvalidValue;
    return kernel_of(*params, d, call);
  });
}
WW_CUDA_API Error cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  return with_node<KernelCall>(to, [&](KernelCall& call, DeviceContext&) -> Error {
    if (!is_graph_node(from)) return Error::InvalidValue;
    auto* other = std::get_if<KernelCall>(&from->operation);
    if (!other) return Error::InvalidValue;
    call.cooperative = other->cooperative, call.cluster = other->cluster;
    std::copy(std::begin(from->attributes), std::end(from->attributes), to->attributes);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphKernelNodeGetAttribute(GraphNode* node, int id, LaunchAttributeValue* value) {
  return with_node<KernelCall>(node, [&](KernelCall&, DeviceContext&) -> Error {
    if (!value || id < 1 || id > 15) return Error::InvalidValue;
    *value = node->attributes[id];
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphKernelNodeSetAttribute(GraphNode* node, int id,
                                                  const LaunchAttributeValue* value) {
  return with_node<KernelCall>(node, [&](KernelCall& call, DeviceContext&) -> Error {
    if (!value || id < 1 || id > 15) return Error::InvalidValue;
    node->attributes[id] = *value;
    if (id == 2) call.cooperative = value->number != 0;
    if (id == 4) call.cluster = {value->cluster.x, value->cluster.y, value->cluster.z};
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphMemcpyNodeGetParams(GraphNode* node, Memcpy3D* params) {
  return with_node<Copy>(node, [&](Copy& copy, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = copy.params;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphMemcpyNodeSetParams(GraphNode* node, const Memcpy3D* params) {
  return with_node<Copy>(node, [&](Copy& copy, DeviceContext&) -> Error {
    return params ? copy_of(*params, copy) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* to, const void* from, size_t bytes,
                                                 CopyKind kind) {
  return with_node<Copy>(node, [&](Copy& copy, DeviceContext&) -> Error {
    copy = linear_copy(to, from, bytes, kind);
    return check(copy);
  });
}
WW_CUDA_API Error cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode* node, const void* symbol, const void* from,
                                                       size_t bytes, size_t offset, CopyKind kind) {
  return with_node<Copy>(node, [&](Copy& copy, DeviceContext& d) -> Error {
    void* at = nullptr;
    if (Error e = symbol_place(symbol, bytes, offset, d, at); e != Error::Success) return e;
    copy = linear_copy(at, from, bytes, kind);
    return check(copy);
  });
}
WW_CUDA_API Error cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode* node, void* to, const void* symbol,
                                                         size_t bytes, size_t offset, CopyKind kind) {
  return with_node<Copy>(node, [&](Copy& copy, DeviceContext& d) -> Error {
    void* at = nullptr;
    if (Error e = symbol_place(symbol, bytes, offset, d, at); e != Error::Success) return e;
    copy = linear_copy(to, at, bytes, kind);
    return check(copy);
  });
}
WW_CUDA_API Error cudaGraphMemsetNodeGetParams(GraphNode* node, MemsetParams* params) {
  return with_node<MemsetCall>(node, [&](MemsetCall& call, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = params_of(call);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphMemsetNodeSetParams(GraphNode* node, const MemsetParams* params) {
  return with_node<MemsetCall>(node, [&](MemsetCall& call, DeviceContext& d) -> Error {
    return params ? memset_of(*params, d, call) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaGraphHostNodeGetParams(GraphNode* node, HostNodeParams* params) {
  return with_node<HostCall>(node, [&](HostCall& call, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = {call.function, call.data};
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphHostNodeSetParams(GraphNode* node, const HostNodeParams* params) {
  return with_node<HostCall>(node, [&](HostCall& call, DeviceContext&) -> Error {
    if (!params || !params->function) return Error::InvalidValue;
    call = {params->function, params->data};
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph) {
  return with_node<ChildCall>(node, [&](ChildCall& call, DeviceContext&) -> Error {
    if (!graph) return Error::InvalidValue;
    *graph = call.graph;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** event) {
  return with_node<RecordCall>(node, [&](RecordCall& call, DeviceContext&) -> Error {
    if (!event) return Error::InvalidValue;
    *event = call.event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event) {
  return with_node<RecordCall>(node, [&](RecordCall& call, DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    call.event = event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** event) {
  return with_node<WaitCall>(node, [&](WaitCall& call, DeviceContext&) -> Error {
    if (!event) return Error::InvalidValue;
    *event = call.event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event) {
  return with_node<WaitCall>(node, [&](WaitCall& call, DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    call.event = event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphMemAllocNodeGetParams(GraphNode* node, MemAllocNodeParams* params) {
  return with_node<AllocCall>(node, [&](AllocCall& call, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = call.params;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphMemFreeNodeGetParams(GraphNode* node, void** pointer) {
  return with_node<FreeCall>(node, [&](FreeCall& call, DeviceContext&) -> Error {
    if (!pointer) return Error::InvalidValue;
    *pointer = call.pointer;
    return Error::Success;
  });
}
