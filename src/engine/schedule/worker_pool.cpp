#include "engine/schedule/worker_pool.h"

#include <algorithm>

namespace ww::engine {

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
  {
    std::lock_guard lock(mutex_);
    for (int k = 1; k < count; ++k) tasks_.push_back({&job, k});
    while (static_cast<int>(threads_.size()) < count - 1) threads_.emplace_back([this] { serve(); });
  }
  wanted_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  std::erase_if(tasks_, [&](const Task& t) { return t.job == &job; });
  job.ended.wait(lock, [&] { return job.running == 0; });
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [&] { return closing_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = tasks_.front();
    tasks_.pop_front();
    ++task.job->running;
    lock.unlock();
    task.job->work(task.number);
    lock.lock();
    if (--task.job->running == 0) task.job->ended.notify_all();
  }
}

}  // namespace ww::engine
