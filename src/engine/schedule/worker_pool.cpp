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

/// Looks until it is so, or for kLook. Whether it was.
template <class F>
bool look(F&& so) {
  constexpr int kLooks = 64;  // for one look at the clock
  const auto end = std::chrono::steady_clock::now() + kLook;
  do {
    for (int k = 0; k < kLooks; ++k) {
      if (so()) return true;
      rest();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
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
  for (auto& seat : seats_) seat->thread.join();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  if (count <= 1) return work(0);
  Job job{work, count - 1};
  const auto others = static_cast<size_t>(count - 1);
  bool wake = false;
  {
    Briefly brief(mutex_);
    while (seats_.size() < others) {
      Seat& seat = *seats_.emplace_back(std::make_unique<Seat>());
      seat.thread = std::thread([this, &seat, k = static_cast<int>(seats_.size())] { serve(seat, k); });
    }
    for (size_t k = 0; k < others; ++k) {
      std::atomic<uintptr_t>& state = seats_[k]->state;
      if (state.load(std::memory_order_relaxed) == kFree)
        state.store(reinterpret_cast<uintptr_t>(&job), std::memory_order_release);
      else
        left_over_.push_back({&job, static_cast<int>(k) + 1});
    }
    waiting_ = left_over_.size();
    wake = asleep_ > 0;
  }
  if (wake) wanted_.notify_all();
  work(0);
  int spared = 0;
  {
    Briefly brief(mutex_);
    for (size_t k = 0; k < others; ++k) {
      std::atomic<uintptr_t>& state = seats_[k]->state;
      auto mine = reinterpret_cast<uintptr_t>(&job);
      spared += state.load(std::memory_order_relaxed) == mine && state.compare_exchange_strong(mine, kFree);
    }
    spared += static_cast<int>(std::erase_if(left_over_, [&](const Part& p) { return p.job == &job; }));
    waiting_ = left_over_.size();
  }
  end(job, spared);
  const auto over = [&] { return job.left == 0; };
  if (look(over)) return;
  std::unique_lock lock(mutex_);
  ++callers_;
  ended_.wait(lock, over);
  --callers_;
}

void WorkerPool::end(Job& job, int parts) {
  // The job is gone as soon as nothing of it is left.
  if (job.left.fetch_sub(parts) > parts || callers_ == 0) return;
  std::lock_guard lock(mutex_);
  ended_.notify_all();
}

WorkerPool::Part WorkerPool::offered(Seat& seat, int number) {
  uintptr_t state = seat.state.load(std::memory_order_relaxed);
  if (state == kFree || !seat.state.compare_exchange_strong(state, kBusy)) return {};
  return {reinterpret_cast<Job*>(state), number};
}

WorkerPool::Part WorkerPool::wait(Seat& seat, int number) {
  Briefly brief(mutex_);
  ++asleep_;
  wanted_.wait(brief.lock(), [&] { return closing_ || seat.state != kFree || !left_over_.empty(); });
  --asleep_;
  if (const Part mine = offered(seat, number); mine.job || left_over_.empty()) return mine;
  seat.state = kBusy;
  const Part other = left_over_.front();
  left_over_.pop_front();
  waiting_ = left_over_.size();
  return other;
}

void WorkerPool::serve(Seat& seat, int number) {
  for (;;) {
    const bool found =
        look([&] { return seat.state.load(std::memory_order_relaxed) != kFree || waiting_ > 0; });
    Part part = offered(seat, number);
    if (!part.job && found && waiting_ == 0) continue;  // it came too late, and need not sleep for that
    if (!part.job) part = wait(seat, number);
    if (!part.job) return;
    part.job->work(part.number);
    seat.state = kFree;
    end(*part.job, 1);
  }
}

}  // namespace ww::engine
