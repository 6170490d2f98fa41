// The rules of rules/, by hand: what each generation makes of one warp's access. Expected values follow from
// the guides' wording (named at each test) or from published cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>

#include "rules/generations.h"
#include "rules/rules.h"

namespace ww::rules {
namespace {

Access lanes(u32 bytes, auto address, u32 mask = ~u32{0}) {
  Access a{mask, bytes, {}};
  for (int l = 0; l < 32; ++l) a.address[static_cast<size_t>(l)] = address(l);
  return a;
}
Access strided(u32 bytes, int64_t stride, int64_t first = 0, u32 mask = ~u32{0}) {
  return lanes(
      bytes, [=](int l) { return first + stride * l; }, mask);
}

constexpr Capability kAll[] = {10, 12, 13, 20, 30, 35, 50, 61, 70, 75, 80, 86, 89, 90, 100, 120};

TEST(Global, AlignedWords) {
  // 128 contiguous bytes: two half-warps of 64, one line, four sectors.
  const Access a = strided(4, 4);
  EXPECT_EQ(global_cost(10, a, false).sized[1], 2u);
  EXPECT_EQ(global_cost(12, a, false).sized[1], 2u);
  EXPECT_EQ(global_cost(20, a, false).lines, 1u);
  EXPECT_EQ(global_cost(20, a, true).sectors, 4u);
  for (Capability cc : {30, 61, 70, 90}) EXPECT_EQ(global_cost(cc, a, false).sectors, 4u) << cc;
  EXPECT_EQ(global_cost(90, a, false).lines, 1u);
  EXPECT_EQ(global_cost(61, a, false).transactions, 16u);  // GTX 1080 report, 1x1: 16 for a full load
  EXPECT_EQ(global_cost(61, a, true).transactions, 4u);    // … and 4 for a full store
}

TEST(Global, ShiftedByOneWord) {
  const Access a = strided(4, 4, 4);
  EXPECT_EQ(global_cost(10, a, false).sized[0],
            32u);  // out of step with its segment: a transaction for each lane
  const Cost c12 = global_cost(12, a, false);
  // First half-warp: bytes 4..67 of one 128-byte segment, both halves touched. Second: 68..127, within the
  // upper half, and 128..131, one 32-byte piece of the next segment.
  EXPECT_EQ(c12.sized[2], 1u);
  EXPECT_EQ(c12.sized[1], 1u);
  EXPECT_EQ(c12.sized[0], 1u);
  EXPECT_EQ(global_cost(20, a, false).lines, 2u);
  EXPECT_EQ(global_cost(90, a, false).sectors, 5u);
  EXPECT_EQ(global_cost(90, a, false).lines, 2u);
}

TEST(Global, Strides) {
  for (int s : {2, 4, 8, 16, 32}) {
    const Access a = strided(4, 4 * s);
    EXPECT_EQ(global_cost(90, a, false).sectors, std::min<u64>(32, 4u * static_cast<u64>(s))) << s;
    EXPECT_EQ(global_cost(90, a, false).lines, static_cast<u64>(s)) << s;
    EXPECT_EQ(global_cost(20, a, false).lines, static_cast<u64>(s)) << s;
  }
  EXPECT_EQ(global_cost(12, strided(4, 8), false).sized[2], 2u);  // half-warp: 124 bytes of a segment
  EXPECT_EQ(global_cost(12, strided(4, 128), false).sized[0],
            32u);  // each lane a segment, cut down to 32 bytes
}

TEST(Global, BroadcastIsOnePiece) {
  const Access a = strided(4, 0, 64);
  EXPECT_EQ(global_cost(12, a, false).sized[0], 2u);
  EXPECT_EQ(global_cost(10, a, false).sized[0], 32u);
  EXPECT_EQ(global_cost(90, a, false).sectors, 1u);
  EXPECT_EQ(global_cost(61, a, false).transactions, 16u);  // lanes, not addresses, count
}

TEST(Global, HalfMasked) {
  const Access low = strided(4, 4, 0, 0xffff), even = strided(4, 4, 0, 0x55555555);
  EXPECT_EQ(global_cost(12, low, false).transactions, 1u);
  EXPECT_EQ(global_cost(90, low, false).sectors, 2u);
  EXPECT_EQ(global_cost(61, low, false).transactions, 8u);
  EXPECT_EQ(global_cost(61, strided(4, 4, 0, 0x0f0f), false).transactions,
            4u);                                         // even quads of one half-warp only
  EXPECT_EQ(global_cost(10, even, false).sized[1], 2u);  // inactive lanes do not break the order
  EXPECT_EQ(global_cost(90, even, false).sectors, 4u);
}

TEST(Global, WideWords) {
  EXPECT_EQ(global_cost(12, strided(8, 8), false).sized[2], 2u);
  EXPECT_EQ(global_cost(12, strided(16, 16), false).sized[2], 4u);
  EXPECT_EQ(global_cost(10, strided(16, 16), false).sized[2], 4u);
  EXPECT_EQ(global_cost(20, strided(8, 8), false).lines, 2u);
  EXPECT_EQ(global_cost(20, strided(16, 16), false).lines, 4u);
  EXPECT_EQ(global_cost(90, strided(16, 16), false).sectors, 16u);
  EXPECT_EQ(global_cost(90, strided(8, 8), false).sectors, 8u);
}

TEST(Global, NarrowWordsHaveSmallSegmentsOn12) {
  EXPECT_EQ(global_cost(12, strided(1, 1), false).sized[0], 2u);
  // A half-warp of shorts at the end of a 64-byte segment goes into the next: two pieces of 32.
  EXPECT_EQ(global_cost(12, strided(2, 2, 48, 0xffff), false).sized[0], 2u);
}

TEST(Global, QuadStoresOfThe1080) {
  // Stride 8: every quad has a sector of its own. Stride 4: even and odd quads share the same two.
  EXPECT_EQ(global_cost(61, strided(4, 8), true).transactions, 8u);
  EXPECT_EQ(global_cost(61, strided(4, 32), true).transactions, 32u);
}

TEST(Global, RandomAgainstCountingBytes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const u32 bytes = 1u << random() % 5;
    Access a = lanes(
        bytes, [&](int) { return int64_t{bytes} * static_cast<int64_t>(random() % 300); }, random() | 1);
    std::set<int64_t> sectors, lines, half[2];
    for (int l = 0; l < 32; ++l) {
      if (!a.active(l)) continue;
      for (u32 b = 0; b < bytes; ++b) {
        const int64_t at = a.address[static_cast<size_t>(l)] + b;
        sectors.insert(at / 32);
        lines.insert(at / 128);
        half[l / 16].insert(at / (bytes == 1 ? 32 : bytes == 2 ? 64 : 128));
      }
    }
    EXPECT_EQ(global_cost(90, a, false).sectors, sectors.size());
    EXPECT_EQ(global_cost(90, a, false).lines, lines.size());
    EXPECT_EQ(global_cost(13, a, false).transactions, half[0].size() + half[1].size());
  }
}

TEST(Shared, Contiguous) {
  for (Capability cc : kAll) {
    const Cost c = shared_cost(cc, strided(4, 4), false);
    EXPECT_EQ(c.wavefronts, cc < 20 ? 2u : 1u) << cc;
    EXPECT_EQ(c.conflicts, 0u) << cc;
  }
}

TEST(Shared, Strides) {
  // Words s apart: gcd(s, banks) lanes meet in a bank.
  for (int s : {2, 4, 8, 16, 32}) {
    const Access a = strided(4, 4 * s);
    EXPECT_EQ(shared_cost(13, a, false).wavefronts, 2u * static_cast<u64>(std::min(s, 16))) << s;
    EXPECT_EQ(shared_cost(20, a, false).wavefronts, static_cast<u64>(s)) << s;
    EXPECT_EQ(shared_cost(61, a, false).wavefronts, static_cast<u64>(s)) << s;
    EXPECT_EQ(shared_cost(90, a, false).conflicts, static_cast<u64>(s) - 1) << s;
    // 3.x: words i and i + 32 of an aligned 64 go together.
    EXPECT_EQ(shared_cost(35, a, false).wavefronts, static_cast<u64>(s) / 2) << s;
  }
  EXPECT_EQ(shared_cost(90, strided(4, 4 * 33), false).wavefronts, 1u);
  EXPECT_EQ(shared_cost(13, strided(4, 4 * 3), false).wavefronts, 2u);
}

TEST(Shared, Broadcast) {
  for (Capability cc : kAll)
    EXPECT_EQ(shared_cost(cc, strided(4, 0, 20), false).wavefronts, cc < 20 ? 2u : 1u) << cc;
  // Two words of one bank, 16 lanes each: two passes, but one for each half-warp of 1.x, where each half
  // reads one word.
  const Access two = lanes(4, [](int l) { return l < 16 ? 0 : 128; });
  EXPECT_EQ(shared_cost(90, two, false).wavefronts, 2u);
  EXPECT_EQ(shared_cost(13, two, false).wavefronts, 2u);
}

TEST(Shared, NarrowWords) {
  // C2070 chapter, for 1.x: short buf[tid] conflicts two ways, char four; later generations are free of it.
  EXPECT_EQ(shared_cost(13, strided(2, 2), false).wavefronts, 4u);
  EXPECT_EQ(shared_cost(13, strided(1, 1), false).wavefronts, 8u);
  EXPECT_EQ(shared_cost(20, strided(2, 2), false).wavefronts, 1u);
  EXPECT_EQ(shared_cost(90, strided(1, 1), false).wavefronts, 1u);
}

TEST(Shared, WideWords) {
  EXPECT_EQ(shared_cost(13, strided(8, 8), false).wavefronts, 4u);
  EXPECT_EQ(shared_cost(13, strided(16, 16), false).wavefronts, 8u);
  EXPECT_EQ(shared_cost(20, strided(8, 8), false).wavefronts, 2u);
  EXPECT_EQ(shared_cost(20, strided(16, 16), false).wavefronts, 4u);
  for (Capability cc : {61, 70, 90}) {
    EXPECT_EQ(shared_cost(cc, strided(16, 0), false).wavefronts, 2u)
        << cc;  // uniform: one for each half-warp (H200: LDS.128)
    EXPECT_EQ(shared_cost(cc, strided(16, 16), false).wavefronts, 4u) << cc;
    EXPECT_EQ(shared_cost(cc, strided(16, 16), false).conflicts, 0u) << cc;
    EXPECT_EQ(shared_cost(cc, strided(8, 8), false).wavefronts, 2u) << cc;
    EXPECT_EQ(shared_cost(cc, strided(8, 8, 0, 0xffff), false).wavefronts, 1u) << cc;
  }
}

TEST(Shared, RandomAgainstCountingWords) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Access a = lanes(
        4, [&](int) { return int64_t{4} * static_cast<int64_t>(random() % 512); }, random() | 1);
    std::map<int64_t, std::set<int64_t>> bank;
    size_t most = 0;
    for (int l = 0; l < 32; ++l)
      if (a.active(l)) {
        auto& words = bank[a.address[static_cast<size_t>(l)] / 4 % 32];
        words.insert(a.address[static_cast<size_t>(l)] / 4);
        most = std::max(most, words.size());
      }
    EXPECT_EQ(shared_cost(20, a, false).wavefronts, most);
    EXPECT_EQ(shared_cost(90, a, false).wavefronts, most);
  }
}

TEST(Shared, AtomicsOfOneWordGoOneAfterAnother) {
  EXPECT_EQ(shared_atomic_cost(90, strided(4, 0)).wavefronts, 32u);
  EXPECT_EQ(shared_atomic_cost(90, strided(4, 4)).wavefronts, 1u);
}

TEST(Local, OneVariableOfAllLanesIsContiguous) {
  // The same address in every lane's own memory.
  EXPECT_EQ(local_cost(90, strided(4, 0), false).sectors, 4u);
  EXPECT_EQ(local_cost(90, strided(16, 0), false).sectors, 16u);
  EXPECT_EQ(local_cost(90, strided(4, 4), false).sectors, 32u);  // each lane another element of its array
}

TEST(Constant, OnePassForEachWord) {
  EXPECT_EQ(constant_cost(90, strided(4, 0)).wavefronts, 1u);
  EXPECT_EQ(constant_cost(90, strided(4, 4)).wavefronts, 32u);
  EXPECT_EQ(constant_cost(13, strided(4, 0)).wavefronts, 2u);
}

TEST(Place, NegativeOffsetsAndAlignment) {
  Pattern p{ir::Space::Global, ~u32{0}, 4, {}};
  for (int l = 0; l < 32; ++l) p.offset[static_cast<size_t>(l)] = -4 * l;
  // From byte 124 of a line downwards: exactly that line. From byte 0: that word, and 31 words of the line
  // before.
  EXPECT_EQ(cost(90, p, 124, false, false).lines, 1u);
  EXPECT_EQ(cost(90, p, 0, false, false).lines, 2u);
  EXPECT_EQ(cost(90, p, 0, false, false).sectors, 5u);
}

/// What a picture shows must be what is counted: random accesses, every generation.
TEST(Pieces, AreAsManyAsCounted) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const u32 bytes = 1u << random() % 5, mask = random() | 1u << random() % 32;
    const int64_t spread = int64_t{1} << random() % 12;
    const Access a = lanes(
        bytes, [&](int) { return static_cast<int64_t>(random() % spread) * bytes; }, mask);
    for (Capability cc : kAll)
      for (bool store : {false, true}) {
        const auto pieces = global_pieces(cc, a, store);
        const Cost c = global_cost(cc, a, store);
        if (cc >= 30 || cc < 20 || store) {  // 2.x: loads are by line, in parts of a warp
          EXPECT_EQ(pieces.size(), cc < 20 ? c.transactions : c.sectors) << cc;
        }
        // Every byte lies in one of them.
        for (int l = 0; l < 32; ++l) {
          const auto at = a.address[static_cast<size_t>(l)];
          EXPECT_TRUE(!a.active(l) || std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
            return p.address <= at && at < p.address + p.bytes;
          }));
        }
      }
  }
}

TEST(BankUses, TakeAsManyPassesAsCounted) {
  std::mt19937 random(8);
  for (int round = 0; round < 400; ++round) {
    const u32 bytes = 4u << random() % 3, mask = random() | 1u << random() % 32;
    const int64_t spread = int64_t{1} << random() % 9;
    const Access a = lanes(
        bytes, [&](int) { return static_cast<int64_t>(random() % spread) * bytes; }, mask);
    for (Capability cc : kAll)
      for (auto [store, atomic] : {std::pair{false, false}, std::pair{true, false}, std::pair{true, true}}) {
        u64 passes = 0;
        std::map<std::tuple<u32, u32>, std::set<int64_t>> words;
        std::map<int64_t, u32> served;  // by word: the lanes that had it
        for (const BankUse& u : bank_uses(cc, a, store, atomic)) {
          passes = std::max<u64>(passes, u.pass + 1);
          words[{u.pass, u.bank}].insert(u.word);
          served[u.word] |= u.lanes;
          EXPECT_EQ(u.bank, static_cast<u64>(u.word) % bank_count(cc));
        }
        EXPECT_EQ(passes, (atomic ? shared_atomic_cost(cc, a) : shared_cost(cc, a, store)).wavefronts) << cc;
        for (const auto& [at, w] : words) EXPECT_LE(w.size(), cc >= 30 && cc < 50 && !atomic ? 2u : 1u);
        for (int l = 0; l < 32; ++l)
          for (u32 b = 0; b < bytes && a.active(l); b += 4)
            EXPECT_TRUE(served[(a.address[static_cast<size_t>(l)] + b) / 4] >> l & 1) << cc;
      }
  }
}

/// Lanes that access somewhere in a piece of memory of so many bytes, some lanes not at all.
Access anywhere(std::mt19937_64& random, u32 bytes, u64 piece) {
  return lanes(
      bytes, [&](int) { return static_cast<int64_t>(random() % (piece / bytes) * bytes); },
      random() % 2 == 0 ? ~u32{0} : static_cast<u32>(random()) | 1);
}

TEST(Shared, WordsThatLieFarApartMeetInBanksAsNearOnesDo) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 3000; ++k) {
    const u32 bytes = 1u << random() % 3;  // all lanes go together
    const u64 piece = u64{256} << 2 * (random() % 6);
    const Access a = anywhere(random, bytes, piece);
    std::map<u64, std::set<u64>> distinct;  // by bank
    std::map<u64, u64> asked;
    std::map<u64, std::set<u64>> pairs;  // 3.x: by bank, what it gives at once
    for (size_t l = 0; l < 32; ++l) {
      if (!a.active(static_cast<int>(l))) continue;
      const auto word = static_cast<u64>(a.address[l]) / 4;
      distinct[word % 32].insert(word);
      ++asked[word % 32];
      pairs[word % 32].insert(word / 64);
    }
    const auto most = [](const auto& banks) {
      u64 most = 0;
      for (const auto& [bank, words] : banks) most = std::max<u64>(most, words.size());
      return most;
    };
    u64 most_asked = 0, words = 0;
    for (const auto& [bank, times] : asked) most_asked = std::max(most_asked, times);
    for (const auto& [bank, of] : distinct) words += of.size();
    EXPECT_EQ(shared_cost(90, a, true).wavefronts, most(distinct));
    EXPECT_EQ(shared_cost(90, a, true).conflicts, most(distinct) - (words + 31) / 32);
    EXPECT_EQ(shared_cost(35, a, true).wavefronts, most(pairs));
    EXPECT_EQ(shared_atomic_cost(90, a).wavefronts, most_asked);
  }
}

TEST(Generations, AccessesCostTheSameWithinOne) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 400; ++k) {
    Pattern p;
    p.space =
        std::array{ir::Space::Global, ir::Space::Shared, ir::Space::Local, ir::Space::Const}[random() % 4];
    const Access a = anywhere(random, 1u << random() % 5, u64{128} << 3 * (random() % 4));
    p.mask = a.mask, p.bytes = a.bytes;
    for (size_t l = 0; l < 32; ++l)
      if (a.active(static_cast<int>(l)))
        p.offset[l] = a.address[l] - a.address[static_cast<size_t>(std::countr_zero(a.mask))];
    const auto alignment = static_cast<u32>(random() % (kAlignment / p.bytes) * p.bytes);
    const bool store = random() % 2 == 0, atomic = random() % 4 == 0;
    for (Capability cc = 10; cc <= 130; ++cc)
      EXPECT_EQ(cost(cc, p, alignment, store, atomic), cost(same_rules_from(cc), p, alignment, store, atomic))
          << cc;
    Access sectors = a;
    for (Capability cc : kAll)
      EXPECT_EQ(texture_cost(cc, sectors), texture_cost(same_rules_from(cc), sectors));
    if (p.space == ir::Space::Shared)
      for (Capability cc : kAll)
        EXPECT_EQ(copy_cost(cc, a, place(p, alignment), store),
                  copy_cost(same_rules_from(cc), a, place(p, alignment), store));
  }
  EXPECT_NE(same_rules_from(61), same_rules_from(70));  // lines of L1
}

}  // namespace
}  // namespace ww::rules
