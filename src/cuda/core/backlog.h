// Work that was submitted and is not done yet: a kernel that waits for the host, and what comes behind it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "cuda/core/host_trace.h"
#include "cuda/core/operation.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

/// Most work is done when it is submitted (stream.h). A kernel that may wait for a word that the host writes
/// after the launch runs on a thread of its own, and so does, one after the other, what must come behind it.
/// A ticket is the number of such a piece of work; 0: none.
class Backlog {
 public:
  /// Never destroyed: its thread may outlive what ends with the program.
  static Backlog& get();

  /// Whether a kernel of it loads a word until it changes, and an argument leads to memory that the host may
  /// write.
  static bool may_wait(const Stream& stream, const Operation& operation);
  static bool may_wait(const Stream& stream, const Graph& graph);
  /// Begins it, and waits for a moment: most of such kernels end at once. Errors: those of execute(), if it
  /// has ended.
  Error begin(Stream& stream, Operation operation);

  /// Whether the operation has to come behind work that is not done.
  bool holds(const Stream& stream, const Operation& operation);
  /// Puts it behind. What copies from or to the host's pageable memory is waited for.
  Error add(Stream& stream, Operation operation);

  /// The last ticket that new work of the stream comes behind: its own, and between the legacy stream and
  /// those that it blocks also the other's.
  u64 before(const Stream& stream);
  bool done(u64 ticket) const { return done_.load(std::memory_order_acquire) >= ticket; }
  bool done_all() const { return done(last_.load(std::memory_order_acquire)); }
  /// Returns at once in the thread that does the work.
  void wait(u64 ticket);
  void wait_for_all() { wait(last_.load(std::memory_order_acquire)); }

  /// Whether this thread is the one that does the work.
  static bool here();
  /// Whether a thread of the host waits for it.
  bool awaited() const { return awaiting_.load(std::memory_order_relaxed) > 0; }
  /// How many do; null where the host waits for the launch itself.
  static const std::atomic<int>* waiting() { return here() ? &get().awaiting_ : nullptr; }

 private:
  struct Piece {
    u64 ticket = 0;
    Stream* stream = nullptr;
    Operation operation;
    RawTrace trace;  ///< where the host submitted it, if that is asked for
  };
  u64 push(Stream& stream, Operation operation);
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  ///< the first one is being done
  std::atomic<u64> last_{0}, done_{0};
  std::atomic<int> awaiting_{0};
  Error ended_ = Error::Success;  ///< of the last piece
  bool started_ = false;
};

}  // namespace ww::cuda
