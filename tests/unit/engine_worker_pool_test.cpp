// The pool runs each part once, whoever calls it and however short the parts are.
#include "engine/schedule/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace ww::engine {
namespace {

/// `count` takers share out `all` numbers; the sum of what they took.
long run_once(WorkerPool& pool, int count, int all) {
  std::atomic<int> next{0};
  std::atomic<long> sum{0};
  std::vector<std::atomic<int>> begun(static_cast<size_t>(count));
  pool.run(count, [&](int k) {
    EXPECT_EQ(begun[static_cast<size_t>(k)]++, 0) << "part " << k << " ran twice";
    for (int n; (n = next++) < all;) sum += n;
  });
  return sum;
}

TEST(WorkerPool, DoesAllThatIsSharedOut) {
  WorkerPool pool;
  for (int k = 0; k < 2000; ++k) ASSERT_EQ(run_once(pool, 1 + k % 9, k % 50), (k % 50) * (k % 50 - 1) / 2);
}

/// Its threads have gone to sleep in between.
TEST(WorkerPool, WakesWhoSleeps) {
  WorkerPool pool;
  for (int k = 0; k < 20; ++k) {
    std::atomic<int> there{0};
    pool.run(3, [&](int) {  // ends only if all come
      ++there;
      while (there < 3) std::this_thread::yield();
    });
    EXPECT_EQ(there, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(k % 4));
  }
}

TEST(WorkerPool, ServesSeveralAtOnce) {
  WorkerPool pool;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int k = 0; k < 500; ++k) EXPECT_EQ(run_once(pool, 4, 20), 190);
    });
  for (auto& t : callers) t.join();
}

}  // namespace
}  // namespace ww::engine
