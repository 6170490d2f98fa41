// CUDA Runtime API: Graph Management, building and querying.
#include "cuda/core/graph.h"

#include <algorithm>

#include "cuda/core/node_params.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/runtime/calls.h"

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
template <class F>
Error with_graph(Graph* graph, F&& body) {
  return api(
      [&](DeviceContext& d) -> Error { return is_graph(graph) ? body(*graph, d) : Error::InvalidValue; });
}

template <class T>
Error list_out(const std::vector<T*>& all, T** out, size_t* count) {
  if (!count) return Error::InvalidValue;
  if (out) {
    for (size_t k = 0; k < *count; ++k) out[k] = k < all.size() ? all[k] : nullptr;
    *count = std::min(*count, all.size());
  } else {
    *count = all.size();
  }
  return Error::Success;
}

Error symbol_place(const void* symbol, size_t bytes, size_t offset, DeviceContext& d, void*& at) {
  ww::cuda::u64 address = 0, size = 0;
  if (Error e = Registry::get().symbol(d, symbol, address, size); e != Error::Success) return e;
  if (offset > size || bytes > size - offset) return Error::InvalidValue;
  at = reinterpret_cast<void*>(address + offset);
  return Error::Success;
}

}  // namespace

WW_CUDA_API Error cudaGraphCreate(Graph** graph, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!graph || flags) return Error::InvalidValue;
    *graph = keep(std::make_unique<Graph>());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphDestroy(Graph* graph) {
  return api([&](DeviceContext&) { return destroy(graph); });
}
WW_CUDA_API Error cudaGraphClone(Graph** clone, Graph* graph) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) -> Error {
    if (!clone) return Error::InvalidValue;
    *clone = keep(g.clone());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphNodeFindInClone(GraphNode** found, GraphNode* original, Graph* clone) {
  return with_graph(clone, [&](Graph& g, DeviceContext&) -> Error {
    if (!found || !is_graph_node(original) || g.clone_of != original->graph) return Error::InvalidValue;
    *found = g.numbered(original->number);
    return *found ? Error::Success : Error::InvalidValue;
  });
}

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
    if (!pointer) return Error::InvalidValue;
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

// How nodes hang together.
WW_CUDA_API Error cudaGraphNodeGetType(GraphNode* node, int* type) {
  return api([&](DeviceContext&) -> Error {
    if (!type || !is_graph_node(node)) return Error::InvalidValue;
    *type = static_cast<int>(node->type());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, size_t* count) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) {
    std::vector<GraphNode*> all;
    for (auto& n : g.nodes) all.push_back(n.get());
    return list_out(all, nodes, count);
  });
}
WW_CUDA_API Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, size_t* count) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) {
    std::vector<GraphNode*> roots;
    for (auto& n : g.nodes)
      if (n->after.empty()) roots.push_back(n.get());
    return list_out(roots, nodes, count);
  });
}
namespace {
Error edges(Graph* graph, GraphNode** from, GraphNode** to, size_t* count) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) -> Error {
    std::vector<GraphNode*> begins, ends;
    for (auto& n : g.nodes)
      for (GraphNode* a : n->after) begins.push_back(a), ends.push_back(n.get());
    if (!count || (from != nullptr) != (to != nullptr)) return Error::InvalidValue;
    size_t same = *count;
    (void)list_out(begins, from, &same);
    return list_out(ends, to, count);
  });
}
Error dependencies(GraphNode* node, GraphNode** out, size_t* count, bool dependents) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph_node(node)) return Error::InvalidValue;
    if (!dependents) return list_out(node->after, out, count);
    std::vector<GraphNode*> found;
    for (auto& n : node->graph->nodes)
      if (std::find(n->after.begin(), n->after.end(), node) != n->after.end()) found.push_back(n.get());
    return list_out(found, out, count);
  });
}
Error change_dependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to, size_t count,
                          bool add) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) -> Error {
    if (count && (!from || !to)) return Error::InvalidValue;
    for (size_t k = 0; k < count; ++k) {
      if (!g.holds(from[k]) || !g.holds(to[k]) || from[k] == to[k]) return Error::InvalidValue;
      auto& after = to[k]->after;
      auto it = std::find(after.begin(), after.end(), from[k]);
      if (add == (it != after.end())) return Error::InvalidValue;
      if (add)
        after.push_back(from[k]);
      else
        after.erase(it);
    }
    return Error::Success;
  });
}
bool with_edge_data() { return Platform::get().runtime_version() >= 13000; }
}  // namespace
// Since CUDA 13 the plain names take a list of edge data before the count.
WW_CUDA_API Error cudaGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, GraphEdgeData*,
                                       size_t* count) {
  return edges(graph, from, to, count);
}
WW_CUDA_API Error cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, void* fourth,
                                    size_t* fifth) {
  return edges(graph, from, to, with_edge_data() ? fifth : static_cast<size_t*>(fourth));
}
WW_CUDA_API Error cudaGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** out, GraphEdgeData*,
                                                  size_t* count) {
  return dependencies(node, out, count, false);
}
WW_CUDA_API Error cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** out, void* third,
                                               size_t* fourth) {
  return dependencies(node, out, with_edge_data() ? fourth : static_cast<size_t*>(third), false);
}
WW_CUDA_API Error cudaGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** out, GraphEdgeData*,
                                                    size_t* count) {
  return dependencies(node, out, count, true);
}
WW_CUDA_API Error cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** out, void* third,
                                                 size_t* fourth) {
  return dependencies(node, out, with_edge_data() ? fourth : static_cast<size_t*>(third), true);
}
WW_CUDA_API Error cudaGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                              const GraphEdgeData*, size_t count) {
  return change_dependencies(graph, from, to, count, true);
}
WW_CUDA_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                           size_t fourth, size_t fifth) {
  return change_dependencies(graph, from, to, with_edge_data() ? fifth : fourth, true);
}
WW_CUDA_API Error cudaGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                                 const GraphEdgeData*, size_t count) {
  return change_dependencies(graph, from, to, count, false);
}
WW_CUDA_API Error cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                              size_t fourth, size_t fifth) {
  return change_dependencies(graph, from, to, with_edge_data() ? fifth : fourth, false);
}
WW_CUDA_API Error cudaGraphDestroyNode(GraphNode* node) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph_node(node)) return Error::InvalidValue;
    remove_node(node);
    return Error::Success;
  });
}

// User objects.
WW_CUDA_API Error cudaUserObjectCreate(UserObject** object, void* pointer, void (*destroy)(void*),
                                       u32 references, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!object || !destroy || flags != 1 || references == 0) return Error::InvalidValue;
    *object = new UserObject{pointer, destroy, static_cast<int>(references)};
    return Error::Success;
  });
}
WW_CUDA_API Error cudaUserObjectRetain(UserObject* object, u32 count) {
  return api([&](DeviceContext&) -> Error {
    if (!object || !count) return Error::InvalidValue;
    object->references += static_cast<int>(count);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaUserObjectRelease(UserObject* object, u32 count) {
  return api([&](DeviceContext&) -> Error {
    if (!object || !count) return Error::InvalidValue;
    release(object, count);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphRetainUserObject(Graph* graph, UserObject* object, u32 count, u32 flags) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) -> Error {
    if (!object || !count || flags > 1) return Error::InvalidValue;
    if (flags == 0) object->references += static_cast<int>(count);  // else the graph takes over the caller's
    g.objects.emplace_back(object, count);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphReleaseUserObject(Graph* graph, UserObject* object, u32 count) {
  return with_graph(graph, [&](Graph& g, DeviceContext&) -> Error {
    for (auto it = g.objects.begin(); it != g.objects.end(); ++it)
      if (it->first == object && it->second >= count) {
        it->second -= count;
        if (!it->second) g.objects.erase(it);
        release(object, count);
        return Error::Success;
      }
    return Error::InvalidValue;
  });
}
