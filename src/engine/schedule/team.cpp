#include "engine/schedule/team.h"

#include <algorithm>
#include <utility>

namespace ww::engine {

LaunchState& Team::renew() {
  if (launch_) params_ = std::move(launch_->params);
  return launch_.emplace();
}

void Team::begin(const Task& task) {
  LaunchState& launch = *launch_;
  again_ = nullptr;
  if (params_ != given_) {
    if (params_.size() == given_.size()) {  // else it is the first launch
      if (!needs_) needs_.emplace(*shape_.program);
      again_ = &needs_->again(params_, given_);
    }
    params_.assign(given_.begin(), given_.end());  // as many bytes: it stays where it is
  }
  launch.params = std::move(params_);
  blocks_.count = task.blocks;
  blocks_.only = task.only;
  blocks_.resident = task.resident;
  blocks_.queue.begin(task.blocks / launch.cluster.count(), task.share, shape_.workers, !task.in_parts);
  launch.queue = &blocks_.queue;
  const u64 count = static_cast<u64>(shape_.workers);
  workers_.reserve(count);
  for (u64 k = workers_.size(); k < count; ++k)
    workers_.push_back(std::make_unique<Worker>(
        launch, blocks_, k == 0 ? task.resident : (task.resident + k) / count, static_cast<int>(k)));
  standstill_.emplace(launch, task.standstill, task.host_may_help, shape_.workers);
  ++launches_;
}

void Team::run(int worker) { workers_[static_cast<size_t>(worker)]->run(launches_, *standstill_, again_); }

void Team::add_executed(std::vector<u64>& sum) const {
  for (const auto& w : workers_)
    for (size_t k = 0; w->launch_number() == launches_ && k < sum.size(); ++k) sum[k] += w->executed[k];
}

Teams::~Teams() { delete last_.load(); }

std::unique_ptr<Team> Teams::take(const TeamShape& shape) {
  std::unique_ptr<Team> last(last_.exchange(nullptr, std::memory_order_acquire));
  if (last && last->shape() == shape) return last;
  std::unique_ptr<Team> found = take_from_list(shape);
  if (last) put_into_list(std::move(last));
  return found;
}

std::unique_ptr<Team> Teams::take_from_list(const TeamShape& shape) {
  std::lock_guard lock(mutex_);
  for (size_t k = idle_.size(); k-- > 0;)
    if (idle_[k]->shape() == shape) {
      std::unique_ptr<Team> team = std::move(idle_[k]);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(k));
      return team;
    }
  return nullptr;
}

void Teams::keep(std::unique_ptr<Team> team) {
  std::unique_ptr<Team> before(last_.exchange(team.release(), std::memory_order_acq_rel));
  if (before) put_into_list(std::move(before));
}

void Teams::put_into_list(std::unique_ptr<Team> team) {
  std::unique_ptr<Team> oldest;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  if (idle_.size() == kMost) {
    oldest = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(team));
}

void Teams::forget(const ir::Module& module) {
  if (std::unique_ptr<Team> last{last_.exchange(nullptr, std::memory_order_acquire)})
    put_into_list(std::move(last));
  std::lock_guard lock(mutex_);
  std::erase_if(idle_, [&](const auto& team) { return team->shape().program->module.get() == &module; });
}

}  // namespace ww::engine
