// CUDA Runtime API: Event Management.
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/graph.h"
#include "cuda/core/platform.h"
#include "cuda/core/stream.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {
/// Whether it was recorded in a capture that goes on. The question makes the capture invalid.
bool is_captured(const Event& event) {
  auto capture = event.capture.lock();
  if (capture) capture->broken = Error::StreamCaptureInvalidated;
  return capture != nullptr;
}
}  // namespace

WW_CUDA_API Error cudaEventCreateWithFlags(Event** event, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    // An event for other processes must not take times.
    if (!event || flags & ~7u || (flags & 4 && !(flags & 2))) return Error::InvalidValue;
    *event = make_event(d, flags);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaEventCreate(Event** event) { return cudaEventCreateWithFlags(event, 0); }
WW_CUDA_API Error cudaEventDestroy(Event* event) {
  return api([&](DeviceContext&) { return destroy_event(event); });
}
WW_CUDA_API Error cudaEventRecordWithFlags(Event* event, Stream* stream, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (flags & ~1u) return Error::InvalidValue;
    if (!is_event(event)) return Error::InvalidResourceHandle;
    Error e = submit(stream, RecordCall{event, flags != 0});
    // What another process is told of is done (ipc.h).
    if (e == Error::Success && event->flags & kEventInterprocess) Backlog::get().wait(event->ticket);
    return e;
  });
}
WW_CUDA_API Error cudaEventRecord(Event* event, Stream* stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
WW_CUDA_API Error cudaEventSynchronize(Event* event) {
  return api([&](DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    if (is_captured(*event)) return Error::CapturedEvent;
    Backlog::get().wait(event->ticket);
    host_waited(*event);
    return event->recorded ? synchronize(*event->device) : Error::Success;
  });
}
WW_CUDA_API Error cudaEventQuery(Event* event) {
  return api([&](DeviceContext&) -> Error {
    if (!is_event(event)) return Error::InvalidResourceHandle;
    if (is_captured(*event)) return Error::CapturedEvent;
    return Backlog::get().done(event->ticket) && host_asked(*event) ? Error::Success : Error::NotReady;
  });
}
WW_CUDA_API Error cudaEventElapsedTime(float* ms, Event* begin, Event* end) {
  return api([&](DeviceContext&) -> Error {
    if (!ms) return Error::InvalidValue;
    if (!is_event(begin) || !is_event(end)) return Error::InvalidResourceHandle;
    if (!Backlog::get().done(std::max<u64>(begin->ticket, end->ticket))) return Error::NotReady;
    if ((begin->flags | end->flags) & 2 || !begin->recorded || !end->recorded)
      return Error::InvalidResourceHandle;
    if (!host_asked(*end) || !host_asked(*begin)) {
      if (Checking* checking = Checking::get()) checking->early_time();
      return Error::NotReady;
    }
    *ms = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return Error::Success;
  });
}
WW_CUDA_API Error cudaEventElapsedTime_v2(float* ms, Event* begin, Event* end) {
  return cudaEventElapsedTime(ms, begin, end);
}
