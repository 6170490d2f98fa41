#include "engine/schedule/worker.h"

#include <algorithm>
#include <thread>

namespace ww::engine {

void Worker::run_blocks() {
  const u64 together = launch_.cluster.count(), all = blocks_ / together;
  std::vector<std::unique_ptr<BlockState>> spare, live;
  size_t turn = 0;
  bool more = true;
  // The next block (or cluster) to run. False: there is none left.
  const auto take = [&](u64& number) {
    if (mine_ == mine_end_) {
      mine_ = next_.fetch_add(share_), mine_end_ = mine_ + share_;
      tell_ended();
      if (any_ && mine_ < all) launch_.warming->look();
      any_ = true;
    }
    number = mine_++;
    if (number >= all) return more = false;
    if (!launch_.order.forward()) number = launch_.order.at(number, all, 0);
    if (!only_.empty()) number = only_[number];
    return true;
  };
  while (!launch_.stopping() && (more || !live.empty())) {
    if (more && live.size() + together <= std::max(resident_, together) &&
        (live.empty() || turn >= live.size())) {
      if (u64 number; take(number)) {
        turn = live.size();
        begin(number, spare, live);
      }
    }
    if (live.empty()) continue;
    if (launch_.asked.load(std::memory_order_relaxed) != answered_) answer(live);
    if (turn >= live.size()) turn = 0;
    const Turn ended = live[turn]->run();
    switch (ended) {
      case Turn::Done:
        if (launch_.bus) launch_.bus->block_ends(id_, live[turn]->number);
        ++untold_;
        if (u64 number; together == 1 && live.size() == 1 && more && take(number)) {
          BlockState& block = *live[0];
          auto plainly = block.run_plainly(number);
          while (plainly == BlockState::Plainly::Ended && !launch_.stopping()) {
            if (launch_.bus) launch_.bus->block_ends(id_, block.number);
            ++untold_;
            standstill_.moved();
            if (!take(number)) break;
            plainly = block.run_plainly(number);
          }
          block.cluster->index = block.index;
          if (plainly == BlockState::Plainly::No) begin_again(number, block);
          if (plainly != BlockState::Plainly::Ended) break;
        }
        end(std::move(live[turn]), spare);
        live.erase(live.begin() + static_cast<long>(turn));
        standstill_.moved();
        break;
      case Turn::Waiting:
        if (live[turn]->cluster->stuck()) {
          live[turn]->report_deadlock();
          return;
        }
        ++turn;
        if (turn >= live.size() && standstill_.found()) launch_.still = launch_.stop = true;
        break;
      case Turn::Yielded:
      case Turn::Polling:
        tell_ended();
        if (launch_.unwatched.load(std::memory_order_relaxed)) watch();
        launch_.warming->look();
        standstill_.turn(*live[turn], ended == Turn::Polling);
        if (++turn < live.size()) break;
        if (standstill_.found()) launch_.still = launch_.stop = true;
        // After each round only: where others want the processor, it is gone for milliseconds.
        std::this_thread::yield();
        break;
      case Turn::Stopped:
        break;  // so does the loop
    }
  }
  if (!launch_.given_up()) return;
  std::lock_guard lock(launch_.mutex);
  for (const auto& block : live) add_standing(launch_.standing, *block);
}

/// Most launches end within a moment, and need nobody who watches them.
void Worker::watch() {
  constexpr std::chrono::milliseconds kMoment{20};
  if (std::chrono::steady_clock::now() - launch_.began > kMoment && launch_.unwatched.exchange(false))
    launch_.watch();
}

void Worker::answer(const Blocks& live) {
  std::lock_guard lock(launch_.mutex);
  answered_ = launch_.asked.load(std::memory_order_relaxed);
  for (const auto& block : live) add_standing(launch_.heard, *block);
  ++launch_.answered;
}

/// Starts the blocks of a cluster (without clusters: one block).
void Worker::begin(u64 number, Blocks& spare, Blocks& live) {
  const Extent3 size = launch_.cluster;
  const u64 nx = launch_.grid.x / size.x, ny = launch_.grid.y / size.y;
  const Extent3 at{static_cast<u32>(number % nx), static_cast<u32>(number / nx % ny),
                   static_cast<u32>(number / nx / ny)};
  if (spare_clusters_.empty()) spare_clusters_.push_back(std::make_unique<ClusterState>());
  auto& cluster = clusters_.emplace_back(std::move(spare_clusters_.back()));
  spare_clusters_.pop_back();
  standstill_.moved();
  cluster->index = at;
  cluster->blocks.clear();
  cluster->phase = cluster->arrived = cluster->ended = 0;
  for (u32 rank = 0; rank < size.count(); ++rank) {
    if (spare.empty()) {
      live.push_back(std::make_unique<BlockState>(launch_, executed, notes_, allocations_));
    } else {
      live.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    BlockState& block = *live.back();
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
  standstill_.moved();
  block.start(number);
  cluster.index = block.index;
  if (launch_.bus) launch_.bus->block_begins(id_, block.number);
}

/// A block has ended; its shared memory stays until all of its cluster have.
void Worker::end(std::unique_ptr<BlockState> block, Blocks& spare) {
  ClusterState* cluster = block->cluster;
  cluster->finish_bulk();
  block->finish_bulk();
  block->ended = true;
  if (++cluster->ended < cluster->blocks.size()) {
    ended_.push_back(std::move(block));
    return;
  }
  spare.push_back(std::move(block));
  for (size_t k = ended_.size(); k-- > 0;)
    if (ended_[k]->cluster == cluster) {
      spare.push_back(std::move(ended_[k]));
      ended_.erase(ended_.begin() + static_cast<long>(k));
    }
  auto at =
      std::find_if(clusters_.begin(), clusters_.end(), [&](const auto& c) { return c.get() == cluster; });
  spare_clusters_.push_back(std::move(*at));
  clusters_.erase(at);
}

}  // namespace ww::engine
