// Longer rows for a kernel that nobody has described, and figures against counting by hand.
#include "forecast/padding.h"

#include <gtest/gtest.h>

#include <cstring>

#include "forecast/forecast.h"
#include "forecast/sentences.h"
#include "gpus/catalog.h"
#include "ptx/parser.h"

namespace ww::forecast {
namespace {

// One warp: lane i writes word i of `tile`, and reads word PITCH · i, of WIDTH bytes.
std::string kernel(int pitch, const char* type, int width) {
  std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .TYPE %f<2>;
  .shared .align 8 .b8 tile[BYTES];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mad.lo.u32 %r3, %r1, STEP, %r2;
  ld.shared.TYPE %f1, [%r3];
  mul.wide.u32 %rd2, %r1, WIDTH;
  add.s64 %rd3, %rd1, %rd2;
  st.global.TYPE [%rd3], %f1;
  ret;
}
)";
  const auto put = [&](const std::string& gap, const std::string& what) {
    for (size_t at; (at = text.find(gap)) != text.npos;) text.replace(at, gap.size(), what);
  };
  put("TYPE", type), put("BYTES", std::to_string(32 * pitch * width)),
      put("STEP", std::to_string(pitch * width));
  put("WIDTH", std::to_string(width));
  return text;
}

Figures figures(const std::string& text, const char* gpu_id) {
  const gpus::Gpu gpu = *gpus::find_gpu(gpu_id);
  const gpus::Gpu* gpus[] = {&gpu};
  engine::Engine engine{engine::Settings{.threads = 1}};
  auto module = ptx::parse("k.ptx", text);
  EXPECT_TRUE(module) << (module ? "" : render(module.error()));
  auto loaded = engine.load(std::make_shared<ir::Module>(std::move(*module)));
  const uint64_t buffer = *engine.memory().allocate(256);
  engine::LaunchRequest request;
  request.kernel = "k";
  request.grid = {4, 1, 1}, request.block = {32, 1, 1};
  const auto* raw = reinterpret_cast<const uint8_t*>(&buffer);
  request.arguments = {{raw, raw + sizeof buffer}};
  SharedAccesses shared;
  request.listeners = {&shared};
  const LaunchShape shape(request);
  auto run = sampling::run_counted(engine, **loaded, request, plan_for(gpus, shape, false));
  EXPECT_TRUE(run) << (run ? "" : render(run.error()));
  Facts facts{
      "k",    {}, shape, {{"", 32, Provenance::Input, "given"}}, buffer_bytes(engine, request.arguments),
      &shared};
  return of(*run, gpu, facts);
}

TEST(ForecastPadding, FindsTheRowsByTheLanesSteps) {
  // 32 lanes, 32 words apart: all in bank 0, 32 passes for each of 4 blocks. One word more: each its own
  // bank.
  const Figures f = figures(kernel(32, "b32", 4), "h200");
  ASSERT_TRUE(f.padding);
  ASSERT_EQ(f.padding->better.size(), 1u);
  const Padding& p = f.padding->better[0];
  EXPECT_EQ(p.array, "tile");
  EXPECT_EQ(p.columns, 32u);
  EXPECT_EQ(p.words, 1u);
  EXPECT_EQ(p.more_bytes, 4u * 32u);
  EXPECT_EQ(p.before.loads, 4u * 32u);
  EXPECT_EQ(p.before.conflicts, 4u * 31u);
  EXPECT_EQ(p.after.loads, 4u);
  EXPECT_EQ(p.after.conflicts, 0u);
  ASSERT_EQ(p.banks_before.words.size(), 32u);
  EXPECT_EQ(p.banks_before.words[3], 96u);
  EXPECT_EQ(p.banks_after.words[3], 99u);
  EXPECT_EQ(p.banks_before.passes, 32u);
  EXPECT_EQ(p.banks_after.passes, 1u);
}

TEST(ForecastPadding, FindsTheRowsWhereAWarpReadsTwoOfThem) {
  // 16 words of a row and 16 of the next, 42 words on: these are in the banks 10 to 25, and 10 to 15 are
  // taken. Rows of 48 words put them into the banks 16 to 31.
  std::string text = kernel(42, "b32", 4);
  const std::string whole = "mad.lo.u32 %r3, %r1, 168, %r2;";
  text.replace(text.find(whole), whole.size(),
               "shr.u32 %r4, %r1, 4; and.b32 %r5, %r1, 15;"
               "mad.lo.u32 %r3, %r4, 168, %r2; mad.lo.u32 %r3, %r5, 4, %r3;");
  const Figures f = figures(text, "h200");
  ASSERT_TRUE(f.padding);
  ASSERT_EQ(f.padding->better.size(), 1u);
  EXPECT_EQ(f.padding->better[0].columns, 42u);
  EXPECT_EQ(f.padding->better[0].words, 6u);
  EXPECT_EQ(f.padding->before.conflicts, 4u);  // one for each of 4 blocks
  EXPECT_EQ(f.padding->after.conflicts, 0u);
}

TEST(ForecastPadding, CallsArraysAsTheirSourceDoes) {
  EXPECT_EQ(source_name("_ZZ9transposePfPKfiE4tile"), "tile");
  EXPECT_EQ(source_name("s"), "s");  // extern __shared__ double s[]; "s" is also the mangled name of short
}

TEST(ForecastPadding, KeepsWideWordsAligned) {
  // Doubles: one word more would misalign every other row, so two are added.
  const Figures f = figures(kernel(16, "b64", 8), "h200");
  ASSERT_TRUE(f.padding);
  ASSERT_EQ(f.padding->better.size(), 1u);
  EXPECT_EQ(f.padding->better[0].columns, 32u);
  EXPECT_EQ(f.padding->better[0].words, 2u);
  // Two words of each lane; the half-warps pass one after the other, 16 lanes in one bank, then none.
  EXPECT_EQ(f.padding->better[0].banks_before.words.size(), 64u);
  EXPECT_EQ(f.padding->better[0].banks_before.lanes[3], 1u);
  EXPECT_EQ(f.padding->better[0].banks_before.words[3], 33u);
  EXPECT_EQ(f.padding->better[0].banks_before.passes, 32u);
  EXPECT_EQ(f.padding->better[0].banks_after.words[3], 35u);
  EXPECT_EQ(f.padding->better[0].banks_after.passes, 2u);
}

TEST(ForecastPadding, LeavesShortStepsAlone) {
  // Every second word: two passes, and no rows to make longer.
  const Figures f = figures(kernel(2, "b32", 4), "h200");
  ASSERT_TRUE(f.padding);
  EXPECT_TRUE(f.padding->better.empty());
  EXPECT_EQ(f.padding->before.conflicts, 4u);
}

TEST(Forecast, HasAllFiguresOfALaunch) {
  const Figures f = figures(kernel(32, "b32", 4), "h200");
  EXPECT_EQ(f.gpu, "h200");
  EXPECT_EQ(f.prediction.refused, "");
  ASSERT_NE(f.occupancy(), nullptr);
  EXPECT_EQ(f.prediction.registers.per_thread, 32);
  EXPECT_EQ(f.prediction.activity.shared_conflicts, 4 * 31);
  ASSERT_TRUE(f.caches);
  // 4 blocks write the same 128 bytes: 4 sectors each.
  EXPECT_EQ(f.caches->l2_write_sectors, 16);
  uint64_t conflicts = 0;
  for (const auto& [family, cost] : f.memory)
    if (family->name == "shared_load") conflicts = cost.conflicts;
  EXPECT_EQ(conflicts, 4u * 31u);
  // What is tried is told with its numbers: 4 of 128 wavefronts.
  const gpus::Gpu gpu = *gpus::find_gpu("h200");
  const std::string text = padding_sentence(gpu, f.prediction, *f.padding).text;
  EXPECT_NE(text.find("1 more word behind every 32 words of tile"), text.npos) << text;
  EXPECT_NE(text.find("4 of 128 wavefronts"), text.npos) << text;
}

TEST(Forecast, AnOldGpuHasNoCachesButBytes) {
  const Figures f = figures(kernel(32, "b32", 4), "gt240");
  ASSERT_TRUE(f.caches);
  EXPECT_FALSE(f.caches->cached);
  // A half-warp in order is one transaction of 64 bytes: 8 of them.
  EXPECT_EQ(f.caches->dram_bytes_written, 8 * 64);
  EXPECT_EQ(f.caches->dram_bytes_read, 0);
}

}  // namespace
}  // namespace ww::forecast
