// Host threads that wait for launches, so that a launch need not create threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ww::engine {

class WorkerPool {
 public:
  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs work(0) on the calling thread and work(1) … work(count - 1) on threads of the pool, and returns
  /// when all have ended, the same number on the same thread as far as possible. Once work(0) has ended, what
  /// no thread has begun is left out: the work must be shared out as it is done. May be called by several
  /// threads at once.
  void run(int count, const std::function<void(int)>& work);

 private:
  struct Job {
    const std::function<void(int)>& work;
    std::atomic<int> left;  ///< parts that have neither ended nor been left out
  };
  /// Where a thread is told what to do, on a line of its own of the host's cache: sixteen threads that look
  /// at one place, and take turns at its lock, begin one after another.
  struct alignas(64) Seat {
    /// Who may be offered something, what was offered (its address), or kBusy. Only the thread itself leaves
    /// kBusy. What makes it anything else but free or busy holds the lock, and so does the thread where it
    /// takes another's part.
    std::atomic<uintptr_t> state{kFree};
    std::thread thread;
  };
  static constexpr uintptr_t kFree = 0, kBusy = 1;
  struct Part {
    Job* job = nullptr;
    int number = 0;
  };
  /// What the thread of work(number) does.
  void serve(Seat& seat, int number);
  /// The part that was offered to this thread; none: no job.
  static Part offered(Seat& seat, int number);
  /// That or one that another has no time for, as soon as there is one; no job: the pool closes.
  Part wait(Seat& seat, int number);
  /// So many parts of the job have ended, or will not be begun.
  void end(Job& job, int parts);

  std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::deque<Part> left_over_;      ///< those of threads that were busy
  std::atomic<size_t> waiting_{0};  ///< left_over_.size(), for those who look without the lock
  int asleep_ = 0;                  ///< threads that only wanted_ wakes
  std::atomic<int> callers_{0};     ///< of run(), whom only ended_ wakes
  bool closing_ = false;
};

}  // namespace ww::engine
