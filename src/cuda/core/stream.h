// Streams and events. Whatever is submitted runs at once, in the order in which the program submits it,
// before the call returns. That is a schedule that CUDA allows. Kernels that may wait for the host, and what
// comes behind them, run beside the host instead (backlog.h).
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "cuda/abi/types.h"
#include "cuda/core/operation.h"
#include "events/events.h"

namespace ww::cuda {

struct Capture;  // core/graph.h

struct Stream {
  DeviceContext* device = nullptr;
  u32 flags = 0;  ///< 1: cudaStreamNonBlocking
  int priority = 0;
  u64 id = 0;
  std::shared_ptr<Capture> capture;  ///< while its work is recorded into a graph
  LaunchAttributeValue attributes[16] = {};
};

// Flags of events.
inline constexpr u32 kEventNoTiming = 2, kEventInterprocess = 4;

struct Event {
  DeviceContext* device = nullptr;
  u32 flags = 0;  ///< 1: blocking sync, 2: no timing, 4: interprocess
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  std::atomic<u64> ticket{0};              ///< of its latest record that was put off (backlog.h)
  std::weak_ptr<Capture> capture;          ///< recorded in a stream that was being captured …
  std::vector<GraphNode*> captured_after;  ///< … behind these nodes
};

// Handles that stand for streams without one.
inline Stream* const kLegacyStream = reinterpret_cast<Stream*>(1);
inline Stream* const kPerThreadStream = reinterpret_cast<Stream*>(2);

/// The stream behind a handle (0, the two special ones, or one that was made). Null: there is no such stream.
Stream* stream_of(Stream* handle);
Stream* make_stream(DeviceContext& device, u32 flags, int priority);
/// Error: InvalidResourceHandle.
Error destroy_stream(Stream* handle);
bool is_event(const Event* event);
Event* make_event(DeviceContext& device, u32 flags);
Error destroy_event(Event* event);

/// Runs the operation, records it where the stream is being captured, or puts it behind what is not done.
Error submit(Stream* handle, Operation operation);
/// The host waits for what the stream has been given so far.
void wait_for(Stream& stream);
/// Copies in the default stream behind what that waits for, and waits for it.
Error copy_and_wait(const Copy& copy);
/// What the listeners are told of a stream; `doing` as in StreamOrder.
events::StreamOrder order_of(events::StreamOrder::What what, const Stream& stream, const char* doing = "");
/// What happens while it lives is done in the stream.
class Working {
 public:
  Working(const Stream& stream, const char* doing);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
};
/// Tells who listens that the host has waited, and so what it asks for next comes behind.
void host_waited(const Stream& stream);
void host_waited(const Event& event);
void host_waited_for_all();
/// Likewise, by a query, which may not say yet that it is over: then it is no wait.
bool host_asked(const Stream& stream);
bool host_asked(const Event& event);
/// Waits for all that was submitted: nothing is left to do but to show what kernels printed.
Error synchronize(DeviceContext& device);

}  // namespace ww::cuda
