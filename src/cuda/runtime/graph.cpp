// CUDA Runtime API: Graph Management, graphs: building and querying them, their edges, user objects.
#include "cuda/core/graph.h"

#include <algorithm>

#include "cuda/core/platform.h"
#include "cuda/runtime/calls.h"
#include "cuda/runtime/with_graph.h"

using namespace ww::cuda;

namespace {

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
