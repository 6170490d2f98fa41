// Host threads that wait for launches, so that a launch need not create threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
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
    explicit Job(const std::function<void(int)>& what) : work(what) {}
    const std::function<void(int)>& work;
    std::atomic<int> running{0};
  };
  struct Task {
    Job* job;
    int number;
  };
  /// What the thread with this number does: the same part of a launch as before, if it can.
  void serve(int thread);

  std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::deque<Task> tasks_;
  std::atomic<size_t> waiting_{0};  ///< tasks_.size(), for those who look without the lock
  int asleep_ = 0;                  ///< threads that only wanted_ wakes
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

}  // namespace ww::engine
