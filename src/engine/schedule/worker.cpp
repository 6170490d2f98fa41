#include "engine/schedule/worker.h"

#include <algorithm>
#include <thread>
#include <tuple>

namespace ww::engine {

static constexpr u64 kNeighbours = 64;

/// Which of `all` blocks begins as the k-th, where `resident` can be begun at once. The order is one of
/// neighbours only: GPUs begin blocks by number, though no manual says so, and kernels count on it that a
/// block's predecessors have begun (scans that wait for the sum before, CUB's too).
static u64 begun_as(u64 k, u64 all, u64 resident, const Order& order) {
  const u64 neighbours = order.kind == Order::Kind::Random ? std::min(resident, kNeighbours) : resident;
  const u64 first = k / neighbours * neighbours;
  const u64 round = order.kind == Order::Kind::Random ? first : 0;
  return first + order.at(k - first, std::min(neighbours, all - first), round);
}

void Worker::begin_launch(u64 number, const Standstill& standstill, const std::vector<u32>* again) {
  if (launch_number_ + 1 != number) spare_.clear();  // they have not seen how arguments changed
  launch_number_ = number;
  standstill_.emplace(standstill);
  std::fill(executed.begin(), executed.end(), 0);
  mine_ = mine_end_ = untold_ = 0;
  begun_ = 0;
  next_look_ = 1;
  answered_ = 0;
  for (const auto& block : spare_) block->begin_launch(again);
}

void Worker::keep_little() {
  constexpr size_t kMost = 256 * 1024;
  if (spare_.size() > 1) spare_.resize(1);
  if (!spare_.empty() && spare_[0]->bytes() > kMost) spare_.clear();
}

void Worker::run_blocks() {
  const u64 together = launch_.cluster.count(), all = blocks_.count / together;
  size_t turn = 0;
  bool more = true;
  bool advanced = false;  // a block, in this round of turns
  // As many are begun while others go on; more where blocks may wait for others, and none has ended for some
  // rounds: who goes on may do so in vain until one begins that has not.
  constexpr u32 kLong = 4;
  u64 room = kNeighbours;
  u32 rounds = 0;
  // The next block (or cluster) to run. False: there is none left.
  const auto take = [&](u64& number) {
    if (mine_ == mine_end_) {
      std::tie(mine_, mine_end_) = blocks_.queue.take(id_);
      tell_ended();
      if (mine_ == mine_end_) return more = false;
      if (begun_ >= next_look_) next_look_ = begun_ + launch_.warming->look_after(begun_);
    }
    ++begun_;
    number = mine_++;
    if (!launch_.order.forward())
      number = begun_as(number, all, std::max<u64>(1, blocks_.resident / together), launch_.order);
    if (!blocks_.only->empty()) number = (*blocks_.only)[number];
    return true;
  };
  while (!launch_.stopping() && (more || !live_.empty())) {
    // Each that waits costs a turn in every round, so many wait only if nothing else goes on.
    const bool enough = advanced && live_.size() >= room && !launch_.order.forward();
    if (more && live_.size() + together <= std::max(resident_, together) &&
        (live_.empty() || (turn >= live_.size() && !enough))) {
      if (u64 number; take(number)) {
        turn = live_.size();
        begin(number);
      }
    }
    if (live_.empty()) continue;
    if (launch_.asked.load(std::memory_order_relaxed) != answered_) answer();
    if (turn >= live_.size()) turn = 0;
    if (turn == 0) {
      advanced = false;
      if (more && launch_.program->polls && ++rounds > kLong) {
        rounds = 0;
        if (live_.size() >= room) room *= 2;
      }
    }
    const Turn ended = live_[turn]->run();
    advanced |= ended == Turn::Done || ended == Turn::Yielded;
    switch (ended) {
      case Turn::Done:
        if (launch_.bus) launch_.bus->block_ends(id_, live_[turn]->number);
        ++untold_;
        rounds = 0;
        if (u64 number; together == 1 && live_.size() == 1 && more && take(number)) {
          BlockState& block = *live_[0];
          auto plainly = block.run_plainly(number);
          while (plainly == BlockState::Plainly::Ended && !launch_.stopping()) {
            if (launch_.bus) launch_.bus->block_ends(id_, block.number);
            ++untold_;
            standstill_->moved();
            if (!take(number)) break;
            plainly = block.run_plainly(number);
          }
          block.cluster->index = block.index;
          if (plainly == BlockState::Plainly::No) begin_again(number, block);
          if (plainly != BlockState::Plainly::Ended) break;
        }
        end(std::move(live_[turn]));
        live_.erase(live_.begin() + static_cast<long>(turn));
        standstill_->moved();
        break;
      case Turn::Waiting:
        if (live_[turn]->cluster->stuck()) {
          live_[turn]->report_deadlock();
          return;
        }
        ++turn;
        if (turn >= live_.size() && standstill_->found()) launch_.still = launch_.stop = true;
        break;
      case Turn::Yielded:
      case Turn::Polling:
        tell_ended();
        if (launch_.unwatched.load(std::memory_order_relaxed)) watch();
        launch_.warming->look();
        standstill_->turn(*live_[turn], ended == Turn::Polling);
        if (++turn < live_.size()) break;
        if (standstill_->found()) launch_.still = launch_.stop = true;
        // After each round only: where others want the processor, it is gone for milliseconds.
        std::this_thread::yield();
        break;
      case Turn::Stopped:
        break;  // so does the loop
    }
  }
  if (!launch_.given_up()) return;
  std::lock_guard lock(launch_.mutex);
  for (const auto& block : live_) add_standing(launch_.standing, *block);
}

/// Most launches end within a moment, and need nobody who watches them.
void Worker::watch() {
  constexpr std::chrono::milliseconds kMoment{20};
  if (std::chrono::steady_clock::now() - launch_.began > kMoment && launch_.unwatched.exchange(false))
    launch_.watch();
}

void Worker::answer() {
  std::lock_guard lock(launch_.mutex);
  answered_ = launch_.asked.load(std::memory_order_relaxed);
  for (const auto& block : live_) add_standing(launch_.heard, *block);
  ++launch_.answered;
}

/// Starts the blocks of a cluster (without clusters: one block).
void Worker::begin(u64 number) {
  const Extent3 size = launch_.cluster;
  const u64 nx = launch_.grid.x / size.x, ny = launch_.grid.y / size.y;
  const Extent3 at{static_cast<u32>(number % nx), static_cast<u32>(number / nx % ny),
                   static_cast<u32>(number / nx / ny)};
  if (spare_clusters_.empty()) spare_clusters_.push_back(std::make_unique<ClusterState>());
  auto& cluster = clusters_.emplace_back(std::move(spare_clusters_.back()));
  spare_clusters_.pop_back();
  standstill_->moved();
  cluster->index = at;
  cluster->blocks.clear();
  cluster->phase = cluster->arrived = cluster->ended = 0;
  for (u32 rank = 0; rank < size.count(); ++rank) {
    if (spare_.empty()) {
      live_.push_back(std::make_unique<BlockState>(launch_, executed, notes_, allocations_));
    } else {
      live_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    BlockState& block = *live_.back();
    block.worker = id_;
    block.rank = rank;
    block.cluster = cluster.get();
    cluster->blocks.push_back(&block);
    u64 x = u64{at.x} * size.x + rank % size.x, y = u64{at.y} * size.y + rank / size.x % size.y,
        z = u64{at.z} * size.z + rank / size.x / size.y;
    block.start(x + launch_.grid.x * (y + launch_.grid.y * z));
    if (launch_.bus) launch_.bus->block_begins(id_, block.number);
  }
}

/// The block has ended, and is the next one: as end() and begin() without clusters.
void Worker::begin_again(u64 number, BlockState& block) {
  ClusterState& cluster = *block.cluster;
  if (!block.bulk.empty()) {
    cluster.finish_bulk();
    block.finish_bulk();
  }
  cluster.phase = cluster.arrived = cluster.ended = 0;
  standstill_->moved();
  block.start(number);
  cluster.index = block.index;
  if (launch_.bus) launch_.bus->block_begins(id_, block.number);
}

/// A block has ended; its shared memory stays until all of its cluster have.
void Worker::end(std::unique_ptr<BlockState> block) {
  ClusterState* cluster = block->cluster;
  cluster->finish_bulk();
  block->finish_bulk();
  block->ended = true;
  if (++cluster->ended < cluster->blocks.size()) {
    ended_.push_back(std::move(block));
    return;
  }
  spare_.push_back(std::move(block));
  for (size_t k = ended_.size(); k-- > 0;)
    if (ended_[k]->cluster == cluster) {
      spare_.push_back(std::move(ended_[k]));
      ended_.erase(ended_.begin() + static_cast<long>(k));
    }
  auto at =
      std::find_if(clusters_.begin(), clusters_.end(), [&](const auto& c) { return c.get() == cluster; });
  spare_clusters_.push_back(std::move(*at));
  clusters_.erase(at);
}

}  // namespace ww::engine
