// What a recorder keeps of blocks, against what it was told.
#include "caches/trace.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "engine/decode/program.h"

namespace ww::caches {
namespace {

/// Instruction, warp, whether in local memory, bytes, and the lanes' addresses (0: not active).
using Told = std::tuple<u32, u32, bool, u32, std::vector<u64>>;

/// Blocks that run side by side, with patterns that many of them share and more irregular ones than are kept
/// from block to block.
TEST(TraceRecorder, KeepsWhatItWasTold) {
  constexpr u32 kInstructions = 4;
  ir::Instruction any;
  any.op = ir::Op::ld;
  any.chosen.resize(any.form().slots.size());
  engine::Program program;
  program.infos.resize(kInstructions);
  for (auto& info : program.infos) info.instruction = &any;
  TraceRecorder recorder;
  recorder.launch_begins(program, 2);
  std::mt19937 random(1);
  std::map<u64, std::vector<Told>> expected;
  std::array<std::array<int64_t, 32>, 9> strided;
  for (size_t n = 0; n < strided.size(); ++n)
    for (size_t l = 0; l < 32; ++l) strided[n][l] = static_cast<int64_t>(4 * n * l);
  for (u64 pair = 0; pair < 60; ++pair) {
    const u64 blocks[] = {2 * pair, 2 * pair + 1};
    const int worker = static_cast<int>(random() % 2);
    for (u64 block : blocks) recorder.block_begins(worker, block);
    for (int k = 0; k < 400; ++k) {
      std::array<int64_t, 32> irregular{};
      for (size_t l = 1; l < 32; ++l) irregular[l] = 4 * static_cast<int64_t>(random() % 100000);
      const size_t n = random() % 12;
      events::Memory e;
      e.instruction = random() % kInstructions;
      e.block = blocks[random() % 2];
      e.warp = random() % 4;
      e.mask = random() % 2 ? ~u32{0} : 0xff01;
      e.bytes = 4;
      e.space = random() % 4 ? ir::Space::Global : ir::Space::Local;
      e.first = 4096 + 4 * (random() % 100000);
      e.serial = n < strided.size() ? n + 1 : 0;
      e.offsets = n < strided.size() ? strided[n].data() : irregular.data();
      recorder.memory(worker, e);
      std::vector<u64> at;
      for (size_t l = 0; l < 32; ++l)
        at.push_back(e.mask >> l & 1 ? e.first + static_cast<u64>(e.offsets[l]) : 0);
      expected[e.block].emplace_back(e.instruction, e.warp, e.space == ir::Space::Local, e.bytes, at);
    }
    for (u64 block : blocks) recorder.block_ends(worker, block);
  }
  const auto kept = recorder.take();
  ASSERT_EQ(kept.size(), expected.size());
  for (const auto& [block, trace] : kept) {
    std::vector<Told> told;
    for (const TraceEvent& e : trace.shape->events) {
      const rules::Pattern& p = trace.shape->patterns[e.pattern];
      EXPECT_EQ(p.space == ir::Space::Local, e.local);
      const u64 first = (e.local ? 0 : trace.first[e.slot]) + static_cast<u64>(e.address);
      std::vector<u64> at;
      for (size_t l = 0; l < 32; ++l)
        at.push_back(p.mask >> l & 1 ? first + static_cast<u64>(p.offset[l]) : 0);
      told.emplace_back(trace.shape->slots[e.slot].instruction, e.warp, e.local, p.bytes, at);
    }
    EXPECT_EQ(told, expected.at(block)) << block;
  }
}

}  // namespace
}  // namespace ww::caches
