// What instructions ask of memory, as counters and as events: expected values by hand from
// tests/data/memory_effects.ptx.
#include <gtest/gtest.h>

#include <map>

#include "analysis/reach.h"
#include "counters/counters.h"
#include "events/bus.h"
#include "run_ptx.h"

namespace ww::counters {
namespace {

/// Keeps what it is told.
class Diary : public events::Listener {
 public:
  explicit Diary(events::u32 wanted) : wanted_(wanted) {}
  events::u32 wants() const override { return wanted_; }
  void memory(int, const events::Memory& e) override {
    accesses.push_back(e);
    accesses.back().offsets = nullptr;
  }
  void barrier_arrival(int, const events::BarrierArrival& e) override { arrivals.push_back(e); }
  void barrier_release(int, const events::BarrierRelease& e) override { releases.push_back(e); }
  void fence(int, const events::Fence& e) override { fences.push_back(e); }
  void warp_sync(int, const events::WarpSync& e) override { syncs.push_back(e); }
  void copy_groups(int, const events::CopyGroups& e) override { groups.push_back(e); }

  std::vector<events::Memory> accesses;
  std::vector<events::BarrierArrival> arrivals;
  std::vector<events::BarrierRelease> releases;
  std::vector<events::Fence> fences;
  std::vector<events::WarpSync> syncs;
  std::vector<events::CopyGroups> groups;

 private:
  events::u32 wanted_;
};

constexpr events::u32 kEverything = ~events::u32{0};

class MemoryCounters : public testing::Test {
 protected:
  test::PtxProgram program{"memory_effects.ptx"};
  Diary diary{kEverything};

  /// One warp, counted and heard.
  template <class... Args>
  std::map<std::string, int64_t> run(const std::string& kernel, engine::u32 threads, Args... args) {
    program.counted = true;
    program.listeners = {&diary};
    const auto result = program.launch(kernel, {}, {threads, 1, 1}, args...);
    for (const auto& f : result.faults) ADD_FAILURE() << f.message;
    std::map<std::string, int64_t> out;
    for (const Value& v : count_all(result))
      if (const auto* n = std::get_if<int64_t>(&v.value)) out[v.tag] = *n;
    return out;
  }
};

// As Nsight Compute counts them (data/measured/h200-async): loads of global memory, but no stores to shared
// memory.
TEST_F(MemoryCounters, AsynchronousCopiesLoadGlobalMemory) {
  const auto from = program.upload(std::vector<int>(1024));
  auto v = run("copies", 32, from);
  EXPECT_EQ(v["global_load_requests"], 2);
  EXPECT_EQ(v["global_load_bytes"], 32 * 16 + 16 * 4);
  EXPECT_EQ(v["shared_store_requests"], 0);
  EXPECT_EQ(v["async_copy_requests"], 2);
  EXPECT_EQ(v["async_copy_bytes"], 32 * 16 + 32 * 8);  // what is not copied is zeroed

  ASSERT_EQ(diary.accesses.size(), 5u);  // the parameter, then both sides of both copies
  EXPECT_EQ(diary.accesses[1].space, ir::Space::Global);
  EXPECT_TRUE(diary.accesses[1].asynchronous);
  EXPECT_EQ(diary.accesses[1].first, from);
  EXPECT_EQ(diary.accesses[2].space, ir::Space::Shared);
  EXPECT_TRUE(diary.accesses[2].store());
  EXPECT_EQ(diary.accesses[3].mask, 0x55555555u);
  EXPECT_EQ(diary.accesses[3].bytes, 4u);
  ASSERT_EQ(diary.groups.size(), 2u);
  EXPECT_TRUE(diary.groups[0].committed);
  EXPECT_FALSE(diary.groups[1].committed);
}

TEST_F(MemoryCounters, MatricesAreRowsOf16Bytes) {
  auto v = run("matrices", 32);
  EXPECT_EQ(v["shared_load_requests"], 2);
  EXPECT_EQ(v["shared_load_bytes"], 4 * 128 + 128);
  EXPECT_EQ(v["shared_store_requests"], 1);
  EXPECT_EQ(v["shared_store_bytes"], 2 * 128);
  ASSERT_EQ(diary.accesses.size(), 3u);
  EXPECT_EQ(diary.accesses[0].mask, 0xffffffffu);
  EXPECT_EQ(diary.accesses[1].mask, 0xffu);
  EXPECT_EQ(diary.accesses[2].mask, 0xffffu);
  for (const auto& e : diary.accesses) EXPECT_EQ(e.bytes, 16u);
}

TEST_F(MemoryCounters, GenericAccessesCountWhereTheyLand) {
  auto v = run("generic", 32, program.upload(std::vector<int>(32)));
  EXPECT_EQ(v["shared_load_requests"], 1);
  EXPECT_EQ(v["shared_load_bytes"], 16 * 4);
  EXPECT_EQ(v["global_load_requests"], 1);
  EXPECT_EQ(v["global_load_bytes"], 16 * 4);
  EXPECT_EQ(v["global_store_requests"], 1);
  EXPECT_EQ(v["global_store_bytes"], 32 * 4);
  ASSERT_EQ(diary.accesses.size(), 4u);
  EXPECT_EQ(diary.accesses[1].mask, 0xffffu);
  EXPECT_EQ(diary.accesses[1].space, ir::Space::Shared);
  EXPECT_EQ(diary.accesses[2].mask, 0xffff0000u);
  EXPECT_EQ(diary.accesses[2].space, ir::Space::Global);
}

TEST_F(MemoryCounters, FunctionsThatAreCalledHaveSharedMemoryToo) {
  auto v = run("outer", 32);
  EXPECT_EQ(v["shared_store_requests"], 2);
  const ir::Module& module = program.module();
  EXPECT_EQ(analysis::static_shared_bytes(module, *module.find_function("outer")), 64u + 256u);
}

TEST_F(MemoryCounters, AWarpsMatrix) {
  auto v = run("fragment", 32, program.upload(std::vector<int>(256)));
  EXPECT_EQ(v["global_load_requests"], 1);
  EXPECT_EQ(v["global_load_bytes"], 16 * 16 * 2);
  // As an H200 asks for it: four requests, 4 bytes of each lane.
  ASSERT_EQ(diary.accesses.size(), 5u);
  for (size_t k = 1; k < 5; ++k) EXPECT_EQ(diary.accesses[k].bytes, 4u);
}

TEST_F(MemoryCounters, OrderIsTold) {
  run("order", 64);
  ASSERT_EQ(diary.arrivals.size(), 4u);
  EXPECT_EQ(diary.arrivals[0].barrier, 0u);
  EXPECT_TRUE(diary.arrivals[0].waits);
  ASSERT_EQ(diary.releases.size(), 2u);  // both warps at barrier 0; both at barrier 3
  EXPECT_EQ(diary.releases[0].barrier, 0u);
  EXPECT_EQ(diary.releases[1].barrier, 3u);
  ASSERT_EQ(diary.fences.size(), 4u);
  EXPECT_EQ(diary.fences[0].scope, isa::Mod::gpu);
  EXPECT_EQ(diary.fences[0].order, isa::Mod::acq_rel);
  EXPECT_EQ(diary.fences[1].scope, isa::Mod::cta);
  EXPECT_EQ(diary.syncs.size(), 4u);  // bar.warp.sync and shfl.sync of two warps
  EXPECT_EQ(diary.syncs[0].members, 0xffffffffu);
}

TEST_F(MemoryCounters, WhatNobodyWantsIsNotTold) {
  Diary only_fences(events::kFences);
  program.listeners = {&only_fences};
  program.launch("order", {}, {64, 1, 1});
  EXPECT_EQ(only_fences.fences.size(), 4u);
  EXPECT_TRUE(only_fences.arrivals.empty());
  EXPECT_TRUE(only_fences.accesses.empty());
}

}  // namespace
}  // namespace ww::counters
