// The activity of a small launch against counting by hand.
#include "model/activity_of.h"

#include <gtest/gtest.h>

#include "counters/gpu_counters.h"
#include "gpus/catalog.h"
#include "model/pace.h"
#include "ptx/parser.h"

namespace ww::model {
namespace {

// Each thread: out[i] = S[i] of the neighbour, where S[i] = in[i]² + in[i]; one barrier in between.
constexpr const char* kText = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<5>;
  .shared .align 4 .b8 S[256];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  fma.rn.f32 %f2, %f1, %f1, %f1;
  mov.u32 %r2, S;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  st.shared.f32 [%r4], %f2;
  bar.sync 0;
  xor.b32 %r5, %r3, 4;
  add.s32 %r6, %r2, %r5;
  ld.shared.f32 %f3, [%r6];
  st.global.f32 [%rd4], %f3;
  ret;
}
)";

// The first thread of a block fences before the others go on; the first of block 3 does so once more behind
// that, and loads.
constexpr const char* kTicket = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $met;
  st.global.u32 [%rd1], %r1;
  membar.gl;
$met:
  bar.sync 0;
  mov.u32 %r2, %ctaid.x;
  setp.ne.u32 %p2, %r2, 3;
  @%p2 bra $done;
  membar.gl;
  bar.sync 0;
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd1], %f2;
$done:
  ret;
}
)";

struct Ran {
  engine::Engine engine{engine::Settings{.threads = 1}};
  sampling::CountedRun run;

  explicit Ran(const gpus::Gpu& gpu, const char* text = kText) {
    auto module = ptx::parse("k.ptx", text);
    EXPECT_TRUE(module.ok());
    auto loaded = engine.load(std::make_shared<ir::Module>(std::move(*module)));
    const engine::u64 buffer = *engine.memory().allocate(256);
    engine::LaunchRequest request;
    request.kernel = "k";
    request.grid = {4, 1, 1}, request.block = {64, 1, 1};
    const auto* raw = reinterpret_cast<const uint8_t*>(&buffer);
    request.arguments = {{raw, raw + sizeof buffer}};
    sampling::CountPlan plan;
    plan.capabilities = {rules::capability(gpu)};
    auto counted = sampling::run_counted(engine, **loaded, request, plan);
    EXPECT_TRUE(counted.ok()) << (counted.ok() ? "" : render(counted.error()));
    run = std::move(*counted);
  }
};

constexpr LaunchFacts kFacts{.blocks = 4, .threads_per_block = 64, .registers = 32};

Activity of(const char* id, const MemoryFacts& memory = {}) {
  const auto gpu = *gpus::find_gpu(id);
  Ran ran(gpu);
  return activity_of(code_work(ran.run, gpu, kFacts), ran.run, gpu, memory);
}

TEST(ActivityOf, CountsEightWarpsByHand) {
  const Activity a = of("h200");
  EXPECT_EQ(a.fp32, 8);
  EXPECT_EQ(a.int_mul, 8);      // the address: one multiply-add
  EXPECT_EQ(a.int_alu, 8 * 4);  // shl, add, xor, add
  EXPECT_EQ(a.load_store, 8 * 4);
  EXPECT_EQ(a.other, 8 * 3);  // %tid.x, barrier, ret
  EXPECT_EQ(a.instructions(), 8 * 13);
  EXPECT_EQ(a.shared, 256);
  EXPECT_EQ(a.parameters, 8);
  EXPECT_EQ(a.shared_load_wavefronts, 8);
  EXPECT_EQ(a.shared_store_wavefronts, 8);
  EXPECT_EQ(a.shared_conflicts, 0);
  EXPECT_EQ(a.global_wavefronts, 16);
  EXPECT_EQ(a.global_load_sectors, 8 * 4);
  EXPECT_EQ(a.barriers, 1);
  EXPECT_EQ(a.global_rounds, 1);
  EXPECT_EQ(a.shared_rounds, 1);
  // In the interval that loads: %tid.x, address, load, fma, shl, add, store, barrier.
  EXPECT_NEAR(a.overlap, 8.0 / 13, 1e-6);
}

TEST(ActivityOf, OldGpusMoveTheirTransactions) {
  const Activity a = of("gt240");
  // A half-warp in order: one transaction of 64 bytes; 16 half-warps.
  EXPECT_EQ(a.dram_bytes_read, 16 * 64);
  EXPECT_EQ(a.dram_bytes_written, 16 * 64);
  EXPECT_EQ(a.int_alu, 8 * 5);  // the 64-bit sum is one instruction of 32
}

TEST(ActivityOf, WithoutCachesBuffersMoveOnce) {
  MemoryFacts facts;
  facts.buffers = 256;
  EXPECT_EQ(of("h200", facts).dram_bytes_read, 256);  // 32 sectors were asked for: 1024 bytes
  EXPECT_EQ(of("h200").dram_bytes_read, 1024);
}

TEST(ActivityOf, WhatOneThreadOrOneBlockDoesOthersWaitFor) {
  const auto gpu = *gpus::find_gpu("h200");
  const Ran ran(gpu, kTicket);
  const Activity a = activity_of(code_work(ran.run, gpu, kFacts), ran.run, gpu, {});
  EXPECT_EQ(a.fences, 1);    // one of two warps executes it, the other waits
  EXPECT_EQ(a.barriers, 1);  // block 3 meets once more, behind all others:
  EXPECT_GE(a.alone, *gpu.fence_latency + *gpu.l2_latency + *gpu.barrier_latency);
  EXPECT_LT(a.alone, *gpu.fence_latency + *gpu.l2_latency + 10 * *gpu.barrier_latency);
}

TEST(PaceOf, SharesTheSmOutToItsRequests) {
  const auto gpu = *gpus::find_gpu("h200");
  Ran ran(gpu);
  const caches::Pace p = pace_of(code_work(ran.run, gpu, kFacts), ran.run, gpu);
  // 8 warps load and store once: 16 requests. Of the stations of an SM the banks are the busiest: 16 passes
  // of shared memory, 16 of L1; the issue slots need 8 · 13 / 4 clocks.
  EXPECT_EQ(p.request, 2);
  EXPECT_EQ(p.round_loads, 1);
  EXPECT_GE(p.round_own, gpu.shared_latency->value + gpu.barrier_latency->value);
  EXPECT_EQ(p.l2, gpu.l2_latency->value);
  EXPECT_EQ(p.dram, gpu.dram_latency->value);
  EXPECT_TRUE(p.oldest_first);
  EXPECT_FALSE(p.saturates(8));
  EXPECT_TRUE(p.saturates(1000));
  const auto older = *gpus::find_gpu("gtx1080");
  const Ran there(older);
  EXPECT_FALSE(pace_of(code_work(there.run, older, kFacts), there.run, older).oldest_first);
}

}  // namespace
}  // namespace ww::model
