// CUDA Runtime API: Stream Management.
#include "cuda/core/stream.h"

#include "cuda/core/backlog.h"
#include "cuda/core/graph.h"
#include "cuda/core/host_guard.h"
#include "cuda/core/platform.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {
template <class F>
Error with_stream(Stream* handle, F&& body) {
  return api([&](DeviceContext&) -> Error {
    Stream* s = stream_of(handle);
    return s ? body(*s) : Error::InvalidResourceHandle;
  });
}
}  // namespace

WW_CUDA_API Error cudaStreamCreateWithPriority(Stream** stream, u32 flags, int priority) {
  return api([&](DeviceContext& d) -> Error {
    if (!stream || flags & ~1u) return Error::InvalidValue;
    *stream = make_stream(d, flags, std::max(-5, std::min(0, priority)));
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamCreate(Stream** stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
WW_CUDA_API Error cudaStreamCreateWithFlags(Stream** stream, u32 flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
WW_CUDA_API Error cudaStreamDestroy(Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    if (!stream || stream == kLegacyStream || stream == kPerThreadStream) return Error::InvalidResourceHandle;
    return destroy_stream(stream);
  });
}
WW_CUDA_API Error cudaStreamSynchronize(Stream* stream) {
  return with_stream(stream, [](Stream& s) -> Error {
    if (s.capture || capture_forbids_unsafe_calls()) {
      if (s.capture) s.capture->broken = Error::StreamCaptureInvalidated;
      return Error::StreamCaptureUnsupported;
    }
    wait_for(s);
    return synchronize(*s.device);
  });
}
WW_CUDA_API Error cudaStreamQuery(Stream* stream) {
  return with_stream(stream, [](Stream& s) -> Error {
    if (s.capture) {
      s.capture->broken = Error::StreamCaptureInvalidated;
      return Error::StreamCaptureUnsupported;
    }
    return !Backlog::get().before(s) && host_asked(s) ? Error::Success : Error::NotReady;
  });
}
WW_CUDA_API Error cudaStreamWaitEvent(Stream* stream, Event* event, u32 flags) {
  return with_stream(stream, [&](Stream&) -> Error {
    if (flags & ~1u) return Error::InvalidValue;
    if (!is_event(event)) return Error::InvalidResourceHandle;
    return submit(stream, WaitCall{event, flags != 0});
  });
}
WW_CUDA_API Error cudaStreamAddCallback(Stream* stream, void (*function)(Stream*, Error, void*), void* data,
                                        u32 flags) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!function || flags) return Error::InvalidValue;
    if (s.capture) return Error::StreamCaptureUnsupported;
    Backlog::get().wait(Backlog::get().before(s));
    host_waited(s);  // the callback comes behind what the stream has done so far
    const HostFunction runs;
    function(stream, s.device->sticky, data);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetFlags(Stream* stream, u32* flags) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!flags) return Error::InvalidValue;
    *flags = s.flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetPriority(Stream* stream, int* priority) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!priority) return Error::InvalidValue;
    *priority = s.priority;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetId(Stream* stream, unsigned long long* id) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!id) return Error::InvalidValue;
    *id = s.id;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetDevice(Stream* stream, int* device) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!device) return Error::InvalidValue;
    *device = s.device->number;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamCopyAttributes(Stream* to, Stream* from) {
  return with_stream(to, [&](Stream& t) -> Error {
    Stream* f = stream_of(from);
    if (!f) return Error::InvalidResourceHandle;
    std::copy(std::begin(f->attributes), std::end(f->attributes), t.attributes);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetAttribute(Stream* stream, int id, LaunchAttributeValue* value) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!value || id < 1 || id > 15) return Error::InvalidValue;
    *value = s.attributes[id];
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamSetAttribute(Stream* stream, int id, const LaunchAttributeValue* value) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!value || id < 1 || id > 15) return Error::InvalidValue;
    s.attributes[id] = *value;
    return Error::Success;
  });
}

// Stream Capture.
WW_CUDA_API Error cudaStreamBeginCapture(Stream* stream, int mode) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!stream || stream == kLegacyStream) return Error::StreamCaptureUnsupported;
    return begin_capture(s, mode, nullptr, nullptr, 0);
  });
}
WW_CUDA_API Error cudaStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* after,
                                                const GraphEdgeData*, size_t count, int mode) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!stream || stream == kLegacyStream) return Error::StreamCaptureUnsupported;
    return begin_capture(s, mode, graph, after, count);
  });
}
WW_CUDA_API Error cudaStreamEndCapture(Stream* stream, Graph** graph) {
  return with_stream(stream, [&](Stream& s) -> Error {
    // A capture into the program's own graph need not be told which it is.
    if (!graph && s.capture && s.capture->own) return Error::InvalidValue;
    return end_capture(s, graph);
  });
}
WW_CUDA_API Error cudaStreamIsCapturing(Stream* stream, int* status) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!status) return Error::InvalidValue;
    *status = !s.capture ? 0 : s.capture->broken == Error::Success ? 1 : 2;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetCaptureInfo_v2(Stream* stream, int* status, unsigned long long* id,
                                              Graph** graph, GraphNode* const** after, size_t* count) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!status) return Error::InvalidValue;
    *status = !s.capture ? 0 : s.capture->broken == Error::Success ? 1 : 2;
    if (*status != 1) return Error::Success;
    if (id) *id = s.capture->id;
    if (graph) *graph = s.capture->graph;
    auto& last = s.capture->last[&s];
    if (after) *after = last.data();
    if (count) *count = last.size();
    return Error::Success;
  });
}
WW_CUDA_API Error cudaStreamGetCaptureInfo_v3(Stream* stream, int* status, unsigned long long* id,
                                              Graph** graph, GraphNode* const** after,
                                              const GraphEdgeData** edges, size_t* count) {
  if (edges) *edges = nullptr;
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
WW_CUDA_API Error cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                           GraphNode* const** after, const GraphEdgeData** edges,
                                           size_t* count) {
  if (Platform::get().runtime_version() < 13000)
    return cudaStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, count);
}
namespace {
Error update_dependencies(Stream* stream, GraphNode** after, size_t count, u32 flags) {
  return with_stream(stream, [&](Stream& s) -> Error {
    if (!s.capture) return Error::IllegalState;
    if (flags > 1 || (count && !after)) return Error::InvalidValue;
    auto& last = s.capture->last[&s];
    if (flags == 1) last.clear();
    last.insert(last.end(), after, after + count);
    return Error::Success;
  });
}
}  // namespace
WW_CUDA_API Error cudaStreamUpdateCaptureDependencies_v2(Stream* stream, GraphNode** after,
                                                         const GraphEdgeData*, size_t count, u32 flags) {
  return update_dependencies(stream, after, count, flags);
}
// Before CUDA 13 there was no list of edges between nodes and count.
WW_CUDA_API Error cudaStreamUpdateCaptureDependencies(Stream* stream, GraphNode** after, ww::cuda::u64 third,
                                                      ww::cuda::u64 fourth, u32 flags) {
  if (Platform::get().runtime_version() >= 13000) return update_dependencies(stream, after, fourth, flags);
  return update_dependencies(stream, after, third, static_cast<u32>(fourth));
}
WW_CUDA_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return plain_api([&]() -> Error {
    if (!mode || *mode < 0 || *mode > 2) return Error::InvalidValue;
    std::swap(*mode, here().capture_mode);
    return Error::Success;
  });
}
