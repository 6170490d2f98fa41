#include "cuda/core/stream.h"

#include <cstring>
#include <map>

#include "base/live_handles.h"
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/default_stream.h"
#include "cuda/core/graph.h"
#include "cuda/core/host_guard.h"
#include "cuda/core/platform.h"
#include "cuda/core/pool.h"

namespace ww::cuda {

namespace {

struct Streams {
  LiveHandles live;                               ///< streams and events
  std::mutex mutex;                               ///< of the rest
  std::map<int, std::unique_ptr<Stream>> legacy;  ///< by device
  u64 next_id = 1;
};
Streams& streams() {
  static auto* all = new Streams;
  return *all;
}

void tell(const events::StreamOrder& e) { Platform::get().engine().memory().host_events().tell(e); }

}  // namespace

events::StreamOrder order_of(events::StreamOrder::What what, const Stream& stream, const char* doing) {
  events::StreamOrder e;
  e.what = what;
  e.device = stream.device->number;
  e.legacy = stream.id == 0;
  e.stream = e.legacy ? static_cast<u64>(e.device) << 48 : stream.id;
  e.blocking = !(stream.flags & 1);
  e.doing = doing;
  return e;
}

Working::Working(const Stream& stream, const char* doing) {
  tell(order_of(events::StreamOrder::What::Work, stream, doing));
}
Working::~Working() {
  events::StreamOrder e;
  e.what = events::StreamOrder::What::WorkEnds;
  tell(e);
}

Stream* make_stream(DeviceContext& device, u32 flags, int priority) {
  auto* s = new Stream;
  s->device = &device;
  s->flags = flags;
  s->priority = priority;
  {
    std::lock_guard lock(streams().mutex);
    s->id = streams().next_id++;
  }
  streams().live.add(s);
  host_waited(*s);  // it is empty, and who listens knows that there is one more
  return s;
}

Stream* stream_of(Stream* handle) {
  DeviceContext& device = Platform::get().current();
  if (!handle && DefaultStreamOfThread::any()) handle = kPerThreadStream;
  if (handle == kPerThreadStream) {
    Stream*& s = here().per_thread;
    if (!s || s->device != &device) s = make_stream(device, 0, 0);
    return s;
  }
  if (!handle || handle == kLegacyStream) {
    if (Stream* s = device.legacy_stream.load(std::memory_order_acquire)) return s;
    std::lock_guard lock(streams().mutex);
    auto& s = streams().legacy[device.number];
    if (!s) {
      s = std::make_unique<Stream>();
      s->device = &device;
      device.legacy_stream.store(s.get(), std::memory_order_release);
    }
    return s.get();
  }
  return streams().live.has(handle) ? handle : nullptr;
}

void ThreadState::leave_stream() {
  if (per_thread) (void)destroy_stream(per_thread);
  per_thread = nullptr;
}

Error destroy_stream(Stream* s) {
  if (!streams().live.remove(s)) return Error::InvalidResourceHandle;
  Backlog::get().wait(Backlog::get().before(*s));
  if (s->capture) {
    Capture& c = *s->capture;
    // A stream that joined may go before the end; what it did last must have come back by then.
    if (c.origin == s)
      c.broken = Error::StreamCaptureInvalidated;
    else
      c.left.insert(c.left.end(), c.last[s].begin(), c.last[s].end());
    c.last.erase(s);
  }
  delete s;
  return Error::Success;
}

bool is_event(const Event* event) { return streams().live.has(event); }

Event* make_event(DeviceContext& device, u32 flags) {
  auto* e = new Event;
  e->device = &device;
  e->flags = flags;
  streams().live.add(e);
  return e;
}

Error destroy_event(Event* event) {
  if (!streams().live.remove(event)) return Error::InvalidResourceHandle;
  Backlog::get().wait_for_all();  // others may wait for it
  delete event;
  return Error::Success;
}

Error submit(Stream* handle, Operation operation) {
  if (!handle && DefaultStreamOfThread::any()) handle = kPerThreadStream;
  Stream* s = stream_of(handle);
  if (!s) return Error::InvalidResourceHandle;
  if (!s->capture)
    if (auto* wait = std::get_if<WaitCall>(&operation))
      if (auto capture = wait->event->capture.lock()) {
        s->capture = capture;
        capture->last[s];
      }
  if (s->capture) return capture_operation(*s, std::move(operation));
  if ((!handle || handle == kLegacyStream) && capture_forbids_legacy_stream())
    return Error::StreamCaptureImplicit;
  Backlog& backlog = Backlog::get();
  if (backlog.holds(*s, operation)) return backlog.add(*s, std::move(operation));
  if (Backlog::may_wait(*s, operation)) return backlog.begin(*s, std::move(operation));
  return execute(std::move(operation), *s);
}

namespace {

void set_bytes(const MemsetCall& m) {
  engine::GlobalMemory& memory = Platform::get().engine().memory();
  for (size_t row = 0; row < m.height; ++row) {
    u8* p = memory.host(m.to + row * m.pitch);
    if (m.element == 1)
      std::memset(p, static_cast<int>(m.value), m.width);
    else
      for (size_t k = 0; k < m.width; ++k) std::memcpy(p + k * m.element, &m.value, m.element);
    memory.host_events().tell(
        events::HostAccess{m.to + row * m.pitch, m.width * m.element, isa::Direction::Write});
  }
}

void tell(events::StreamOrder::What what, const Stream& stream, const Event& event) {
  events::StreamOrder e = order_of(what, stream);
  e.event = reinterpret_cast<u64>(&event);
  tell(e);
}

events::StreamOrder waits_for(const Event& event) {
  events::StreamOrder e;
  e.what = events::StreamOrder::What::HostEvent;
  e.event = reinterpret_cast<u64>(&event);
  return e;
}

bool asked(const events::StreamOrder& e) {
  if (Checking* checking = Checking::get(); checking && !checking->query_says_over(e)) return false;
  tell(e);
  return true;
}

struct Executor {
  Stream& stream;
  Error operator()(KernelCall&& c) const {
    const Working working(stream, "a launch");
    return launch(c.device ? *c.device : *stream.device, std::move(c));
  }
  Error operator()(const Copy& c) const {
    Error e;
    {
      const Working working(stream, "a copy");
      e = perform(c);
    }
    if (to_pageable(c)) host_waited(stream);
    return e;
  }
  Error operator()(const MemsetCall& c) const {
    const Working working(stream, "a set");
    set_bytes(c);
    return Error::Success;
  }
  Error operator()(const HostCall& c) const {
    host_waited(stream);  // what it tells other threads of the host comes behind the stream's work so far
    const HostFunction runs;
    c.function(c.data);
    return Error::Success;
  }
  Error operator()(const EmptyCall&) const { return Error::Success; }
  Error operator()(const RecordCall& c) const {
    c.event->recorded = true;
    c.event->time = std::chrono::steady_clock::now();
    c.event->capture.reset();
    tell(events::StreamOrder::What::Record, stream, *c.event);
    return Error::Success;
  }
  Error operator()(const WaitCall& c) const {
    tell(events::StreamOrder::What::Wait, stream, *c.event);
    return Error::Success;
  }
  Error operator()(const ChildCall& c) const { return run_graph(*c.graph, stream); }
  Error operator()(const AllocCall& c) const {
    auto memory = GraphMemory::at(c.params.pointer);
    return memory ? memory->begin() : Error::InvalidValue;
  }
  Error operator()(const FreeCall& c) const {
    const Working working(stream, "a free");
    return pool_free(c.pointer);
  }
  Error operator()(const ConditionalCall& c) const { return run_conditional(c, stream); }
};

}  // namespace

Error execute(Operation operation, Stream& stream) {
  // Behind a fault nothing runs any more.
  if (stream.device->sticky.load() != Error::Success) return Error::Success;
  return std::visit(Executor{stream}, std::move(operation));
}

void host_waited(const Stream& stream) { tell(order_of(events::StreamOrder::What::HostStream, stream)); }
void host_waited(const Event& event) { tell(waits_for(event)); }
bool host_asked(const Stream& stream) {
  return asked(order_of(events::StreamOrder::What::HostStream, stream));
}
bool host_asked(const Event& event) { return asked(waits_for(event)); }
void host_waited_for_all() {
  events::StreamOrder e;
  e.what = events::StreamOrder::What::HostAll;
  tell(e);
}

void wait_for(Stream& stream) {
  Backlog::get().wait(Backlog::get().before(stream));
  host_waited(stream);
}

Error copy_and_wait(const Copy& copy) {
  Stream& stream = *stream_of(nullptr);
  Backlog::get().wait(Backlog::get().before(stream));
  const Error e = Executor{stream}(copy);
  host_waited(stream);
  return e;
}

Error synchronize(DeviceContext& device) {
  Platform::get().flush_printed();
  trim_pools();
  return device.sticky;
}

}  // namespace ww::cuda
