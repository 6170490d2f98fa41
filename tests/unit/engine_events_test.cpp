// What listeners are told: memory that comes and goes, what the host does to it, bulk copies and mbarriers.
#include <vector>

#include "engine_kernels.h"
#include "events/bus.h"

namespace ww::engine {

namespace {

using events::Mbarrier;

struct Heard : events::Listener {
  u32 wants() const override { return events::kBulk | events::kMbarriers | events::kCopyGroups; }
  void allocated(const events::Allocated& e) override { allocations.push_back(e); }
  void freed(u64 address) override { frees.push_back(address); }
  void host_access(const events::HostAccess& e) override { accesses.push_back(e); }
  void bulk_access(int, const events::BulkAccess& e) override {
    bulk.push_back(e);
    pieces.emplace_back(e.pieces.begin(), e.pieces.end());
  }
  void mbarrier(int, const Mbarrier& e) override { mbarriers.push_back(e); }
  void copy_groups(int, const events::CopyGroups& e) override { groups.push_back(e); }

  std::vector<events::Allocated> allocations;
  std::vector<u64> frees;
  std::vector<events::HostAccess> accesses;
  std::vector<events::BulkAccess> bulk;
  std::vector<std::vector<events::Piece>> pieces;
  std::vector<Mbarrier> mbarriers;
  std::vector<events::CopyGroups> groups;
};

TEST(HostEvents, AllocationsAndFreesAreToldToThoseWhoListen) {
  GlobalMemory memory(1 << 20);
  Heard heard;
  (void)memory.allocate(100);  // nobody listens yet
  memory.host_events().listen(heard);
  const u64 a = *memory.allocate(256), v = *memory.allocate(4, "variable", true);
  ASSERT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a)) << "a second free frees nothing, and tells nothing";
  memory.host_events().ignore(heard);
  ASSERT_TRUE(memory.free(v));
  ASSERT_EQ(heard.allocations.size(), 2u);
  EXPECT_EQ(heard.allocations[0].address, a);
  EXPECT_EQ(heard.allocations[0].bytes, 256u);
  EXPECT_FALSE(heard.allocations[0].set);
  EXPECT_TRUE(heard.allocations[1].set) << "variables have values from the beginning";
  EXPECT_EQ(heard.frees, std::vector<u64>{a});
}

// One thread copies 64 bytes to shared memory, waits at the mbarrier, and copies 32 of them back in a group.
const char* const kBulkRoundTrip = R"(
.visible .entry k(.param .u64 from, .param .u64 to) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .shared .align 128 .b8 tile[64];
  .shared .align 8 .b64 done;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, tile;
  mov.u32 %r2, done;
  mbarrier.init.shared.b64 [%r2], 1;
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], 64;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];
WAIT:
  mbarrier.try_wait.shared.b64 %p, [%r2], %rd3;
  @!%p bra WAIT;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1+16], 32;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  ret;
})";

TEST(AsyncEvents, BulkCopiesTellBothEndsAndWhatCompletesThem) {
  Lab lab(kBulkRoundTrip, Lab::small(1));
  const u64 from = lab.words(16), to = lab.words(16);
  Heard heard;
  LaunchRequest request;
  request.kernel = "k";
  request.arguments = {argument(from), argument(to)};
  request.listeners = {&heard};
  auto run = lab.engine.run(*lab.module, request);
  ASSERT_TRUE(run) << render(run.error(), "");
  ASSERT_TRUE(run->faults.empty()) << run->faults[0].message;

  ASSERT_EQ(heard.bulk.size(), 4u);
  const auto end = [&](size_t k, ir::Space space, isa::Direction direction, u64 address, u32 bytes) {
    EXPECT_EQ(heard.bulk[k].space, space) << k;
    EXPECT_EQ(heard.bulk[k].direction, direction) << k;
    ASSERT_EQ(heard.pieces[k].size(), 1u) << k;
    EXPECT_EQ(heard.pieces[k][0].address, address) << k;
    EXPECT_EQ(heard.pieces[k][0].bytes, bytes) << k;
  };
  const u64 tile = heard.pieces[1][0].address, barrier = heard.bulk[0].mbarrier;
  end(0, ir::Space::Global, isa::Direction::Read, from, 64);
  end(1, ir::Space::Shared, isa::Direction::Write, tile, 64);
  end(2, ir::Space::Shared, isa::Direction::Read, tile + 16, 32);
  end(3, ir::Space::Global, isa::Direction::Write, to, 32);
  EXPECT_TRUE(heard.bulk[0].tracked && heard.bulk[1].tracked);
  EXPECT_FALSE(heard.bulk[2].tracked || heard.bulk[3].tracked);

  using enum Mbarrier::What;
  ASSERT_EQ(heard.mbarriers.size(), 3u);
  EXPECT_EQ(heard.mbarriers[0].what, Init);
  EXPECT_EQ(heard.mbarriers[1].what, Arrive);
  EXPECT_EQ(heard.mbarriers[2].what, Passed);
  for (const Mbarrier& e : heard.mbarriers) EXPECT_EQ(e.address, barrier);

  ASSERT_EQ(heard.groups.size(), 2u);
  EXPECT_TRUE(heard.groups[0].committed);
  EXPECT_FALSE(heard.groups[1].committed);
  EXPECT_TRUE(heard.groups[1].reading_only);
  EXPECT_EQ(heard.groups[1].what, events::Grouped::Bulk);
}

// The register is below 0 for the first lanes, and what the instruction adds brings all of them back.
const char* const kBelowZero = R"(
.visible .entry k() {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 tile[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r1, %r1, 2;
  add.s32 %r2, %r1, -64;
  st.shared.u32 [%r2+64], %r1;
  ret;
})";

TEST(MemoryEvents, OffsetsOfShortRegistersWrapAsAddressesDo) {
  struct Addresses : events::Listener {
    u32 wants() const override { return events::kMemory; }
    void memory(int, const events::Memory& e) override {
      for (u32 l = 0; l < kLanes; ++l) at.push_back(e.first + static_cast<u64>(e.offsets[l]));
    }
    std::vector<u64> at;
  } heard;
  std::vector<u64> expected;
  for (u64 l = 0; l < kLanes; ++l) expected.push_back(4 * l);
  for (const char* engine : {"interpreter", "compiled"}) {
    Settings settings = Lab::small(1);
    settings.back = engine;
    Lab lab(kBelowZero, settings);
    LaunchRequest request;
    request.kernel = "k";
    request.block = {kLanes, 1, 1};
    request.listeners = {&heard};
    heard.at.clear();
    auto run = lab.engine.run(*lab.module, request);
    ASSERT_TRUE(run) << render(run.error(), "");
    EXPECT_EQ(heard.at, expected) << engine;
  }
}

}  // namespace

}  // namespace ww::engine
