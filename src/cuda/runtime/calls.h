// Entry points of the runtime that the driver has under names of its own, for driver/. The files that define
// them include this, so that a declaration that does not fit does not compile.
#pragma once

#include "cuda/abi/graph.h"
#include "cuda/abi/texture.h"
#include "cuda/core/ipc.h"

namespace ww::cuda::calls {

// device.cpp
WW_CUDA_API Error cudaDeviceSynchronize();
WW_CUDA_API Error cudaDeviceGetLimit(size_t* value, int limit);
WW_CUDA_API Error cudaDeviceSetLimit(int limit, size_t value);
WW_CUDA_API Error cudaDeviceGetCacheConfig(int* config);
WW_CUDA_API Error cudaDeviceSetCacheConfig(int config);
WW_CUDA_API Error cudaDeviceGetSharedMemConfig(int* config);
WW_CUDA_API Error cudaDeviceSetSharedMemConfig(int config);
WW_CUDA_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
WW_CUDA_API Error cudaDeviceGetPCIBusId(char* text, int length, int device);
WW_CUDA_API Error cudaDeviceGetByPCIBusId(int* device, const char* id);
WW_CUDA_API Error cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const ChannelDesc*, int device);
WW_CUDA_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer);
WW_CUDA_API Error cudaDeviceEnablePeerAccess(int peer, u32 flags);
WW_CUDA_API Error cudaDeviceDisablePeerAccess(int peer);
WW_CUDA_API Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to);
WW_CUDA_API Error cudaProfilerStart();
WW_CUDA_API Error cudaProfilerStop();

// event.cpp
WW_CUDA_API Error cudaEventCreateWithFlags(Event** event, u32 flags);
WW_CUDA_API Error cudaEventDestroy(Event* event);
WW_CUDA_API Error cudaEventRecordWithFlags(Event* event, Stream* stream, u32 flags);
WW_CUDA_API Error cudaEventRecord(Event* event, Stream* stream);
WW_CUDA_API Error cudaEventSynchronize(Event* event);
WW_CUDA_API Error cudaEventQuery(Event* event);
WW_CUDA_API Error cudaEventElapsedTime(float* ms, Event* begin, Event* end);
WW_CUDA_API Error cudaEventElapsedTime_v2(float* ms, Event* begin, Event* end);

// execution.cpp
WW_CUDA_API Error cudaLaunchHostFunc(Stream* stream, void (*function)(void*), void* data);
WW_CUDA_API Error cudaFuncSetAttribute(const void* function, int attribute, int value);
WW_CUDA_API Error cudaFuncSetCacheConfig(const void* function, int config);
WW_CUDA_API Error cudaFuncSetSharedMemConfig(const void* function, int config);
WW_CUDA_API Error cudaFuncGetName(const char** name, const void* function);
WW_CUDA_API Error cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes);

// graph.cpp and graph_nodes.cpp
WW_CUDA_API Error cudaGraphCreate(Graph** graph, u32 flags);
WW_CUDA_API Error cudaGraphDestroy(Graph* graph);
WW_CUDA_API Error cudaGraphClone(Graph** clone, Graph* graph);
WW_CUDA_API Error cudaGraphNodeFindInClone(GraphNode** found, GraphNode* original, Graph* clone);
WW_CUDA_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         size_t count, const KernelNodeParams* params);
WW_CUDA_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         size_t count, const MemsetParams* params);
WW_CUDA_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, size_t count,
                                       const HostNodeParams* params);
WW_CUDA_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                             size_t count, Graph* child);
WW_CUDA_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                        size_t count);
WW_CUDA_API Error cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                              size_t count, Event* event);
WW_CUDA_API Error cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                            size_t count, Event* event);
WW_CUDA_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                           size_t count, MemAllocNodeParams* params);
WW_CUDA_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                          size_t count, void* pointer);
WW_CUDA_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParams* params);
WW_CUDA_API Error cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from);
WW_CUDA_API Error cudaGraphKernelNodeGetAttribute(GraphNode* node, int id, LaunchAttributeValue* value);
WW_CUDA_API Error cudaGraphKernelNodeSetAttribute(GraphNode* node, int id, const LaunchAttributeValue* value);
WW_CUDA_API Error cudaGraphMemsetNodeGetParams(GraphNode* node, MemsetParams* params);
WW_CUDA_API Error cudaGraphMemsetNodeSetParams(GraphNode* node, const MemsetParams* params);
WW_CUDA_API Error cudaGraphHostNodeGetParams(GraphNode* node, HostNodeParams* params);
WW_CUDA_API Error cudaGraphHostNodeSetParams(GraphNode* node, const HostNodeParams* params);
WW_CUDA_API Error cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph);
WW_CUDA_API Error cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** event);
WW_CUDA_API Error cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event);
WW_CUDA_API Error cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** event);
WW_CUDA_API Error cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event);
WW_CUDA_API Error cudaGraphMemAllocNodeGetParams(GraphNode* node, MemAllocNodeParams* params);
WW_CUDA_API Error cudaGraphMemFreeNodeGetParams(GraphNode* node, void** pointer);
WW_CUDA_API Error cudaGraphNodeGetType(GraphNode* node, int* type);
WW_CUDA_API Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, size_t* count);
WW_CUDA_API Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, size_t* count);
WW_CUDA_API Error cudaGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, GraphEdgeData*,
                                       size_t* count);
WW_CUDA_API Error cudaGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** out, GraphEdgeData*,
                                                  size_t* count);
WW_CUDA_API Error cudaGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** out, GraphEdgeData*,
                                                    size_t* count);
WW_CUDA_API Error cudaGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                              const GraphEdgeData*, size_t count);
WW_CUDA_API Error cudaGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                                 const GraphEdgeData*, size_t count);
WW_CUDA_API Error cudaGraphDestroyNode(GraphNode* node);
WW_CUDA_API Error cudaUserObjectCreate(UserObject** object, void* pointer, void (*destroy)(void*),
                                       u32 references, u32 flags);
WW_CUDA_API Error cudaUserObjectRetain(UserObject* object, u32 count);
WW_CUDA_API Error cudaUserObjectRelease(UserObject* object, u32 count);
WW_CUDA_API Error cudaGraphRetainUserObject(Graph* graph, UserObject* object, u32 count, u32 flags);
WW_CUDA_API Error cudaGraphReleaseUserObject(Graph* graph, UserObject* object, u32 count);

// graph_exec.cpp
WW_CUDA_API Error cudaGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags);
WW_CUDA_API Error cudaGraphInstantiateWithParams(GraphExec** exec, Graph* graph,
                                                 GraphInstantiateParams* params);
WW_CUDA_API Error cudaGraphExecDestroy(GraphExec* exec);
WW_CUDA_API Error cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags);
WW_CUDA_API Error cudaGraphLaunch(GraphExec* exec, Stream* stream);
WW_CUDA_API Error cudaGraphUpload(GraphExec* exec, Stream* stream);
WW_CUDA_API Error cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node,
                                                   const KernelNodeParams* params);
WW_CUDA_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node,
                                                   const MemsetParams* params);
WW_CUDA_API Error cudaGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node,
                                                 const HostNodeParams* params);
WW_CUDA_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, GraphNode* node, Graph* child);
WW_CUDA_API Error cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event);
WW_CUDA_API Error cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event);
WW_CUDA_API Error cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, u32 enabled);
WW_CUDA_API Error cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, u32* enabled);
WW_CUDA_API Error cudaGraphExecUpdate(GraphExec* exec, Graph* graph, void* third, int* fourth);
WW_CUDA_API Error cudaGraphDebugDotPrint(Graph* graph, const char* path, u32);

// memory.cpp
WW_CUDA_API Error cudaMalloc(void** pointer, size_t bytes);
WW_CUDA_API Error cudaFree(void* pointer);
WW_CUDA_API Error cudaMallocManaged(void** pointer, size_t bytes, u32 flags);
WW_CUDA_API Error cudaHostAlloc(void** pointer, size_t bytes, u32 flags);
WW_CUDA_API Error cudaFreeHost(void* pointer);
WW_CUDA_API Error cudaHostRegister(void* pointer, size_t bytes, u32 flags);
WW_CUDA_API Error cudaHostUnregister(void* pointer);
WW_CUDA_API Error cudaHostGetDevicePointer(void** device, void* host, u32 flags);
WW_CUDA_API Error cudaHostGetFlags(u32* flags, void* host);
WW_CUDA_API Error cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
WW_CUDA_API Error cudaFreeArray(Array* array);
WW_CUDA_API Error cudaGetMipmappedArrayLevel(Array** level, MipmappedArray* array, u32 number);
WW_CUDA_API Error cudaFreeMipmappedArray(MipmappedArray* array);
WW_CUDA_API Error cudaMemGetInfo(size_t* free, size_t* total);
WW_CUDA_API Error cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, MemLocation, u32 flags,
                                          Stream* stream);
WW_CUDA_API Error cudaMemAdvise_v2(const void* pointer, size_t bytes, int advice, MemLocation location);
WW_CUDA_API Error cudaMemRangeGetAttribute(void* data, size_t bytes, int attribute, const void* pointer,
                                           size_t count);
WW_CUDA_API Error cudaStreamAttachMemAsync(Stream* stream, void* pointer, size_t, u32 flags);

// memory_copy.cpp
WW_CUDA_API Error cudaMemcpy(void* to, const void* from, size_t bytes, CopyKind kind);
WW_CUDA_API Error cudaMemcpyAsync(void* to, const void* from, size_t bytes, CopyKind kind, Stream* stream);
WW_CUDA_API Error cudaMemcpyToArray(Array* array, size_t x, size_t y, const void* from, size_t bytes,
                                    CopyKind kind);
WW_CUDA_API Error cudaMemcpyFromArray(void* to, const Array* array, size_t x, size_t y, size_t bytes,
                                      CopyKind kind);

// occupancy.cpp
WW_CUDA_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                         int threads, size_t shared,
                                                                         u32 flags);
WW_CUDA_API Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                            int threads);
WW_CUDA_API Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const LaunchConfig*);
WW_CUDA_API Error cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                 const LaunchConfig* config);

// pool.cpp
WW_CUDA_API Error cudaMallocAsync(void** pointer, size_t bytes, Stream* stream);
WW_CUDA_API Error cudaMallocFromPoolAsync(void** pointer, size_t bytes, Pool* pool, Stream* stream);
WW_CUDA_API Error cudaFreeAsync(void* pointer, Stream* stream);
WW_CUDA_API Error cudaDeviceGetDefaultMemPool(Pool** pool, int device);
WW_CUDA_API Error cudaDeviceGetMemPool(Pool** pool, int device);
WW_CUDA_API Error cudaDeviceSetMemPool(int device, Pool* pool);
WW_CUDA_API Error cudaMemPoolCreate(Pool** pool, const MemPoolProps* props);
WW_CUDA_API Error cudaMemPoolDestroy(Pool* pool);
WW_CUDA_API Error cudaMemPoolTrimTo(Pool* pool, size_t);
WW_CUDA_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value);
WW_CUDA_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value);
WW_CUDA_API Error cudaMemPoolSetAccess(Pool* pool, const MemAccessDesc* list, size_t count);
WW_CUDA_API Error cudaMemPoolGetAccess(int* flags, Pool* pool, MemLocation*);
WW_CUDA_API Error cudaDeviceGraphMemTrim(int device);
WW_CUDA_API Error cudaDeviceGetGraphMemAttribute(int device, int, void* value);
WW_CUDA_API Error cudaDeviceSetGraphMemAttribute(int device, int, void*);

// stream.cpp
WW_CUDA_API Error cudaStreamCreateWithPriority(Stream** stream, u32 flags, int priority);
WW_CUDA_API Error cudaStreamDestroy(Stream* stream);
WW_CUDA_API Error cudaStreamSynchronize(Stream* stream);
WW_CUDA_API Error cudaStreamQuery(Stream* stream);
WW_CUDA_API Error cudaStreamWaitEvent(Stream* stream, Event* event, u32 flags);
WW_CUDA_API Error cudaStreamAddCallback(Stream* stream, void (*function)(Stream*, Error, void*), void* data,
                                        u32 flags);
WW_CUDA_API Error cudaStreamGetFlags(Stream* stream, u32* flags);
WW_CUDA_API Error cudaStreamGetPriority(Stream* stream, int* priority);
WW_CUDA_API Error cudaStreamGetId(Stream* stream, unsigned long long* id);
WW_CUDA_API Error cudaStreamGetDevice(Stream* stream, int* device);
WW_CUDA_API Error cudaStreamCopyAttributes(Stream* to, Stream* from);
WW_CUDA_API Error cudaStreamGetAttribute(Stream* stream, int id, LaunchAttributeValue* value);
WW_CUDA_API Error cudaStreamSetAttribute(Stream* stream, int id, const LaunchAttributeValue* value);
WW_CUDA_API Error cudaStreamBeginCapture(Stream* stream, int mode);
WW_CUDA_API Error cudaStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* after,
                                                const GraphEdgeData*, size_t count, int mode);
WW_CUDA_API Error cudaStreamEndCapture(Stream* stream, Graph** graph);
WW_CUDA_API Error cudaStreamIsCapturing(Stream* stream, int* status);
WW_CUDA_API Error cudaStreamGetCaptureInfo_v2(Stream* stream, int* status, unsigned long long* id,
                                              Graph** graph, GraphNode* const** after, size_t* count);
WW_CUDA_API Error cudaStreamGetCaptureInfo_v3(Stream* stream, int* status, unsigned long long* id,
                                              Graph** graph, GraphNode* const** after,
                                              const GraphEdgeData** edges, size_t* count);
WW_CUDA_API Error cudaStreamUpdateCaptureDependencies_v2(Stream* stream, GraphNode** after,
                                                         const GraphEdgeData*, size_t count, u32 flags);
WW_CUDA_API Error cudaThreadExchangeStreamCaptureMode(int* mode);

// ipc.cpp
WW_CUDA_API Error cudaIpcGetMemHandle(IpcHandle* handle, void* pointer);
WW_CUDA_API Error cudaIpcOpenMemHandle(void** pointer, IpcHandle handle, u32 flags);
WW_CUDA_API Error cudaIpcCloseMemHandle(void* pointer);
WW_CUDA_API Error cudaMemPoolExportToShareableHandle(void* file, Pool* pool, int type, u32 flags);
WW_CUDA_API Error cudaMemPoolImportFromShareableHandle(Pool** pool, void* file, int type, u32 flags);
WW_CUDA_API Error cudaMemPoolExportPointer(IpcHandle* handle, void* pointer);
WW_CUDA_API Error cudaMemPoolImportPointer(void** pointer, Pool* pool, const IpcHandle* handle);
WW_CUDA_API Error cudaIpcGetEventHandle(IpcHandle* handle, Event* event);
WW_CUDA_API Error cudaIpcOpenEventHandle(Event** event, IpcHandle handle);

// texture.cpp
WW_CUDA_API Error cudaDestroyTextureObject(ww::cuda::u64 handle);
WW_CUDA_API Error cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* view, ww::cuda::u64 handle);
WW_CUDA_API Error cudaDestroySurfaceObject(ww::cuda::u64 handle);

}  // namespace ww::cuda::calls
