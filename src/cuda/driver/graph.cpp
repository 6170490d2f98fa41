// CUDA Driver API: Graph Management. What differs from the runtime are the descriptions of nodes.
#include "cuda/core/graph.h"

#include <cstring>

#include "cuda/core/code.h"
#include "cuda/core/node_params.h"
#include "cuda/driver/call.h"
#include "cuda/driver/copy.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_FORWARD_ANYWHERE(cuGraphCreate, cudaGraphCreate, (Graph * *graph, u32 flags), (graph, flags))
WW_FORWARD_ANYWHERE(cuGraphDestroy, cudaGraphDestroy, (Graph * graph), (graph))
WW_FORWARD_ANYWHERE(cuGraphClone, cudaGraphClone, (Graph * *clone, Graph* graph), (clone, graph))
WW_FORWARD_ANYWHERE(cuGraphNodeFindInClone, cudaGraphNodeFindInClone,
                    (GraphNode * *found, GraphNode* original, Graph* clone), (found, original, clone))
WW_FORWARD_ANYWHERE(cuGraphAddHostNode, cudaGraphAddHostNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count,
                     const HostNodeParams* params),
                    (node, graph, after, count, params))
WW_FORWARD_ANYWHERE(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count, Graph* child),
                    (node, graph, after, count, child))
WW_FORWARD_ANYWHERE(cuGraphAddEmptyNode, cudaGraphAddEmptyNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count),
                    (node, graph, after, count))
WW_FORWARD_ANYWHERE(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count, Event* event),
                    (node, graph, after, count, event))
WW_FORWARD_ANYWHERE(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count, Event* event),
                    (node, graph, after, count, event))
WW_FORWARD_ANYWHERE(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count,
                     MemAllocNodeParams* params),
                    (node, graph, after, count, params))
WW_FORWARD_ANYWHERE(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode,
                    (GraphNode * *node, Graph* graph, GraphNode* const* after, size_t count, void* pointer),
                    (node, graph, after, count, pointer))
WW_FORWARD_ANYWHERE(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams,
                    (GraphNode * node, HostNodeParams* params), (node, params))
WW_FORWARD_ANYWHERE(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams,
                    (GraphNode * node, const HostNodeParams* params), (node, params))
WW_FORWARD_ANYWHERE(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
                    (GraphNode * node, Graph** graph), (node, graph))
WW_FORWARD_ANYWHERE(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
                    (GraphNode * node, Event** event), (node, event))
WW_FORWARD_ANYWHERE(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent,
                    (GraphNode * node, Event* event), (node, event))
WW_FORWARD_ANYWHERE(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent,
                    (GraphNode * node, Event** event), (node, event))
WW_FORWARD_ANYWHERE(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent,
                    (GraphNode * node, Event* event), (node, event))
WW_FORWARD_ANYWHERE(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
                    (GraphNode * node, MemAllocNodeParams* params), (node, params))
WW_FORWARD_ANYWHERE(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams,
                    (GraphNode * node, void** pointer), (node, pointer))
WW_FORWARD_ANYWHERE(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes,
                    (GraphNode * to, GraphNode* from), (to, from))
WW_FORWARD_ANYWHERE(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
                    (GraphNode * node, int id, LaunchAttributeValue* value), (node, id, value))
WW_FORWARD_ANYWHERE(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
                    (GraphNode * node, int id, const LaunchAttributeValue* value), (node, id, value))
WW_FORWARD_ANYWHERE(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams,
                    (GraphNode * node, MemsetParams* params), (node, params))
WW_FORWARD_ANYWHERE(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
                    (GraphNode * node, const MemsetParams* params), (node, params))
WW_FORWARD_ANYWHERE(cuGraphNodeGetType, cudaGraphNodeGetType, (GraphNode * node, int* type), (node, type))
WW_FORWARD_ANYWHERE(cuGraphGetNodes, cudaGraphGetNodes, (Graph * graph, GraphNode** nodes, size_t* count),
                    (graph, nodes, count))
WW_FORWARD_ANYWHERE(cuGraphGetRootNodes, cudaGraphGetRootNodes,
                    (Graph * graph, GraphNode** nodes, size_t* count), (graph, nodes, count))
WW_FORWARD_ANYWHERE(cuGraphGetEdges_v2, cudaGraphGetEdges_v2,
                    (Graph * graph, GraphNode** from, GraphNode** to, GraphEdgeData* unused3, size_t* count),
                    (graph, from, to, unused3, count))
WW_FORWARD_ANYWHERE(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2,
                    (GraphNode * node, GraphNode** out, GraphEdgeData* unused2, size_t* count),
                    (node, out, unused2, count))
WW_FORWARD_ANYWHERE(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2,
                    (GraphNode * node, GraphNode** out, GraphEdgeData* unused2, size_t* count),
                    (node, out, unused2, count))
WW_FORWARD_ANYWHERE(cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2,
                    (Graph * graph, GraphNode* const* from, GraphNode* const* to,
                     const GraphEdgeData* unused3, size_t count),
                    (graph, from, to, unused3, count))
WW_FORWARD_ANYWHERE(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2,
                    (Graph * graph, GraphNode* const* from, GraphNode* const* to,
                     const GraphEdgeData* unused3, size_t count),
                    (graph, from, to, unused3, count))
WW_FORWARD_ANYWHERE(cuGraphDestroyNode, cudaGraphDestroyNode, (GraphNode * node), (node))
WW_FORWARD_ANYWHERE(cuGraphDebugDotPrint, cudaGraphDebugDotPrint,
                    (Graph * graph, const char* path, u32 unused2), (graph, path, unused2))
WW_FORWARD_ANYWHERE(cuUserObjectCreate, cudaUserObjectCreate,
                    (UserObject * *object, void* pointer, void (*destroy)(void*), u32 references, u32 flags),
                    (object, pointer, destroy, references, flags))
WW_FORWARD_ANYWHERE(cuUserObjectRetain, cudaUserObjectRetain, (UserObject * object, u32 count),
                    (object, count))
WW_FORWARD_ANYWHERE(cuUserObjectRelease, cudaUserObjectRelease, (UserObject * object, u32 count),
                    (object, count))
WW_FORWARD_ANYWHERE(cuGraphRetainUserObject, cudaGraphRetainUserObject,
                    (Graph * graph, UserObject* object, u32 count, u32 flags), (graph, object, count, flags))
WW_FORWARD_ANYWHERE(cuGraphReleaseUserObject, cudaGraphReleaseUserObject,
                    (Graph * graph, UserObject* object, u32 count), (graph, object, count))
WW_FORWARD_ANYWHERE(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), (device))
WW_FORWARD_ANYWHERE(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
                    (int device, int unused1, void* value), (device, unused1, value))
WW_FORWARD_ANYWHERE(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
                    (int device, int unused1, void* unused2), (device, unused1, unused2))

WW_CUDA_API Error cuGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, size_t* count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WW_CUDA_API Error cuGraphNodeGetDependencies(GraphNode* node, GraphNode** out, size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
WW_CUDA_API Error cuGraphNodeGetDependentNodes(GraphNode* node, GraphNode** out, size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
WW_CUDA_API Error cuGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                         size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WW_CUDA_API Error cuGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                            size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

namespace {

/// The kernel of either of the handles.
KernelNodeParams runtime_params(const DriverKernelNode& p, Function* kernel) {
  return {p.function ? p.function : kernel, p.grid, p.block, p.shared, p.arguments, p.extra};
}
template <class T, class F>
Error with_call(GraphNode* node, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    if (!is_graph_node(node)) return Error::InvalidValue;
    T* call = std::get_if<T>(&node->operation);
    return call ? body(*call, d) : Error::InvalidValue;
  });
}

}  // namespace

// Nodes of kernels.
WW_CUDA_API Error cuGraphAddKernelNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                          size_t count, const DriverKernelNode2* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p = runtime_params(*params, params->kernel);
  return as_runtime([&] { return cudaGraphAddKernelNode(node, graph, after, count, &p); });
}
WW_CUDA_API Error cuGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                       const DriverKernelNode* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p = runtime_params(*params, nullptr);
  return as_runtime([&] { return cudaGraphAddKernelNode(node, graph, after, count, &p); });
}
WW_CUDA_API Error cuGraphKernelNodeGetParams(GraphNode* node, DriverKernelNode* params) {
  return with_call<KernelCall>(node, [&](KernelCall& call, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    KernelNodeParams p = params_of(*node, call);
    *params = {call.function, p.grid, p.block, p.shared, p.arguments, p.extra};
    return Error::Success;
  });
}
WW_CUDA_API Error cuGraphKernelNodeGetParams_v2(GraphNode* node, DriverKernelNode2* params) {
  if (!params) return Error::InvalidValue;
  params->kernel = nullptr, params->context = current_context();
  return cuGraphKernelNodeGetParams(node, params);
}
WW_CUDA_API Error cuGraphKernelNodeSetParams_v2(GraphNode* node, const DriverKernelNode2* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p = runtime_params(*params, params->kernel);
  return as_runtime([&] { return cudaGraphKernelNodeSetParams(node, &p); });
}
WW_CUDA_API Error cuGraphKernelNodeSetParams(GraphNode* node, const DriverKernelNode* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p = runtime_params(*params, nullptr);
  return as_runtime([&] { return cudaGraphKernelNodeSetParams(node, &p); });
}

// Nodes of copies and fills: the context beside them says where they run, which makes no difference here.
WW_CUDA_API Error cuGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                       const DriverCopy3D* params, Context*) {
  return driver([&](DeviceContext&) -> Error {
    Copy copy;
    if (Error e = copy_of(params, copy); e != Error::Success) return e;
    if (Error e = check(copy); e != Error::Success) return e;
    return add_node(graph, copy, after, count, node);
  });
}
WW_CUDA_API Error cuGraphMemcpyNodeGetParams(GraphNode* node, DriverCopy3D* params) {
  return with_call<Copy>(node, [&](Copy& copy, DeviceContext&) -> Error {
    if (!params) return Error::InvalidValue;
    *params = description_of(copy);
    return Error::Success;
  });
}
WW_CUDA_API Error cuGraphMemcpyNodeSetParams(GraphNode* node, const DriverCopy3D* params) {
  return with_call<Copy>(node, [&](Copy& copy, DeviceContext&) -> Error {
    Copy fresh;
    if (Error e = copy_of(params, fresh); e != Error::Success) return e;
    copy = fresh;
    return Error::Success;
  });
}
WW_CUDA_API Error cuGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                       const MemsetParams* params, Context*) {
  return as_runtime([&] { return cudaGraphAddMemsetNode(node, graph, after, count, params); });
}

// Nodes of any kind.
namespace {
Error any_operation(DriverNodeParams& p, DeviceContext& d, Graph& graph, Operation& operation) {
  if (static_cast<NodeType>(p.type) == NodeType::Memcpy) {
    Copy copy;
    if (Error e = copy_of(&p.copy.params, copy); e != Error::Success) return e;
    if (Error e = check(copy); e != Error::Success) return e;
    operation = copy;
    return Error::Success;
  }
  // The rest is laid out as the runtime's, but for kernels, which have one handle there.
  static_assert(sizeof(DriverNodeParams) == sizeof(GraphNodeParams));
  alignas(GraphNodeParams) unsigned char bytes[sizeof(GraphNodeParams)];
  std::memcpy(bytes, &p, sizeof p);
  auto& r = *reinterpret_cast<GraphNodeParams*>(bytes);
  if (static_cast<NodeType>(p.type) == NodeType::Kernel) {
    const auto& k = p.kernel;
    r.kernel = {k.function ? k.function : k.kernel, k.grid, k.block, k.shared, k.arguments, k.extra};
  }
  Error e = operation_of(r, d, graph, operation);
  // What the call gives back: the address of an allocation, the bodies of a conditional node.
  const auto type = static_cast<NodeType>(p.type);
  if (type == NodeType::MemAlloc || type == NodeType::Conditional)
    std::memcpy(static_cast<void*>(&p), bytes, sizeof p);
  return e;
}
}  // namespace
WW_CUDA_API Error cuGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                    const GraphEdgeData*, size_t count, DriverNodeParams* params) {
  return driver([&](DeviceContext& d) -> Error {
    if (!params || !is_graph(graph)) return Error::InvalidValue;
    Operation operation;
    if (Error e = any_operation(*params, d, *graph, operation); e != Error::Success) return e;
    return add_node(graph, std::move(operation), after, count, node);
  });
}
WW_CUDA_API Error cuGraphConditionalHandleCreate(ww::cuda::u64* handle, Graph* graph, void*, u32 initial,
                                                 u32 flags) {
  return driver([&](DeviceContext& d) -> Error {
    return handle ? make_conditional(graph, d, initial, flags, *handle) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cuGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                 DriverNodeParams* params) {
  return cuGraphAddNode_v2(node, graph, after, nullptr, count, params);
}
WW_CUDA_API Error cuGraphNodeSetParams(GraphNode* node, DriverNodeParams* params) {
  return driver([&](DeviceContext& d) -> Error {
    if (!params || !is_graph_node(node)) return Error::InvalidValue;
    Operation operation;
    if (Error e = any_operation(*params, d, *node->graph, operation); e != Error::Success) return e;
    if (!may_replace(node->operation, operation)) return Error::InvalidValue;
    node->operation = std::move(operation);
    return Error::Success;
  });
}
