// CUDA Driver API: Stream Management.
#include "cuda/core/stream.h"

#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_FORWARD(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
           (Stream * *stream, u32 flags, int priority), (stream, flags, priority))
WW_CUDA_API Error cuStreamCreate(Stream** stream, u32 flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
WW_FORWARD_ANYWHERE(cuStreamDestroy_v2, cudaStreamDestroy, (Stream * stream), (stream))
WW_FORWARD(cuStreamSynchronize, cudaStreamSynchronize, (Stream * stream), (stream))
WW_FORWARD(cuStreamQuery, cudaStreamQuery, (Stream * stream), (stream))
WW_FORWARD(cuStreamWaitEvent, cudaStreamWaitEvent, (Stream * stream, Event* event, u32 flags),
           (stream, event, flags))
WW_FORWARD(cuStreamAddCallback, cudaStreamAddCallback,
           (Stream * stream, void (*function)(Stream*, Error, void*), void* data, u32 flags),
           (stream, function, data, flags))
WW_FORWARD_ANYWHERE(cuStreamGetFlags, cudaStreamGetFlags, (Stream * stream, u32* flags), (stream, flags))
WW_FORWARD_ANYWHERE(cuStreamGetPriority, cudaStreamGetPriority, (Stream * stream, int* priority),
                    (stream, priority))
WW_FORWARD_ANYWHERE(cuStreamGetId, cudaStreamGetId, (Stream * stream, unsigned long long* id), (stream, id))
WW_FORWARD(cuStreamGetDevice, cudaStreamGetDevice, (Stream * stream, int* device), (stream, device))
WW_FORWARD_ANYWHERE(cuStreamCopyAttributes, cudaStreamCopyAttributes, (Stream * to, Stream* from), (to, from))
WW_FORWARD_ANYWHERE(cuStreamGetAttribute, cudaStreamGetAttribute,
                    (Stream * stream, int id, LaunchAttributeValue* value), (stream, id, value))
WW_FORWARD_ANYWHERE(cuStreamSetAttribute, cudaStreamSetAttribute,
                    (Stream * stream, int id, const LaunchAttributeValue* value), (stream, id, value))
WW_FORWARD(cuStreamAttachMemAsync, cudaStreamAttachMemAsync,
           (Stream * stream, void* pointer, size_t unused2, u32 flags), (stream, pointer, unused2, flags))

// Stream capture.
WW_FORWARD_ANYWHERE(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (Stream * stream, int mode),
                    (stream, mode))
WW_FORWARD_ANYWHERE(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph,
                    (Stream * stream, Graph* graph, GraphNode* const* after, const GraphEdgeData* unused3,
                     size_t count, int mode),
                    (stream, graph, after, unused3, count, mode))
WW_FORWARD_ANYWHERE(cuStreamEndCapture, cudaStreamEndCapture, (Stream * stream, Graph** graph),
                    (stream, graph))
WW_FORWARD_ANYWHERE(cuStreamIsCapturing, cudaStreamIsCapturing, (Stream * stream, int* status),
                    (stream, status))
WW_FORWARD_ANYWHERE(cuStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2,
                    (Stream * stream, int* status, unsigned long long* id, Graph** graph,
                     GraphNode* const** after, size_t* count),
                    (stream, status, id, graph, after, count))
WW_FORWARD_ANYWHERE(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3,
                    (Stream * stream, int* status, unsigned long long* id, Graph** graph,
                     GraphNode* const** after, const GraphEdgeData** edges, size_t* count),
                    (stream, status, id, graph, after, edges, count))
WW_FORWARD_ANYWHERE(cuStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2,
                    (Stream * stream, GraphNode** after, const GraphEdgeData* unused2, size_t count,
                     u32 flags),
                    (stream, after, unused2, count, flags))
WW_FORWARD_ANYWHERE(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int* mode),
                    (mode))
WW_CUDA_API Error cuStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
WW_CUDA_API Error cuStreamUpdateCaptureDependencies(Stream* stream, GraphNode** after, size_t count,
                                                    u32 flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, after, nullptr, count, flags);
}

WW_CUDA_API Error cuStreamGetCtx(Stream* stream, Context** context) {
  return driver_plain([&]() -> Error {
    Context* now = current_context();
    if (!now && !is_created(stream)) return Error::DeviceUninitialized;
    Stream* s = stream_of(stream);
    if (!s) return Error::InvalidResourceHandle;
    if (!context) return Error::InvalidValue;
    *context = now && now->device == s->device ? now : &primary_context(*s->device);
    return Error::Success;
  });
}
WW_CUDA_API Error cuStreamGetCtx_v2(Stream* stream, Context** context, void** green) {
  if (green) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
