#include "engine/schedule/worker_pool.h"

#include <algorithm>
#include <chrono>

namespace ww::engine {

namespace {

/// Programs launch kernels one behind another, and waking a thread takes tens of microseconds, sixteen of
/// them some hundred: for as long a thread looks by itself whether there is more to do, or whether others
/// have ended.
constexpr std::chrono::microseconds kLook{60};

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Looks until it is so, or for kLook.
template <class F>
void look(F&& so) {
  constexpr int kLooks = 64;  // for one look at the clock
  const auto end = std::chrono::steady_clock::now() + kLook;
  do {
    for (int k = 0; k < kLooks; ++k) {
      if (so()) return;
      rest();
    }
  } while (std::chrono::steady_clock::now() < end);
}

/// Taken by many threads at once, each for a moment: the kernel need not hear of it.
class Briefly {
 public:
  explicit Briefly(std::mutex& mutex) : lock_(mutex, std::defer_lock) {
    look([&] { return lock_.try_lock(); });
    if (!lock_) lock_.lock();
  }
  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wanted_.notify_all();
  for (auto& t : threads_) t.join();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  if (count <= 1) return work(0);
  Job job{work};
  bool wake = false;
  {
    Briefly brief(mutex_);
    for (int k = 1; k < count; ++k) tasks_.push_back({&job, k});
    waiting_ = tasks_.size();
    wake = asleep_ > 0;
    while (static_cast<int>(threads_.size()) < count - 1)
      threads_.emplace_back([this, k = static_cast<int>(threads_.size()) + 1] { serve(k); });
  }
  if (wake) wanted_.notify_all();
  work(0);
  Briefly brief(mutex_);
  std::erase_if(tasks_, [&](const Task& t) { return t.job == &job; });
  waiting_ = tasks_.size();
  const auto over = [&] { return job.running == 0; };
  if (over()) return;
  brief.lock().unlock();
  look(over);
  brief.lock().lock();
  ended_.wait(brief.lock(), over);
}

void WorkerPool::serve(int thread) {
  for (;;) {
    look([&] { return waiting_ > 0; });
    Task task;
    {
      Briefly brief(mutex_);
      ++asleep_;
      wanted_.wait(brief.lock(), [&] { return closing_ || !tasks_.empty(); });
      --asleep_;
      if (tasks_.empty()) return;
      auto mine =
          std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& t) { return t.number == thread; });
      if (mine == tasks_.end()) mine = tasks_.begin();
      task = *mine;
      tasks_.erase(mine);
      waiting_ = tasks_.size();
      ++task.job->running;
    }
    task.job->work(task.number);
    // The job is gone as soon as nothing of it runs any more.
    if (--task.job->running > 0) continue;
    std::lock_guard lock(mutex_);
    ended_.notify_all();
  }
}

}  // namespace ww::engine
