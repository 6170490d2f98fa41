// Passes of atomics through the line that gets most, counted by hand.
#include "caches/atomics.h"

#include <gtest/gtest.h>

namespace ww::caches {
namespace {

constexpr u64 kAt = u64{1} << 20;  // begins a line

/// Blocks of one warp, whose lanes each change a word: lane l of block b that at kAt + bytes(b, l).
class Atomics : public GridTrace {
 public:
  Atomics(u64 blocks, std::function<u64(u64, int)> bytes, rules::AccessKind kind = rules::AccessKind::Atomic)
      : blocks_(blocks), bytes_(std::move(bytes)), kind_(kind) {}
  u64 blocks() const override { return blocks_; }
  BlockTrace block(u64 number) const override {
    auto shape = std::make_shared<BlockShape>();
    shape->slots = {{0, kind_, false}};
    rules::Pattern p;
    p.mask = ~0u;
    for (int l = 0; l < 32; ++l)
      p.offset[static_cast<size_t>(l)] =
          static_cast<int64_t>(bytes_(number, l)) - static_cast<int64_t>(bytes_(number, 0));
    shape->patterns = {p};
    shape->events = {{0, 0, 0, 0, false}};
    shape->segments = {{0, 0, 1}};
    return {shape, {kAt + bytes_(number, 0)}};
  }

 private:
  u64 blocks_;
  std::function<u64(u64, int)> bytes_;
  rules::AccessKind kind_;
};

TEST(Atomics, LanesOfOneWordGoOneAfterAnother) {
  EXPECT_EQ(busiest_atomic_line(Atomics(10, [](u64, int) { return 0; })), 10 * 32);
  // Four words of one sector: eight lanes each, at one time.
  EXPECT_EQ(busiest_atomic_line(Atomics(10, [](u64, int l) { return 4 * (l % 4); })), 10 * 8);
}

TEST(Atomics, TheSectorsOfALineTakeTurns) {
  EXPECT_EQ(busiest_atomic_line(Atomics(10, [](u64, int l) { return 4 * l; })), 10 * 4);
  EXPECT_EQ(busiest_atomic_line(Atomics(10, [](u64 b, int l) { return 128 * b + 4 * static_cast<u64>(l); })),
            4);
}

TEST(Atomics, OnlyAtomicsCount) {
  EXPECT_EQ(busiest_atomic_line(Atomics(
                10, [](u64, int) { return 0; }, rules::AccessKind::Store)),
            0);
}

TEST(Atomics, FirstBlocksSpeakForTheOthersWhereAllMeet) {
  // 33 units of the budget for each block: 31 of them are looked at.
  EXPECT_EQ(busiest_atomic_line(Atomics(1000, [](u64, int) { return 0; }), 1000), 1000 * 32);
  EXPECT_EQ(busiest_atomic_line(Atomics(1000, [](u64 b, int) { return 128 * b; }), 1000), 32);
}

}  // namespace
}  // namespace ww::caches
