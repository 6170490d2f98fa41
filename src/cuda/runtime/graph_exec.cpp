// CUDA Runtime API: Graph Management, executable graphs.
#include <algorithm>
#include <cstdio>

#include "cuda/core/backlog.h"
#include "cuda/core/graph_update.h"
#include "cuda/core/node_params.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

Error instantiate(GraphExec** exec, Graph* graph, ww::cuda::u64 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!exec || !is_graph(graph) || flags & ~15ull) return Error::InvalidValue;
    if (ordered(*graph).size() != graph->nodes.size()) return Error::InvalidValue;  // they wait in a circle
    auto made = std::make_unique<GraphExec>();
    made->graph = graph->clone();
    made->flags = flags;
    *exec = keep(std::move(made));
    return Error::Success;
  });
}

/// The node of the executable graph that was made of this one.
template <class T, class F>
Error with_twin(GraphExec* exec, GraphNode* node, F&& body) {
  return api([&](DeviceContext& d) -> Error {
    if (!is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
    GraphNode* twin = exec->graph->numbered(node->number);
    T* call = twin ? std::get_if<T>(&twin->operation) : nullptr;
    return call ? body(*call, d, *twin) : Error::InvalidValue;
  });
}

Error replace_copy(Copy& copy, Copy fresh) {
  if (Error e = check(fresh); e != Error::Success) return e;
  copy = fresh;
  return Error::Success;
}

}  // namespace

WW_CUDA_API Error cudaGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
// Before CUDA 12: (exec, graph, error node, log buffer, its size); since then (exec, graph, flags).
WW_CUDA_API Error cudaGraphInstantiate(GraphExec** exec, Graph* graph, ww::cuda::u64 third, char* log,
                                       size_t bytes) {
  if (Platform::get().runtime_version() >= 12000) return instantiate(exec, graph, third);
  if (third) *reinterpret_cast<GraphNode**>(third) = nullptr;
  if (log && bytes) *log = 0;
  return instantiate(exec, graph, 0);
}
WW_CUDA_API Error cudaGraphInstantiateWithParams(GraphExec** exec, Graph* graph,
                                                 GraphInstantiateParams* params) {
  if (!params) return here().last = Error::InvalidValue;
  Error e = instantiate(exec, graph, params->flags);
  params->error_node = nullptr;
  params->result = e == Error::Success ? 0 : 1;
  return e;
}
WW_CUDA_API Error cudaGraphExecDestroy(GraphExec* exec) {
  return api([&](DeviceContext&) { return destroy(exec); });
}
WW_CUDA_API Error cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags) {
  return api([&](DeviceContext&) -> Error {
    if (!flags || !is_graph_exec(exec)) return Error::InvalidValue;
    *flags = exec->flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphLaunch(GraphExec* exec, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph_exec(exec)) return Error::InvalidValue;
    Stream* s = stream_of(stream);
    if (!s) return Error::InvalidResourceHandle;
    if (s->capture) return submit(stream, ChildCall{keep(exec->graph->clone())});
    constexpr ww::cuda::u64 kFreeOnLaunch = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch
    if (exec->flags & kFreeOnLaunch)
      for (const auto& memory : exec->graph->memory)
        if (memory->live()) (void)memory->end();
    if (!Backlog::get().done_all() || Backlog::may_wait(*s, *exec->graph))
      return submit(stream, ChildCall{keep(exec->graph->clone())});
    return run_graph(*exec->graph, *s);
  });
}
WW_CUDA_API Error cudaGraphUpload(GraphExec* exec, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph_exec(exec)) return Error::InvalidValue;
    return stream_of(stream) ? Error::Success : Error::InvalidResourceHandle;
  });
}

WW_CUDA_API Error cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node,
                                                   const KernelNodeParams* params) {
  return with_twin<KernelCall>(exec, node, [&](KernelCall& call, DeviceContext& d, GraphNode&) -> Error {
    if (!params) return Error::InvalidValue;
    return kernel_of(*params, d, call);
  });
}
WW_CUDA_API Error cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node, const Memcpy3D* params) {
  return with_twin<Copy>(exec, node, [&](Copy& copy, DeviceContext&, GraphNode&) -> Error {
    Copy fresh;
    if (!params) return Error::InvalidValue;
    if (Error e = copy_of(*params, fresh); e != Error::Success) return e;
    return replace_copy(copy, fresh);
  });
}
WW_CUDA_API Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, GraphNode* node, void* to,
                                                     const void* from, size_t bytes, CopyKind kind) {
  return with_twin<Copy>(exec, node, [&](Copy& copy, DeviceContext&, GraphNode&) {
    return replace_copy(copy, linear_copy(to, from, bytes, kind));
  });
}
namespace {
Error exec_symbol(GraphExec* exec, GraphNode* node, const void* symbol, void* other, size_t bytes,
                  size_t offset, CopyKind kind, bool to_symbol) {
  return with_twin<Copy>(exec, node, [&](Copy& copy, DeviceContext& d, GraphNode&) -> Error {
    ww::cuda::u64 address = 0, size = 0;
    if (Error e = Registry::get().symbol(d, symbol, address, size); e != Error::Success) return e;
    if (offset > size || bytes > size - offset) return Error::InvalidValue;
    void* at = reinterpret_cast<void*>(address + offset);
    return replace_copy(
        copy, to_symbol ? linear_copy(at, other, bytes, kind) : linear_copy(other, at, bytes, kind));
  });
}
}  // namespace
WW_CUDA_API Error cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, GraphNode* node,
                                                           const void* symbol, const void* from, size_t bytes,
                                                           size_t offset, CopyKind kind) {
  return exec_symbol(exec, node, symbol, const_cast<void*>(from), bytes, offset, kind, true);
}
WW_CUDA_API Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, GraphNode* node, void* to,
                                                             const void* symbol, size_t bytes, size_t offset,
                                                             CopyKind kind) {
  return exec_symbol(exec, node, symbol, to, bytes, offset, kind, false);
}
WW_CUDA_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node,
                                                   const MemsetParams* params) {
  return with_twin<MemsetCall>(exec, node, [&](MemsetCall& call, DeviceContext& d, GraphNode&) {
    return params ? memset_of(*params, d, call) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node,
                                                 const HostNodeParams* params) {
  return with_twin<HostCall>(exec, node, [&](HostCall& call, DeviceContext&, GraphNode&) -> Error {
    if (!params || !params->function) return Error::InvalidValue;
    call = {params->function, params->data};
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, GraphNode* node, Graph* child) {
  return with_twin<ChildCall>(exec, node, [&](ChildCall& call, DeviceContext&, GraphNode&) -> Error {
    if (!is_graph(child) || !may_replace(Operation(call), Operation(ChildCall{child})))
      return Error::InvalidValue;
    (void)destroy(call.graph);
    call.graph = keep(child->clone());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event) {
  return with_twin<RecordCall>(exec, node, [&](RecordCall& call, DeviceContext&, GraphNode&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    call.event = event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event) {
  return with_twin<WaitCall>(exec, node, [&](WaitCall& call, DeviceContext&, GraphNode&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    call.event = event;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphExecNodeSetParams(GraphExec* exec, GraphNode* node, GraphNodeParams* params) {
  return api([&](DeviceContext& d) -> Error {
    if (!params || !is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
    GraphNode* twin = exec->graph->numbered(node->number);
    if (!twin) return Error::InvalidValue;
    Operation fresh;
    if (Error e = operation_of(*params, d, *exec->graph, fresh); e != Error::Success) return e;
    if (!may_replace(twin->operation, fresh)) return Error::InvalidValue;
    twin->operation = std::move(fresh);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphNodeSetParams(GraphNode* node, GraphNodeParams* params) {
  return api([&](DeviceContext& d) -> Error {
    if (!params || !is_graph_node(node)) return Error::InvalidValue;
    Operation fresh;
    if (Error e = operation_of(*params, d, *node->graph, fresh); e != Error::Success) return e;
    if (!may_replace(node->operation, fresh)) return Error::InvalidValue;
    node->operation = std::move(fresh);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, u32 enabled) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
    GraphNode* twin = exec->graph->numbered(node->number);
    if (!twin || static_cast<int>(twin->type()) > 2)
      return Error::InvalidValue;  // kernels, copies, fills only
    twin->enabled = enabled != 0;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, u32* enabled) {
  return api([&](DeviceContext&) -> Error {
    if (!enabled || !is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
    GraphNode* twin = exec->graph->numbered(node->number);
    if (!twin || static_cast<int>(twin->type()) > 2) return Error::InvalidValue;
    *enabled = twin->enabled;
    return Error::Success;
  });
}

// Before CUDA 12: (exec, graph, error node, result); since then (exec, graph, info).
WW_CUDA_API Error cudaGraphExecUpdate(GraphExec* exec, Graph* graph, void* third, int* fourth) {
  return api([&](DeviceContext&) -> Error {
    GraphExecUpdateResultInfo info{};
    Error e = update_exec(exec, graph, &info);
    if (Platform::get().runtime_version() >= 12000) {
      if (third) *static_cast<GraphExecUpdateResultInfo*>(third) = info;
    } else {
      if (third) *static_cast<GraphNode**>(third) = info.error_node;
      if (fourth) *fourth = info.result;
    }
    return e;
  });
}

WW_CUDA_API Error cudaGraphDebugDotPrint(Graph* graph, const char* path, u32) {
  return api([&](DeviceContext&) -> Error {
    if (!is_graph(graph) || !path) return Error::InvalidValue;
    std::FILE* file = std::fopen(path, "w");
    if (!file) return Error::OperatingSystem;
    static const char* const kNames[] = {"kernel",   "memcpy", "memset", "host",       "graph",
                                         "empty",    "wait",   "record", "",           "",
                                         "allocate", "free",   "",       "conditional"};
    std::fprintf(file, "digraph graph_ {\n");
    for (auto& n : graph->nodes) {
      std::fprintf(file, "  n%d [label=\"%d %s\"];\n", n->number, n->number,
                   kNames[static_cast<int>(n->type())]);
      for (GraphNode* a : n->after) std::fprintf(file, "  n%d -> n%d;\n", a->number, n->number);
    }
    std::fprintf(file, "}\n");
    return std::fclose(file) == 0 ? Error::Success : Error::OperatingSystem;
  });
}
