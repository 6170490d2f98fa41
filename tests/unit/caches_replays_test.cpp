// Which grids are told apart, and that a replay is made once.
#include "caches/replays.h"

#include <gtest/gtest.h>

#include "caches/sectored_cache.h"

namespace ww::caches {
namespace {

constexpr u64 kIn = 0x10000, kOut = 0x20000;  // where the buffers lie

/// A block of one warp that loads words of one buffer and stores words of another.
BlockShape copies() {
  BlockShape shape;
  shape.slots.push_back({});
  shape.slots.push_back({1, rules::AccessKind::Store});
  shape.patterns.push_back({ir::Space::Global, 0b11, 4, {}});
  shape.patterns[0].offset[1] = 4;
  for (int64_t k = 0; k < 8; ++k)
    for (uint16_t slot : {0, 1}) shape.events.push_back({k * kLineBytes, 0, slot, 0, false});
  shape.segments.push_back({0, 0, 16});
  return shape;
}

std::map<u64, BlockTrace> grid(const BlockShape& shape = copies(), u64 in = kIn, u64 out = kOut) {
  const auto shared = std::make_shared<const BlockShape>(shape);
  std::map<u64, BlockTrace> traces;
  for (u64 b = 0; b < 4; ++b) traces[b] = {shared, {in + 1024 * b, out + 1024 * b}};
  return traces;
}

TEST(TraceDigest, OtherBuffersMakeNoDifferenceIfTheyLieAlike) {
  EXPECT_EQ(digest_of(4, grid()), digest_of(4, grid()));
  EXPECT_EQ(digest_of(4, grid()), digest_of(4, grid(copies(), kIn + 512, kOut + 512)));
  EXPECT_NE(digest_of(4, grid()), digest_of(4, grid(copies(), kIn + 64, kOut + 64)));  // in other sectors
  EXPECT_NE(digest_of(4, grid()), digest_of(4, grid(copies(), kIn, kOut + 512)));
  EXPECT_NE(digest_of(4, grid()), digest_of(4, grid(copies(), kOut, kIn)));
}

TEST(TraceDigest, AllThatAReplayReadsIsInIt) {
  const auto changed = [](const std::function<void(BlockShape&)>& change) {
    BlockShape shape = copies();
    change(shape);
    return digest_of(4, grid(shape));
  };
  const TraceDigest as_it_is = digest_of(4, grid());
  EXPECT_EQ(changed([](BlockShape& s) { s.slots[0].instruction = 7; }), as_it_is);  // no replay reads that
  EXPECT_NE(changed([](BlockShape& s) { s.slots[1].kind = rules::AccessKind::Atomic; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.slots[1].bulk = true; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.slots[0].read_only = true; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.slots[0].past_l1 = true; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.patterns[0].mask = 0b111; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.patterns[0].bytes = 8; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.patterns[0].offset[1] = 8; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.events[3].address += 4; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.events[3].warp = 1; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.events[3].local = true; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.segments = {{0, 0, 8}, {1, 8, 16}}; }), as_it_is);
  EXPECT_NE(changed([](BlockShape& s) { s.complete = false; }), as_it_is);
  EXPECT_NE(digest_of(5, grid()), as_it_is);
  auto fewer = grid();
  fewer.erase(3);
  EXPECT_NE(digest_of(4, fewer), as_it_is);
}

TEST(TraceDigest, AnInstructionThatBeganInLocalMemoryHasWholeAddresses) {
  // Its global requests are then counted from 0, so where the buffers lie makes a difference.
  const auto at = [](u64 buffer) {
    BlockShape shape = copies();
    shape.events[2].address += static_cast<int64_t>(buffer);
    std::map<u64, BlockTrace> traces;
    traces[0] = {std::make_shared<const BlockShape>(shape), {0, buffer}};
    return digest_of(1, traces);
  };
  EXPECT_NE(at(kIn), at(kIn + 512));
}

/// Counts how often it is replayed.
class Watched : public GridTrace {
 public:
  explicit Watched(std::map<u64, BlockTrace> traces) : traces_(std::move(traces)) {}
  u64 blocks() const override { return traces_.size(); }
  BlockTrace block(u64 number) const override {
    asked += number == 0;
    return traces_.at(number);
  }
  std::optional<TraceDigest> digest() const override { return digest_of(blocks(), traces_); }
  mutable int asked = 0;

 private:
  std::map<u64, BlockTrace> traces_;
};

CacheSetup setup(u64 l2_lines) {
  CacheSetup s;
  s.l2_bytes = l2_lines * kLineBytes;
  return s;
}

TEST(Replays, AreMadeOnceForEachCache) {
  Replays replays;
  const Watched first(grid()), again(grid(copies(), kIn + 512, kOut + 512));
  const Replay made = replays.of(first, setup(64), 1000);
  EXPECT_GT(first.asked, 0);
  const Replay kept = replays.of(again, setup(64), 1000);
  EXPECT_EQ(again.asked, 0);
  EXPECT_EQ(kept.counts, made.counts);
  EXPECT_EQ(kept.counts, replay(again, setup(64), 1000).counts);
  EXPECT_EQ(kept.blocks, 4u);

  const Watched small(grid());
  const Replay other = replays.of(small, setup(8), 1000);  // all that it stores does not stay there
  EXPECT_GT(small.asked, 0);
  EXPECT_GT(other.counts.dram_writes, made.counts.dram_writes);
  const Watched shorter(grid());
  replays.of(shorter, setup(64), 4);
  EXPECT_GT(shorter.asked, 0);
}

}  // namespace
}  // namespace ww::caches
