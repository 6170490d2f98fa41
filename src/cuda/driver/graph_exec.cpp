// CUDA Driver API: Graph Management, graphs that run.
#include "cuda/core/graph.h"

#include "cuda/core/graph_update.h"
#include "cuda/driver/call.h"
#include "cuda/driver/copy.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_CUDA_API Error cuGraphNodeSetParams(GraphNode* node, DriverNodeParams* params);

WW_FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
           (GraphExec * *exec, Graph* graph, unsigned long long flags), (exec, graph, flags))
WW_FORWARD_ANYWHERE(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
                    (GraphExec * *exec, Graph* graph, GraphInstantiateParams* params), (exec, graph, params))
WW_FORWARD_ANYWHERE(cuGraphExecGetFlags, cudaGraphExecGetFlags, (GraphExec * exec, unsigned long long* flags),
                    (exec, flags))
WW_FORWARD_ANYWHERE(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
                    (GraphExec * exec, GraphNode* node, const HostNodeParams* params), (exec, node, params))
WW_FORWARD_ANYWHERE(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
                    (GraphExec * exec, GraphNode* node, Graph* child), (exec, node, child))
WW_FORWARD_ANYWHERE(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
                    (GraphExec * exec, GraphNode* node, Event* event), (exec, node, event))
WW_FORWARD_ANYWHERE(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
                    (GraphExec * exec, GraphNode* node, Event* event), (exec, node, event))
WW_FORWARD_ANYWHERE(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled,
                    (GraphExec * exec, GraphNode* node, u32 enabled), (exec, node, enabled))
WW_FORWARD_ANYWHERE(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled,
                    (GraphExec * exec, GraphNode* node, u32* enabled), (exec, node, enabled))
WW_FORWARD(cuGraphUpload, cudaGraphUpload, (GraphExec * exec, Stream* stream), (exec, stream))
WW_FORWARD(cuGraphLaunch, cudaGraphLaunch, (GraphExec * exec, Stream* stream), (exec, stream))
WW_FORWARD_ANYWHERE(cuGraphExecDestroy, cudaGraphExecDestroy, (GraphExec * exec), (exec))

WW_CUDA_API Error cuGraphInstantiate_v2(GraphExec** exec, Graph* graph, GraphNode** error_node, char* log,
                                        size_t bytes) {
  if (error_node) *error_node = nullptr;
  if (log && bytes) *log = 0;
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}
WW_CUDA_API Error cuGraphInstantiate(GraphExec** exec, Graph* graph, GraphNode** error_node, char* log,
                                     size_t bytes) {
  return cuGraphInstantiate_v2(exec, graph, error_node, log, bytes);
}

WW_CUDA_API Error cuGraphExecKernelNodeSetParams_v2(GraphExec* exec, GraphNode* node,
                                                    const DriverKernelNode2* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p{params->function ? params->function : params->kernel,
                     params->grid,
                     params->block,
                     params->shared,
                     params->arguments,
                     params->extra};
  return as_runtime([&] { return cudaGraphExecKernelNodeSetParams(exec, node, &p); });
}
WW_CUDA_API Error cuGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node,
                                                 const DriverKernelNode* params) {
  if (!params) return Error::InvalidValue;
  KernelNodeParams p{params->function, params->grid,      params->block,
                     params->shared,   params->arguments, params->extra};
  return as_runtime([&] { return cudaGraphExecKernelNodeSetParams(exec, node, &p); });
}
WW_CUDA_API Error cuGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node, const DriverCopy3D* params,
                                                 Context*) {
  return driver([&](DeviceContext&) -> Error {
    if (!is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
    GraphNode* twin = exec->graph->numbered(node->number);
    Copy* copy = twin ? std::get_if<Copy>(&twin->operation) : nullptr;
    Copy fresh;
    if (!copy) return Error::InvalidValue;
    if (Error e = copy_of(params, fresh); e != Error::Success) return e;
    if (Error e = check(fresh); e != Error::Success) return e;
    *copy = fresh;
    return Error::Success;
  });
}
WW_CUDA_API Error cuGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node, const MemsetParams* params,
                                                 Context*) {
  return as_runtime([&] { return cudaGraphExecMemsetNodeSetParams(exec, node, params); });
}
WW_CUDA_API Error cuGraphExecNodeSetParams(GraphExec* exec, GraphNode* node, DriverNodeParams* params) {
  if (!is_graph_exec(exec) || !is_graph_node(node)) return Error::InvalidValue;
  return cuGraphNodeSetParams(exec->graph->numbered(node->number), params);
}
WW_CUDA_API Error cuGraphExecUpdate_v2(GraphExec* exec, Graph* graph, GraphExecUpdateResultInfo* result) {
  return driver([&](DeviceContext&) { return update_exec(exec, graph, result); });
}
WW_CUDA_API Error cuGraphExecUpdate(GraphExec* exec, Graph* graph, GraphNode** error_node, int* result) {
  GraphExecUpdateResultInfo info{};
  Error e = cuGraphExecUpdate_v2(exec, graph, &info);
  if (error_node) *error_node = info.error_node;
  if (result) *result = info.result;
  return e;
}
