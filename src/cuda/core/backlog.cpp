#include "cuda/core/backlog.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/core/checking.h"
#include "cuda/core/code.h"
#include "cuda/core/graph.h"
#include "cuda/core/host_wait.h"
#include "cuda/core/on_behalf.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

/// How long the host waits for a kernel that may wait for the host. Under checks, which see what the host
/// does too early only when the kernel has ended, and make it slower: long enough for those that do not wait.
std::chrono::milliseconds moment() { return std::chrono::milliseconds(Checking::get() ? 500 : 5); }

/// What this process has had of the processor.
std::chrono::nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

thread_local bool is_worker = false;

/// Whether work of one stream comes behind earlier work of the other.
bool ordered(const Stream& a, const Stream& b) {
  const auto legacy = [](const Stream& s) { return s.id == 0; };
  const auto blocking = [](const Stream& s) { return !(s.flags & 1); };
  return &a == &b || (legacy(a) && blocking(b)) || (legacy(b) && blocking(a));
}

/// Kernels run one at a time.
bool has_kernels(const Operation& operation) {
  return std::holds_alternative<KernelCall>(operation) || std::holds_alternative<ChildCall>(operation) ||
         std::holds_alternative<ConditionalCall>(operation);
}

}  // namespace

Backlog& Backlog::get() {
  static auto* all = new Backlog;
  return *all;
}

bool Backlog::here() { return is_worker; }

bool Backlog::may_wait(const Stream& stream, const Operation& operation) {
  if (is_worker) return false;
  if (auto* child = std::get_if<ChildCall>(&operation)) return may_wait(stream, *child->graph);
  if (auto* choice = std::get_if<ConditionalCall>(&operation))
    return std::any_of(choice->bodies.begin(), choice->bodies.end(),
                       [&](const Graph* body) { return may_wait(stream, *body); });
  auto* call = std::get_if<KernelCall>(&operation);
  if (!call) return false;
  DeviceContext& device = call->device ? *call->device : *stream.device;
  const LoadedKernel* kernel = nullptr;
  if (loaded_kernel(device, *call->function, kernel) != Error::Success) return false;
  return !kernel->polls_at.empty() && HostWait::reaches_host(call->arguments);
}

bool Backlog::may_wait(const Stream& stream, const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto& n) { return n->enabled && may_wait(stream, n->operation); });
}

u64 Backlog::push(Stream& stream, Operation operation) {
  std::lock_guard lock(mutex_);
  if (!started_) std::thread([this] { work(); }).detach();
  started_ = true;
  const u64 ticket = last_ + 1;
  if (auto* record = std::get_if<RecordCall>(&operation)) record->event->ticket = ticket;
  pieces_.push_back({ticket, &stream, std::move(operation), Checking::get() ? raw_trace() : RawTrace()});
  last_.store(ticket, std::memory_order_release);
  changed_.notify_all();
  return ticket;
}

Error Backlog::begin(Stream& stream, Operation operation) {
  const u64 ticket = push(stream, std::move(operation));
  std::unique_lock lock(mutex_);
  // On a busy machine the kernel gets little of a moment: findings must not depend on that. One that waits
  // takes all that it gets. But it may be held up otherwise, by a debugger say.
  constexpr int kMostMoments = 6;  // fewer seconds than an endless kernel is given
  const int most = Checking::get() ? kMostMoments : 1;
  const auto before = processor_time();
  bool over = false;
  for (int k = 0; k < most && !over && (k == 0 || processor_time() - before < moment()); ++k)
    over = changed_.wait_for(lock, moment(), [&] { return done(ticket); });
  return over && last_ == ticket ? ended_ : Error::Success;
}

bool Backlog::holds(const Stream& stream, const Operation& operation) {
  if (is_worker || done_all()) return false;
  if (auto* wait = std::get_if<WaitCall>(&operation); wait && !done(wait->event->ticket)) return true;
  return has_kernels(operation) || before(stream);
}

Error Backlog::add(Stream& stream, Operation operation) {
  const auto* copy = std::get_if<Copy>(&operation);
  if (!copy || !of_pageable(*copy)) {
    push(stream, std::move(operation));
    return Error::Success;
  }
  wait(before(stream));
  return execute(std::move(operation), stream);
}

u64 Backlog::before(const Stream& stream) {
  if (is_worker || done_all()) return 0;
  std::lock_guard lock(mutex_);
  for (auto p = pieces_.rbegin(); p != pieces_.rend(); ++p)
    if (ordered(*p->stream, stream)) return p->ticket;
  return 0;
}

void Backlog::wait(u64 ticket) {
  if (is_worker || done(ticket)) return;
  ++awaiting_;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done(ticket); });
  --awaiting_;
}

void Backlog::work() {
  is_worker = true;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !pieces_.empty(); });
    const Piece& piece = pieces_.front();  // stays where it is while others are put behind it
    lock.unlock();
    Error error;
    {
      const OnBehalf trace(piece.trace);
      error = execute(piece.operation, *piece.stream);
    }
    // No graph holds a graph that was launched.
    if (auto* launched = std::get_if<ChildCall>(&piece.operation)) (void)destroy(launched->graph);
    lock.lock();
    ended_ = error;
    done_.store(piece.ticket, std::memory_order_release);
    pieces_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace ww::cuda
