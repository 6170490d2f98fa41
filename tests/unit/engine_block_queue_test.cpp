// How workers share out the blocks of a launch.
#include "engine/schedule/block_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace ww::engine {
namespace {

using Taken = std::pair<u64, u64>;

TEST(BlockQueue, EachWorkerGoesThroughAPartOfItsOwn) {
  BlockQueue queue;
  queue.begin(10, 2, 2, false);
  EXPECT_EQ(queue.take(1), Taken(5, 7));
  EXPECT_EQ(queue.take(0), Taken(0, 2));
  EXPECT_EQ(queue.take(1), Taken(7, 9));
  EXPECT_EQ(queue.take(1), Taken(9, 10));  // no further than its end
}

TEST(BlockQueue, WhoIsDoneHelpsThatWhichHasMostLeft) {
  BlockQueue queue;
  queue.begin(9, 1, 3, false);
  EXPECT_EQ(queue.take(1), Taken(3, 4));
  for (u64 k = 6; k < 9; ++k) EXPECT_EQ(queue.take(2), Taken(k, k + 1));
  EXPECT_EQ(queue.take(2), Taken(0, 1));  // three are left there, two at worker 1's
  for (int k = 0; k < 4; ++k) {
    const Taken run = queue.take(2);
    EXPECT_LT(run.first, run.second);
  }
  for (int worker = 0; worker < 3; ++worker) {
    const Taken run = queue.take(worker);
    EXPECT_EQ(run.first, run.second);
  }
}

TEST(BlockQueue, InOnePartBlocksBeginInTheirOrder) {
  BlockQueue queue;
  queue.begin(5, 1, 3, true);
  for (u64 k = 0; k < 5; ++k) EXPECT_EQ(queue.take(static_cast<int>(k % 3)), Taken(k, k + 1));
  const Taken run = queue.take(2);
  EXPECT_EQ(run.first, run.second);
}

TEST(BlockQueue, AddsUpWhatWorkersTellOfEndedBlocks) {
  BlockQueue queue;
  for (const bool in_order : {false, true}) {
    queue.begin(9, 1, 3, in_order);
    EXPECT_EQ(queue.ended(), 0u);  // those of the launch before are forgotten
    queue.add_ended(2, 3);
    queue.add_ended(0, 1);
    queue.add_ended(2, 1);
    EXPECT_EQ(queue.ended(), 5u);
  }
}

TEST(BlockQueue, GivesEachBlockOnce) {
  BlockQueue queue;
  for (const auto& [all, share, parts] :
       {std::tuple{10007, 3, 4}, std::tuple{2, 1, 4}, std::tuple{640, 64, 3}}) {
    queue.begin(static_cast<u64>(all), static_cast<u64>(share), parts, false);  // it serves many launches
    std::vector<std::atomic<int>> taken(static_cast<size_t>(all));
    std::vector<std::thread> workers;
    for (int worker = 0; worker < parts; ++worker)
      workers.emplace_back([&, worker] {
        for (Taken run; run = queue.take(worker), run.first < run.second;)
          for (u64 k = run.first; k < run.second; ++k) ++taken.at(k);
      });
    for (std::thread& w : workers) w.join();
    for (size_t k = 0; k < taken.size(); ++k) EXPECT_EQ(taken[k], 1) << k;
  }
}

}  // namespace
}  // namespace ww::engine
