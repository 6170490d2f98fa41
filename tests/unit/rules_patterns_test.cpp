// The histogram of access patterns, against accesses that are added up one by one; and passes through banks,
// against the words that each pass moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "rules/rules.h"

namespace ww::rules {
namespace {

/// Space, mask, bytes, and the address of each lane in the space modulo kAlignment of the first one's.
using Key = std::tuple<u32, u32, u32, u32, std::vector<int64_t>>;
using Counts = std::map<std::pair<u32, Key>, u64>;  // by instruction

Key key_of(ir::Space space, u32 mask, u32 bytes, u32 alignment, const int64_t* offsets) {
  std::vector<int64_t> of_lanes;
  for (size_t l = 0; l < 32; ++l) of_lanes.push_back(mask >> l & 1 ? offsets[l] : 0);
  return {static_cast<u32>(space), mask, bytes, alignment, of_lanes};
}

struct Pool {
  std::vector<std::array<int64_t, 32>> offsets;
  explicit Pool(std::mt19937& random) {
    for (int64_t stride : {0, 4, 8, 128, -4}) {
      auto& o = offsets.emplace_back();
      for (size_t l = 0; l < 32; ++l) o[l] = static_cast<int64_t>(l) * stride;
    }
    for (int k = 0; k < 40; ++k)
      for (auto& o : offsets.emplace_back()) o = 4 * (static_cast<int64_t>(random() % 4096) - 2048);
  }
};

TEST(PatternObserver, CountsWhatItWasTold) {
  constexpr u32 kInstructions = 5;
  engine::Program program;
  program.infos.resize(kInstructions);
  for (const size_t limit : {size_t{1} << 14, size_t{7}}) {
    std::mt19937 random(limit == 7 ? 1 : 2);
    const Pool pool(random);
    Counts expected, counted;
    PatternObserver observer(
        [&](int, const engine::Program&, const AccessHistogram& h) {
          for (u32 i = 0; i < h.by_instruction.size(); ++i)
            for (const AccessHistogram::Entry& e : h.by_instruction[i]) {
              const Pattern& p = h.patterns[e.pattern];
              counted[{i, key_of(p.space, p.mask, p.bytes, e.alignment, p.offset.data())}] += e.count;
            }
        },
        limit);
    observer.launch_begins(program, 2);
    for (int k = 0; k < 20000; ++k) {
      const size_t n = random() % pool.offsets.size();
      const u32 masks[] = {~u32{0}, 0xffff, 0x80000001, 8};
      events::Memory e;
      e.instruction = random() % kInstructions;
      e.warp = random() % 40;
      e.mask = masks[random() % 4];
      e.bytes = e.instruction % 2 ? 4 : 8;
      // Generic addresses may lead into another space from one time to the next.
      e.space = random() % 3 ? ir::Space::Global : ir::Space::Shared;
      e.first = random() % 1024 * e.bytes;
      e.offsets = pool.offsets[n].data();
      e.serial = n % 3 == 2 ? 0 : n + 1;  // of some nothing is known
      observer.memory(static_cast<int>(random() % 2), e);
      ++expected[{e.instruction,
                  key_of(e.space, e.mask, e.bytes, static_cast<u32>(e.first % kAlignment), e.offsets)}];
    }
    observer.finish();
    EXPECT_EQ(counted, expected);
  }
}

// As many as the passes that bank_uses() deals the words to, wherever these lie.
TEST(Banks, PassesAreThoseThatMoveTheWords) {
  std::mt19937 random(3);
  for (int k = 0; k < 4000; ++k) {
    const u32 widths[] = {1, 2, 4, 8, 16}, spreads[] = {40, 400, 1500, 100000};
    Access a;
    a.bytes = widths[random() % 5];
    a.mask = static_cast<u32>(random()) | 1;
    const u32 spread = spreads[random() % 4];
    for (auto& address : a.address) address = static_cast<int64_t>(random() % spread) * a.bytes;
    for (Capability cc : {13, 20, 35, 61, 90})
      for (bool atomic : {false, true}) {
        if (atomic && (a.bytes != 4 || cc < 20)) continue;
        const bool store = random() % 2;
        u32 passes = 0;
        for (const BankUse& u : bank_uses(cc, a, store, atomic)) passes = std::max(passes, u.pass + 1);
        const Cost c = atomic ? shared_atomic_cost(cc, a) : shared_cost(cc, a, store);
        EXPECT_EQ(c.wavefronts, passes) << cc << ' ' << a.bytes << ' ' << spread << ' ' << atomic;
      }
  }
}

TEST(Pieces, AreTheDistinctOnes) {
  std::mt19937 random(4);
  for (int k = 0; k < 2000; ++k) {
    Access a;
    a.bytes = 4u << random() % 3;
    a.mask = static_cast<u32>(random());
    const bool ascending = random() % 2;
    std::map<int64_t, int> pieces;
    for (size_t l = 0; l < 32; ++l) {
      a.address[l] = ascending ? static_cast<int64_t>(l * (random() % 9) * a.bytes)
                               : static_cast<int64_t>(random() % 3000) * a.bytes;
      if (a.mask >> l & 1)
        for (u32 b = 0; b < a.bytes; ++b) ++pieces[(a.address[l] + b) / 32];
    }
    EXPECT_EQ(distinct_pieces(a, 32), pieces.size());
  }
}

}  // namespace
}  // namespace ww::rules
