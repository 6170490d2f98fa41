// Caches, and replays through them, against traces worked out by hand.
#include <gtest/gtest.h>

#include <random>

#include "caches/hierarchy.h"
#include "caches/lines.h"
#include "caches/replay.h"
#include "caches/running.h"
#include "caches/sectored_cache.h"
#include "gpus/catalog.h"

namespace ww::caches {
namespace {

TEST(SectoredCache, SectorsOfAPresentLineMayMiss) {
  SectoredCache cache(2 * kLineBytes, 2);
  EXPECT_EQ(cache.sets(), 1u);
  EXPECT_EQ(cache.read(5, 0b0011).hits, 0u);
  EXPECT_EQ(cache.read(5, 0b0111).hits, 0b0011u);  // the line is there, its third sector was not
  EXPECT_EQ(cache.read(5, 0b1100).hits, 0b0100u);
  EXPECT_EQ(cache.read(5, 0b1111).hits, 0b1111u);
}

TEST(SectoredCache, TheLineUsedLongestAgoLeaves) {
  SectoredCache cache(2 * kLineBytes, 2);
  cache.read(1, 0b1);
  cache.read(2, 0b1);
  cache.read(1, 0b1);  // 2 is now the older one
  cache.read(3, 0b1);  // and leaves
  EXPECT_EQ(cache.read(1, 0b1).hits, 0b1u);
  EXPECT_EQ(cache.read(2, 0b1).hits, 0u);  // 3 leaves
  EXPECT_EQ(cache.read(3, 0b1).hits, 0u);
}

TEST(SectoredCache, IsEmptyAgainAlsoOfTheLineBeforeTheFirst) {
  SectoredCache cache(2 * kLineBytes, 2);
  constexpr uint64_t kBefore = ~uint64_t{0};  // blocks may read in front of where the first one does
  EXPECT_EQ(cache.read(kBefore, 1).hits, 0u);
  EXPECT_EQ(cache.read(kBefore, 1).hits, 1u);
  cache.reset(2 * kLineBytes);
  EXPECT_EQ(cache.read(kBefore, 1).hits, 0u);
}

TEST(SectoredCache, ModifiedSectorsAreWrittenWhenTheirLineLeaves) {
  SectoredCache cache(2 * kLineBytes, 2);
  cache.write(1, 0b1001);
  cache.read(1, 0b0010);  // clean
  cache.read(2, 0b1111);
  EXPECT_EQ(cache.modified(), 2u);
  EXPECT_EQ(cache.read(3, 0b1).written, 0b1001u);  // line 1
  EXPECT_EQ(cache.read(4, 0b1).written, 0u);       // line 2
  EXPECT_EQ(cache.modified(), 0u);
}

TEST(SectoredCache, CountsModifiedSectors) {
  SectoredCache cache(2 * kLineBytes, 2);
  cache.write(1, 0b0011);
  cache.write(1, 0b0110);  // one of them is modified already
  EXPECT_EQ(cache.modified(), 3u);
  cache.read(1, 0b1111);
  cache.write(2, 0b1000);
  EXPECT_EQ(cache.modified(), 4u);
  cache.read(3, 0b0001);  // line 1 leaves
  EXPECT_EQ(cache.modified(), 1u);
  cache.reset(2 * kLineBytes);
  EXPECT_EQ(cache.modified(), 0u);
  EXPECT_EQ(cache.read(2, 0b1111).hits, 0u);
}

TEST(SectoredCache, WritingThroughBringsNothingIn) {
  SectoredCache cache(2 * kLineBytes, 2);
  EXPECT_EQ(cache.write_through(1, 0b1111), 0u);
  EXPECT_EQ(cache.read(1, 0b0011).hits, 0u);
  EXPECT_EQ(cache.write_through(1, 0b0110), 0b0010u);
  EXPECT_EQ(cache.read(1, 0b1111).hits, 0b0011u);
  EXPECT_EQ(cache.modified(), 0u);
}

TEST(SectoredCache, SpreadsStridesOfAPowerOfTwo) {
  SectoredCache cache(64 * 1024);  // 512 lines
  for (u64 k = 0; k < 256; ++k) cache.read(k << 10, 0b1);
  u32 there = 0;
  for (u64 k = 0; k < 256; ++k) there += cache.read(k << 10, 0b1).hits;
  EXPECT_GT(there, 200u);  // half of the cache is wanted; with sets by the low bits it would be 16 lines
}

using Kind = Hierarchy::Kind;

CacheSetup setup(u64 l1, u64 l2, u32 sms = 2) {
  CacheSetup s;
  s.sms = sms;
  s.l1_bytes = l1;
  s.l2_bytes = l2;
  s.l1_global = s.l1_read_only = l1 > 0;
  return s;
}

TEST(Hierarchy, WithoutL1EveryLoadGoesToL2) {
  Hierarchy h(setup(0, 1 << 20));
  h.access(0, Kind::Load, 7, 0b1111, 0);
  h.access(0, Kind::Load, 7, 0b1111, 1);
  const CacheCounts& c = h.counts();
  EXPECT_EQ(c.load_sectors, 8u);
  EXPECT_EQ(c.l1_lookups, 0u);
  EXPECT_EQ(c.l2_reads, 8u);
  EXPECT_EQ(c.l2_read_hits, 4u);
  EXPECT_EQ(c.dram_reads, 4u);
}

TEST(Hierarchy, L1BelongsToItsSm) {
  Hierarchy h(setup(1 << 15, 1 << 20));
  h.access(0, Kind::Load, 7, 0b0011, 0);  // DRAM
  h.access(0, Kind::Load, 7, 0b0111, 1);  // two hits in L1, one sector from DRAM
  h.access(1, Kind::Load, 7, 0b0111, 2);  // L2 has them
  const CacheCounts& c = h.counts();
  EXPECT_EQ(c.l1_lookups, 8u);
  EXPECT_EQ(c.l1_hits, 2u);
  EXPECT_EQ(c.l2_reads, 6u);
  EXPECT_EQ(c.l2_read_hits, 3u);
  EXPECT_EQ(c.dram_reads, 3u);
}

TEST(Hierarchy, BulkCopiesGoPastL1AndAreCountedApart) {
  Hierarchy h(setup(1 << 15, 1 << 20));
  h.access(0, Kind::BulkLoad, 7, 0b1111, 0);  // DRAM
  h.access(0, Kind::Load, 7, 0b1111, 1);      // not in L1, but in L2
  h.access(0, Kind::BulkLoad, 7, 0b0011, 2);  // L2, although L1 has it now
  h.access(0, Kind::BulkStore, 8, 0b1111, 3);
  h.access(0, Kind::BulkAtomic, 9, 0b0001, 4);  // its old value comes from DRAM
  const CacheCounts& c = h.counts();
  EXPECT_EQ(c.bulk_sectors, 4u + 2 + 4 + 1);
  EXPECT_EQ(c.load_sectors, 4u);
  EXPECT_EQ(c.store_sectors + c.atomic_sectors, 0u);
  EXPECT_EQ(c.l1_lookups, 4u);
  EXPECT_EQ(c.l1_hits, 0u);
  EXPECT_EQ(c.l2_reads, 10u);
  EXPECT_EQ(c.l2_read_hits, 6u);
  EXPECT_EQ(c.l2_writes, 4u);
  EXPECT_EQ(c.dram_reads, 4u + 1);
}

TEST(Hierarchy, StoresGoThroughL1) {
  Hierarchy h(setup(1 << 15, 1 << 20));
  h.access(0, Kind::Store, 7, 0b1111, 0);
  h.access(0, Kind::Load, 7, 0b1111, 1);  // not in L1, but in L2: DRAM is not read
  h.access(0, Kind::Store, 7, 0b0001, 2);
  h.access(0, Kind::Load, 7, 0b1111, 3);  // the store left it in L1
  const CacheCounts& c = h.counts();
  EXPECT_EQ(c.store_sectors, 5u);
  EXPECT_EQ(c.l2_writes, 5u);
  EXPECT_EQ(c.l2_write_hits, 1u);
  EXPECT_EQ(c.l1_hits, 4u);
  EXPECT_EQ(c.l2_reads, 4u);
  EXPECT_EQ(c.dram_reads, 0u);
  EXPECT_EQ(c.dram_writes, 0u);
  EXPECT_EQ(h.modified(), 4u);
}

TEST(Hierarchy, L2WritesBackWhatLeaves) {
  Hierarchy h(setup(0, 8 * kLineBytes));  // one set
  for (u64 line = 0; line < 12; ++line) h.access(0, Kind::Store, line, 0b0011, line);
  EXPECT_EQ(h.counts().dram_writes, 4u * 2);
  EXPECT_EQ(h.modified(), 8u * 2);
}

TEST(Hierarchy, MissesFetchWholeLinesOn2x) {
  CacheSetup s = setup(1 << 14, 1 << 20);
  s.l1_whole_lines = true;
  Hierarchy h(s);
  h.access(0, Kind::Load, 7, 0b0001, 0);
  h.access(0, Kind::Load, 7, 0b1000, 1);
  EXPECT_EQ(h.counts().l2_reads, 4u);
  EXPECT_EQ(h.counts().l1_hits, 1u);
}

TEST(Hierarchy, LocalMemoryStaysInL1) {
  CacheSetup s = setup(1 << 14, 1 << 20);
  s.l1_global = false;
  s.l1_local = CacheSetup::Local::Back;
  Hierarchy back(s);
  back.access(0, Kind::LocalStore, 7, 0b1111, 0);
  back.access(0, Kind::LocalLoad, 7, 0b1111, 1);
  EXPECT_EQ(back.counts().l1_hits, 4u);
  EXPECT_EQ(back.counts().l2_writes + back.counts().l2_reads, 0u);
  s.l1_local = CacheSetup::Local::Through;
  Hierarchy through(s);
  through.access(0, Kind::LocalStore, 7, 0b1111, 0);
  through.access(0, Kind::LocalLoad, 7, 0b1111, 1);
  EXPECT_EQ(through.counts().l1_hits, 4u);
  EXPECT_EQ(through.counts().l2_writes, 4u);
}

TEST(Hierarchy, ReadsOfTheOtherPartPassThroughBoth) {
  CacheSetup s = setup(0, 1 << 24);
  s.l2_parts = 2;
  Hierarchy h(s);
  for (u64 line = 0; line < 1000; ++line) h.access(0, Kind::Load, line, 0b1111, line);
  const u64 first = h.counts().l2_reads;
  EXPECT_NEAR(static_cast<double>(first), 1.5 * 4000, 200);  // half of the lines live at the other part
  EXPECT_EQ(h.counts().dram_reads, 4000u);
  for (u64 line = 0; line < 1000; ++line) h.access(0, Kind::Load, line, 0b1111, line);
  EXPECT_EQ(h.counts().l2_reads - first, 4000u);  // the near part keeps copies
  for (u64 line = 0; line < 1000; ++line) h.access(1, Kind::Load, line, 0b1111, line);
  EXPECT_EQ(h.counts().dram_reads, 4000u);  // the other SM's part asks the first, not DRAM
}

/// Two clusters of four SMs, with latencies of 30, 200 and 600 clocks.
CacheSetup joining() {
  CacheSetup s = setup(0, 1 << 20, 8);
  s.gpcs = 2;
  s.join = 60, s.join_most = 2;
  s.pace.l1 = 30, s.pace.l2 = 200, s.pace.dram = 600;
  return s;
}

TEST(Hierarchy, ReadsOfAClusterJoinUntilL2HasAnswered) {
  Hierarchy h(joining());
  h.access(0, Kind::Load, 7, 0b0011, 0);                // from DRAM: 400 clocks longer than a hit
  auto late = h.access(1, Kind::Load, 7, 0b0110, 460);  // joins with one of its two sectors
  EXPECT_EQ(h.counts().l2_joined, 1u);
  EXPECT_EQ(late.level, Level::Dram);
  h.access(0, Kind::Load, 9, 0b1, 1000);
  h.access(1, Kind::Load, 9, 0b1, 1461);  // 1000 + 400 + 60 is over
  EXPECT_EQ(h.counts().l2_joined, 1u);
  h.access(2, Kind::Load, 9, 0b1, 1521);  // the hit of 1461 is answered until 1521
  EXPECT_EQ(h.counts().l2_joined, 2u);
}

TEST(Hierarchy, OnlySoManyReadsJoinAndOnlyOfOneCluster) {
  Hierarchy h(joining());
  for (u32 sm = 0; sm < 7; ++sm) h.access(sm, Kind::Load, 7, 0b1, 0);
  EXPECT_EQ(h.counts().l2_joined, 3u);  // two and two of the first cluster, two of the second's three
  EXPECT_EQ(h.counts().l2_reads, 4u);
}

TEST(Hierarchy, AnswersTakeTheirTime) {
  CacheSetup s = setup(1 << 15, 1 << 20);
  s.pace.l1 = 30, s.pace.l2 = 200, s.pace.dram = 600;
  s.pace.port_sector = 0.5, s.pace.dram_sector = 2;
  Hierarchy h(s);
  EXPECT_EQ(h.access(0, Kind::Load, 7, 0b1111, 0).at, 608);    // four sectors of 2 clocks from DRAM
  EXPECT_EQ(h.access(0, Kind::Load, 7, 0b0001, 160).at, 600);  // L1 has it then
  EXPECT_EQ(h.access(0, Kind::Load, 7, 0b0001, 1000).at, 1030);
  EXPECT_EQ(h.access(1, Kind::Load, 7, 0b1111, 1000).at, 1202);  // two clocks at the port
  const auto behind = h.access(1, Kind::Load, 8, 0b1111, 1000);  // behind it at the port, and DRAM
  EXPECT_EQ(behind.level, Level::Dram);
  EXPECT_EQ(behind.at, 1608);
}

/// Requests at random that differ by `seed`, with line numbers below the first, too.
std::vector<double> ask_at_random(Hierarchy& h, const CacheSetup& s, unsigned seed) {
  std::mt19937 random(seed);
  constexpr Kind kinds[] = {Kind::Load,      Kind::Load,       Kind::ReadOnlyLoad, Kind::Store,
                            Kind::LocalLoad, Kind::LocalStore, Kind::Atomic,       Kind::BulkLoad};
  std::vector<double> answers;
  for (int k = 0; k < 20000; ++k) {
    const u32 sm = static_cast<u32>(random()) % s.sms;
    const u64 line = u64{random()} % 3000 - 20;
    answers.push_back(h.access(sm, kinds[random() % 8], line, 1 + static_cast<u32>(random()) % 15, k).at);
  }
  return answers;
}

TEST(Hierarchy, ResetItIsAsANewOne) {
  CacheSetup volta = joining();
  volta.l1_bytes = 1 << 14, volta.l1_global = volta.l1_read_only = true;
  volta.l1_local = CacheSetup::Local::Through;
  volta.l2_parts = 2, volta.l2_bytes = 1 << 17;
  CacheSetup fermi = setup(1 << 13, 1 << 15, 3);
  fermi.l1_whole_lines = true, fermi.l1_local = CacheSetup::Local::Back;
  const CacheSetup without = setup(0, 1 << 16, 11);
  CacheSetup larger = volta;
  larger.sms = 12, larger.gpcs = 3, larger.l1_bytes = 1 << 15;
  Hierarchy used(volta);
  unsigned seed = 0;
  for (const CacheSetup& s : {volta, volta, fermi, volta, without, larger, fermi, volta}) {
    used.reset(s);
    Hierarchy fresh(s);
    ++seed;
    EXPECT_EQ(ask_at_random(used, s, seed), ask_at_random(fresh, s, seed)) << seed;
    EXPECT_EQ(used.counts(), fresh.counts()) << seed;
    EXPECT_EQ(used.modified(), fresh.modified()) << seed;
    EXPECT_GT(used.modified(), 0u);
  }
}

TEST(SmLayout, ClustersHaveWholePairs) {
  const SmLayout h200(132, 8, 8, 6);
  std::vector<u32> sizes(8);
  for (u32 sm = 0; sm < 132; ++sm) ++sizes[h200.of(sm).cluster];
  EXPECT_EQ(sizes, (std::vector<u32>{16, 16, 16, 16, 16, 16, 18, 18}));
  EXPECT_EQ(h200.of(0).distance, -1);
  EXPECT_EQ(h200.of(131).cluster, 0u);  // apart, but of the first cluster
  EXPECT_EQ(h200.of(131).distance, 1);
}

TEST(SmLayout, DealsABlockToEachSmInTurn) {
  std::vector<u32> order;
  SmLayout(4, 1).deal(2, [&](u32 sm, u32) { order.push_back(sm); });
  EXPECT_EQ(order, (std::vector<u32>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(SmLayout, SmsApartAreServedMoreOften) {
  // As the blocks of data/measured/h200-l2/deal.csv: the eight SMs get blocks 0, 88 to 90, 188 …
  std::vector<u64> of_apart;
  std::vector<u32> dealt(132);
  u64 block = 0;
  SmLayout(132, 8, 8, 6).deal(8, [&](u32 sm, u32 round) {
    EXPECT_EQ(dealt[sm]++, round);
    if (sm == 124) of_apart.push_back(block);
    ++block;
  });
  EXPECT_EQ(block, 132u * 8);
  ASSERT_EQ(of_apart.size(), 8u);
  EXPECT_EQ(of_apart[0], 0u);
  const u64 seen[] = {0, 90, 188, 288, 388, 494, 592, 692};
  for (size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(static_cast<double>(of_apart[k]), static_cast<double>(seen[k]), 12);
}

TEST(Lines, OfAGlobalAccess) {
  rules::Pattern p{ir::Space::Global, 0b111, 4, {}};
  p.offset[1] = 28;    // the same sector from 0, the next from 8 on
  p.offset[2] = -100;  // a line before
  EXPECT_EQ(global_lines(p, 0), (std::vector<LinePart>{{~u64{0}, 0b0001}, {0, 0b0001}}));
  EXPECT_EQ(global_lines(p, 120), (std::vector<LinePart>{{0, 0b1001}, {1, 0b0001}}));
}

TEST(Lines, OfALocalAccessAreInterleaved) {
  rules::Pattern p{ir::Space::Local, ~u32{0}, 8, {}};
  std::vector<LinePart> lines;
  local_lines(p, 16, 0, lines);  // words 4 and 5 of every lane: two lines
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].sectors, kWholeLine);
  EXPECT_EQ(lines[1].line, lines[0].line + 1);
}

/// Blocks of one warp; each loads the same word of `lines` lines, `passes` times.
class Passes : public GridTrace {
 public:
  Passes(u64 blocks, u32 lines, u32 passes, u64 step) : blocks_(blocks), step_(step) {
    auto shape = std::make_shared<BlockShape>();
    shape->slots.push_back({});
    shape->patterns.push_back({ir::Space::Global, 1, 4, {}});
    for (u32 p = 0; p < passes; ++p)
      for (u32 k = 0; k < lines; ++k) shape->events.push_back({int64_t{k} * kLineBytes, 0, 0, 0, false});
    shape->segments.push_back({0, 0, static_cast<u32>(shape->events.size())});
    shape_ = shape;
  }
  u64 blocks() const override { return blocks_; }
  BlockTrace block(u64 number) const override { return {shape_, {(number * step_) * kLineBytes}}; }

 private:
  u64 blocks_, step_;
  std::shared_ptr<const BlockShape> shape_;
};

TEST(Replay, NeighboursOnAnSmShareItsL1) {
  // Blocks 0 and 2 on the first SM, 1 and 3 on the second: each SM fetches the line once, DRAM is read once.
  const Replay r = replay(Passes(4, 1, 2, 0), setup(1 << 15, 1 << 20), 1000);
  EXPECT_TRUE(r.whole);
  EXPECT_EQ(r.blocks, 4u);
  EXPECT_EQ(r.counts.load_requests, 8u);
  EXPECT_EQ(r.counts.l1_hits, 6u);
  EXPECT_EQ(r.counts.l2_reads, 2u);
  EXPECT_EQ(r.counts.dram_reads, 1u);
}

TEST(Replay, ResidentBlocksTakeTurns) {
  // Five lines twice: alone they fit into an L1 of 8 lines; of two blocks in turns, every line has left
  // before it comes again.
  CacheSetup s = setup(8 * kLineBytes, 1 << 20, 1);
  EXPECT_EQ(replay(Passes(2, 5, 2, 5), s, 1000).counts.l1_hits, 10u);
  s.resident = 2;
  EXPECT_EQ(replay(Passes(2, 5, 2, 5), s, 1000).counts.l1_hits, 0u);
}

/// One block of two warps that take turns, which the trace keeps apart: each time one load, of the same word.
class Turns : public GridTrace {
 public:
  explicit Turns(u32 turns) {
    shape_->slots.push_back({});
    shape_->patterns.push_back({ir::Space::Global, 1, 4, {}});
    for (u32 k = 0; k < 2 * turns; ++k) {
      shape_->events.push_back({0, 0, 0, static_cast<uint8_t>(k % 2), false});
      shape_->segments.push_back({0, k, k + 1});
    }
  }
  u64 blocks() const override { return 1; }
  BlockTrace block(u64) const override { return {shape_, {0}}; }

 private:
  std::shared_ptr<BlockShape> shape_ = std::make_shared<BlockShape>();
};

TEST(Replay, ManyTurnsAreStillOfTwoWarps) {
  const Replay r = replay(Turns(200), setup(1 << 15, 1 << 20), 10000);
  EXPECT_EQ(r.counts.load_requests, 400u);
  // Each warp has 200 loads: 200 groups of one, 100 of two, ..., 3 of 64.
  EXPECT_EQ(r.counts.waits.groups, (WaitCounts::Numbers{400, 200, 100, 50, 24, 12, 6}));
}

/// One warp that loads four lines, then meets (with itself), then loads four more.
BlockTrace two_phases() {
  auto shape = std::make_shared<BlockShape>();
  shape->slots.push_back({});
  shape->patterns.push_back({ir::Space::Global, 1, 4, {}});
  for (int k = 0; k < 8; ++k) shape->events.push_back({k * int64_t{kLineBytes}, 0, 0, 0, false});
  shape->segments = {{0, 0, 4}, {1, 4, 8}};
  return {shape, {0}};
}

TEST(Running, WaitsForARoundOfLoads) {
  Pace pace;
  pace.round_loads = 3, pace.round_own = 12;
  Running block(two_phases(), 0, pace, 100);
  EXPECT_EQ(block.ready(99), -1);
  EXPECT_EQ(block.earliest(), 100);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(block.ready(100), 0);
    block.next(0, 100);
  }
  EXPECT_EQ(block.ready(1e9), -1);  // three loads are under way
  for (double at : {300.0, 500.0, 400.0}) block.answer(0, at);
  EXPECT_EQ(block.ready(511), -1);
  ASSERT_EQ(block.ready(512), 0);  // the last answer and its own twelve clocks
  block.next(0, 512);              // the phase's last: it waits for this one by itself
  block.answer(0, 600);
  block.meet();
  EXPECT_EQ(block.ready(603), -1);
  EXPECT_EQ(block.ready(604), 0);  // a third of a round, a third of its own time
  EXPECT_FALSE(block.ended());
}

TEST(Replay, TheOldestBlockGoesFirst) {
  CacheSetup s = setup(8 * kLineBytes, 1 << 20, 1);
  s.resident = 2;
  s.pace.request = 20, s.pace.l1 = 5, s.pace.l2 = 10, s.pace.dram = 10;
  // Of five lines twice, those of a block that goes first stay.
  const auto hits = [&](bool oldest_first) {
    s.pace.oldest_first = oldest_first;
    return replay(Passes(2, 5, 2, 5), s, 1000).counts.l1_hits;
  };
  EXPECT_EQ(hits(false), 0u);
  EXPECT_GT(hits(true), 5u);
}

TEST(Replay, StopsAfterTwoRounds) {
  const CacheSetup s = setup(0, 1 << 20);
  const Replay r = replay(Passes(100, 4, 1, 4), s, 10);
  EXPECT_FALSE(r.whole);
  EXPECT_EQ(r.blocks, 4u);  // two SMs, a block each, twice
  EXPECT_EQ(r.counts.dram_reads, 16u);
  EXPECT_EQ(r.late.dram_reads, 8u);  // the second round
}

TEST(CacheSetup, FollowsTheGeneration) {
  const auto of = [](const char* gpu, u64 shared) { return cache_setup(*gpus::find_gpu(gpu), 4, shared); };
  EXPECT_FALSE(of("gtx1080", 0).l1_global);  // CUDA C Programming Guide 8.0, appendix G.5
  EXPECT_TRUE(of("gtx1080", 0).l1_read_only);
  EXPECT_EQ(of("gtx1080", 0).l1_bytes, 48u << 10);
  EXPECT_TRUE(of("c2070", 0).l1_global);
  EXPECT_EQ(of("c2070", 0).l1_bytes, 16u << 10);
  EXPECT_FALSE(of("k80", 0).l1_global);
  EXPECT_EQ(of("h200", 64 << 10).l1_bytes, 192u << 10);
  EXPECT_EQ(of("h200", 0).l2_parts, 2u);
  EXPECT_EQ(of("rtx4090", 0).l2_parts, 1u);
  EXPECT_EQ(of("rtx4090", 0).join, 0);
  EXPECT_EQ(of("h100", 0).join_most, 4u);
}

}  // namespace
}  // namespace ww::caches
