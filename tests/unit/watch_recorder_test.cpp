// Recordings of the laboratory's kernels against what their sources say, by hand.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "../long.h"
#include "base/json.h"
#include "device/engine_device.h"
#include "forecast/padding.h"
#include "gpus/catalog.h"
#include "kernels/run.h"
#include "watch/recorder.h"
#include "watch/watch.h"

namespace ww::watch {
namespace {

Recording recorded(const char* kernel, kernels::Config config, const char* gpu = "h200") {
  std::atomic<bool> stop = false;
  auto r = record(**kernels::find_case(kernel), config, *gpus::find_gpu(gpu), stop);
  EXPECT_TRUE(r) << (r ? "" : kernels::one_line(r.error()));
  return r ? std::move(*r) : Recording{};
}

std::string refusal(const char* kernel, kernels::Config config) {
  std::atomic<bool> stop = false;
  auto r = record(**kernels::find_case(kernel), config, *gpus::find_gpu("h200"), stop);
  return r ? "" : kernels::one_line(r.error());
}

/// The elements that lane `lane` of a warp touches in an array during a phase, in order.
std::vector<u64> elements(const Launch& l, u32 block, u32 warp, size_t lane, u32 phase, const char* array) {
  std::vector<u64> out;
  for (const Event& e : l.events) {
    if (e.form == kNone || e.block != block || e.warp != warp || l.steps[e.step].phase != phase) continue;
    const Form& f = l.forms[e.form];
    if (f.array == kNone || l.arrays[f.array].name != array || !(f.pattern.mask >> lane & 1)) continue;
    out.push_back((e.first + static_cast<u64>(f.pattern.offset[lane]) - l.arrays[f.array].address) / 4);
  }
  std::sort(out.begin(), out.end());
  return out;
}

using List = std::vector<u64>;

TEST(Recorder, TiledProductOfFourInTilesOfTwo) {
  const Recording r = recorded("matmul/tiled", {4, {2}});
  ASSERT_EQ(r.launches.size(), 1u);
  const Launch& l = r.launches[0];
  EXPECT_EQ(l.grid, (std::array<u32, 3>{2, 2, 1}));
  EXPECT_EQ(l.block, (std::array<u32, 3>{2, 2, 1}));
  ASSERT_EQ(l.arrays.size(), 5u);
  EXPECT_EQ(l.arrays[2].name, "c");
  EXPECT_EQ(l.arrays[2].columns, 4u);
  EXPECT_EQ(l.arrays[3].name, "As");
  EXPECT_EQ(l.arrays[3].columns, 2u);
  EXPECT_EQ(l.shared_bytes, 32u);
  for (u32 block = 0; block < 4; ++block)
    for (u64 ty = 0; ty < 2; ++ty)
      for (u64 tx = 0; tx < 2; ++tx) {
        const u64 row = 2 * (block / 2) + ty, col = 2 * (block % 2) + tx;
        const auto of = [&](u32 phase, const char* array) {
          return elements(l, block, 0, 2 * ty + tx, phase, array);
        };
        // Two tiles: loaded before a barrier, multiplied before the next; then the result.
        for (u32 t = 0; t < 2; ++t) {
          EXPECT_EQ(of(2 * t, "a"), List{row * 4 + 2 * t + tx});
          EXPECT_EQ(of(2 * t, "b"), List{(2 * t + ty) * 4 + col});
          EXPECT_EQ(of(2 * t, "As"), List{2 * ty + tx});
          EXPECT_EQ(of(2 * t, "Bs"), List{2 * ty + tx});
          EXPECT_EQ(of(2 * t + 1, "As"), (List{2 * ty, 2 * ty + 1}));
          EXPECT_EQ(of(2 * t + 1, "Bs"), (List{tx, 2 + tx}));
          EXPECT_TRUE(of(2 * t + 1, "a").empty());
        }
        EXPECT_EQ(of(4, "c"), List{row * 4 + col});
      }
  // 4 blocks of one warp: 2 tiles x (2 loads, 2 stores, 2 barriers, 4 shared loads) and the store.
  EXPECT_EQ(l.events.size(), 4u * (2 * 10 + 1));
  EXPECT_EQ(l.steps.size(), 21u);
  for (const Event& e : l.events) EXPECT_EQ(e.mask, 0xfu);
  // A row of four floats is half a sector: the load of a 2 x 2 tile needs one.
  for (const Form& f : l.forms) EXPECT_EQ(f.pieces.size(), f.pattern.space == ir::Space::Global ? 1u : 0u);
}

TEST(Recorder, KnowsSourceLines) {
  const Recording r = recorded("matmul/tiled", {4, {2}});
  std::map<std::string, std::set<int>> lines;  // by array
  const Launch& l = r.launches[0];
  for (const Event& e : l.events)
    if (e.form != kNone) {
      const Site& s = l.sites[l.steps[e.step].site];
      EXPECT_EQ(s.file, "src/kernels/matmul/tiled.cu");
      lines[l.arrays[l.forms[e.form].array].name].insert(s.line);
    }
  EXPECT_EQ(lines["a"], (std::set<int>{15}));
  EXPECT_EQ(lines["b"], (std::set<int>{16}));
  EXPECT_EQ(lines["c"], (std::set<int>{22}));
}

/// The costs of the warps' loads from a shared array, without those that are a part of another.
std::set<std::array<u64, 3>> shared_loads(const Launch& l, const char* array) {
  std::set<std::array<u64, 3>> out;  // bytes issued, wavefronts, conflicts
  for (const Event& e : l.events) {
    if (e.form == kNone) continue;
    const Form& f = l.forms[e.form];
    if (f.array == kNone || l.arrays[f.array].name != array || f.kind != rules::AccessKind::Load) continue;
    if (f.issued > 0) out.insert({f.issued, f.cost.wavefronts, f.cost.conflicts});
    u64 passes = 0;
    for (const auto& use : f.banks) passes = std::max<u64>(passes, use.pass + 1);
    EXPECT_EQ(passes, f.cost.wavefronts);
  }
  return out;
}

using Costs = std::set<std::array<u64, 3>>;

TEST(Recorder, TransposedProductsBanks) {
  // A column of a 16 x 16 array. 16 banks, half a warp at a time (GTX 280): all 16 lanes want one bank,
  // twice.
  EXPECT_EQ(shared_loads(recorded("aat/plain", {16, {16}}, "gtx280").launches[0], "At"),
            (Costs{{4, 32, 30}}));
  EXPECT_EQ(shared_loads(recorded("aat/padded", {16, {16}}, "gtx280").launches[0], "At"), (Costs{{4, 2, 0}}));
  // 32 banks, four neighbouring loads joined, a quarter of a warp at a time (H200): 8 rows of 4 words, every
  // second row in the same banks, so 4 passes for 32 words that would fit into one; four times.
  EXPECT_EQ(shared_loads(recorded("aat/plain", {16, {16}}).launches[0], "At"), (Costs{{16, 16, 12}}));
  // Rows of 17 words: aligned for single words only, and 16 rows start in 16 different banks.
  EXPECT_EQ(shared_loads(recorded("aat/padded", {16, {16}}).launches[0], "At"), (Costs{{4, 1, 0}}));
  // 32 rows of 32 words all start in bank 0: 8 passes for each quarter.
  EXPECT_EQ(shared_loads(recorded("aat/plain", {32, {32}}).launches[0], "At"), (Costs{{16, 32, 28}}));
  EXPECT_EQ(shared_loads(recorded("aat/padded", {32, {32}}).launches[0], "At"), (Costs{{4, 1, 0}}));
}

TEST(Recorder, BoxSumReadsRows) {
  const Recording r = recorded("box_sum/direct", {6, {4}, 1, 1});
  const Launch& l = r.launches[0];
  // Output (x, y) of 4 x 4: the 3 x 3 inputs from (x, y) on, row by row of 6.
  for (u64 y = 0; y < 4; ++y)
    for (u64 x = 0; x < 4; ++x) {
      List all;
      for (u64 dy = 0; dy < 3; ++dy)
        for (u64 dx = 0; dx < 3; ++dx) all.push_back((y + dy) * 6 + x + dx);
      EXPECT_EQ(elements(l, 0, 0, 4 * y + x, 0, "in"), all);
      EXPECT_EQ(elements(l, 0, 0, 4 * y + x, 0, "out"), List{y * 4 + x});
    }
}

TEST(Recorder, TwoLaunchesAreTwoRecordings) {
  const Recording r = recorded("sum/two_launches", {128, {64}});
  ASSERT_EQ(r.launches.size(), 2u);
  EXPECT_EQ(elements(r.launches[0], 1, 1, 31, 0, "in"), List{64 + 63});
  EXPECT_EQ(elements(r.launches[1], 0, 0, 1, 0, "partial"), List{1});
  EXPECT_TRUE(elements(r.launches[1], 0, 0, 1, 0, "in").empty());
}

TEST(Recorder, SlackIsPartOfItsArray) {
  // It fetches one tile too many: of A behind the end of the last row.
  const Recording r = recorded("matmul/prefetch_register", {4, {2}});
  const Launch& l = r.launches[0];
  u64 last = 0;
  for (const Event& e : l.events)
    if (e.form != kNone && l.forms[e.form].array == 0)
      for (u32 m = e.mask; m != 0; m &= m - 1)
        last = std::max(
            last,
            (e.first +
             static_cast<u64>(l.forms[e.form].pattern.offset[static_cast<size_t>(std::countr_zero(m))]) -
             l.arrays[0].address) /
                4);
  EXPECT_EQ(l.arrays[0].elements, 16u);
  EXPECT_EQ(last, 17u);
}

TEST(Watch, RefusesWhatIsTooLarge) {
  EXPECT_EQ(
      refusal("matmul/tiled", {512, {16}}),
      "matmul/tiled n=512 block=16 is too large to watch: its warps access memory more than 200000 times "
      "(choose a smaller n, for example 32)");
  EXPECT_EQ(refusal("sum/atomic", {1 << 28, {128}}),
            "sum/atomic n=268435456 block=128 is too large to watch: its buffers have 268435457 elements, at "
            "most 4194304 are shown (choose a smaller n, for example 256)");
  EXPECT_EQ(refusal("matmul/sequential", {8}),
            "matmul/sequential runs on the host: there is nothing to watch");
  EXPECT_EQ(refusal("matmul/tiled", {9, {2}}),
            "n = 9 is not a multiple of 2, the block side (the nearest are 8 and 10)");
}

TEST(Watch, EverySmallShapeIsRightAndCanBeWatched) {
  const auto device = device::make_engine_device();
  kernels::Runner runner;
  int shapes = 0;
  for (const kernels::Case& one : kernels::all_cases())
    for (const kernels::Shape& shape : one.axes.small) {
      kernels::Config config;
      config.shape = shape;
      if (!one.axes.r.empty()) config.r = 1;
      if (!one.axes.k.empty()) config.k = 1;
      config.n = small_n(one, config);
      SCOPED_TRACE(kernels::title(one.name, config));
      const Row row = runner.run(one, config, device.get());
      const Value* verified = row.find("verified");
      ASSERT_TRUE(verified) << row.refused;
      EXPECT_EQ(verified->text(), "1");
      EXPECT_FALSE(recorded(one.name.c_str(), config).launches.at(0).events.empty());
      ++shapes;
    }
  EXPECT_GT(shapes, 20);
}

// Every third kernel; with WW_LONG each.
TEST(Watch, EveryKernelCanBeWatched) {
  size_t number = 0;
  int too_large = 0;  // upper rungs in clang's PTX, which keeps the results of their tiles in local memory
  for (const kernels::Case& one : kernels::all_cases()) {
    if (one.axes.shapes.empty() || !is_tried(number++, 3)) continue;
    kernels::Config config;
    config.shape = one.axes.shapes.front();
    if (!one.axes.k.empty()) config.k = one.axes.k.front();
    config.r = small_r(one, config);
    config.n = small_n(one, config);
    SCOPED_TRACE(kernels::title(one.name, config));
    const auto plan = kernels::make_plan(one, config);
    ASSERT_TRUE(plan);
    if (plan->expected_fault || plan->launches.empty()) {
      EXPECT_NE(refusal(one.name.c_str(), config), "");
      continue;
    }
    std::atomic<bool> stop = false;
    const auto recording = record(one, config, *gpus::find_gpu("h200"), stop);
    if (recording) {
      EXPECT_FALSE(recording->launches.at(0).steps.empty());
    } else {
      EXPECT_NE(kernels::one_line(recording.error()).find("too large to watch"), std::string::npos);
      ++too_large;
    }
  }
  EXPECT_LE(too_large, 3);
}

/// The bits that each word of an array holds at the end.
std::map<u64, u32> values_of(const Launch& l, const char* array) {
  std::map<u64, u32> out;
  for (const Change& c : l.changes)
    if (l.arrays[c.array].name == array) out[c.element] = c.bits;
  return out;
}

TEST(Recorder, ValuesOfAProductAreTheProductOfTheValues) {
  const Recording r = recorded("matmul/tiled", {4, {2}});
  const Launch& l = r.launches.at(0);
  const auto a = values_of(l, "a"), b = values_of(l, "b"), c = values_of(l, "c");
  ASSERT_EQ(a.size(), 16u);
  ASSERT_EQ(b.size(), 16u);
  ASSERT_EQ(c.size(), 16u);
  EXPECT_EQ(l.arrays[0].type, "f32");
  const auto number = [](u32 bits) { return static_cast<double>(std::bit_cast<float>(bits)); };
  bool any = false;
  for (u64 row = 0; row < 4; ++row)
    for (u64 col = 0; col < 4; ++col) {
      double sum = 0;
      for (u64 k = 0; k < 4; ++k) sum += number(a.at(4 * row + k)) * number(b.at(4 * k + col));
      EXPECT_NEAR(number(c.at(4 * row + col)), sum, 1e-5);
      any |= sum != 0;
    }
  EXPECT_TRUE(any);
  // What a block reads of "a" in a phase is what it writes to its tile there.
  const auto tile = values_of(l, "As");
  EXPECT_EQ(tile.at(3), a.at(15));  // the last block's last tile
  // A store is noted at the store itself: behind it, c holds the result.
  for (const Change& change : l.changes) {
    if (l.arrays[change.array].name != "c") continue;
    const auto event =
        std::find_if(l.events.begin(), l.events.end(), [&](const Event& e) { return e.ran == change.ran; });
    ASSERT_NE(event, l.events.end());
    EXPECT_EQ(l.forms[event->form].kind, rules::AccessKind::Store);
  }
}

TEST(Watch, NamesOfVariables) {
  EXPECT_EQ(forecast::source_name("_ZZ5tiledILi16EEvPKfS1_PfiE2As"), "As");
  EXPECT_EQ(forecast::source_name("buffer"), "buffer");
}

TEST(Watch, JsonHoldsTheEvents) {
  const Recording r = recorded("matmul/tiled", {4, {2}});
  const auto json = parse_json(write_json(r), "watch.json");
  ASSERT_TRUE(json);
  const Json& launch = json->find("launches")->get<Json::Array>()->front();
  EXPECT_EQ(launch.find("steps")->get<Json::Array>()->size(), 21u);
  const Json& events = *launch.find("events");
  EXPECT_EQ(events.find("warp")->get<Json::Array>()->size(), 84u);
  EXPECT_EQ(events.find("begins")->get<Json::Array>()->back().as_double(), 84);
}

}  // namespace
}  // namespace ww::watch
