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
    plan.traced_blocks = 4;
    auto counted = sampling::run_counted(engine, **loaded, request, plan);
    EXPECT_TRUE(counted.ok()) << (counted.ok() ? "" : render(counted.error()));
    run = std::move(*counted);
  }
};

constexpr LaunchFacts kFacts{.blocks = 4, .threads_per_block = 64, .registers = 32};

CodeWork work_of(const sampling::CountedRun& run, const gpus::Gpu& gpu) {
  return code_work(run, gpu, kFacts, kernel_code(*run.run.program, gpu, kFacts.registers));
}

Activity of(const char* id, const MemoryFacts& memory = {}) {
  const auto gpu = *gpus::find_gpu(id);
  Ran ran(gpu);
  return activity_of(work_of(ran.run, gpu), ran.run, gpu, memory);
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
  const Activity a = activity_of(work_of(ran.run, gpu), ran.run, gpu, {});
  EXPECT_EQ(a.fences, 1);    // one of two warps executes it, the other waits
  EXPECT_EQ(a.barriers, 1);  // block 3 meets once more, behind all others:
  EXPECT_GE(a.alone, *gpu.fence_latency + *gpu.l2_latency + *gpu.barrier_latency);
  EXPECT_LT(a.alone, *gpu.fence_latency + *gpu.l2_latency + 10 * *gpu.barrier_latency);
}

/// Eight warps multiply one pair of matrices each; `mma` is the instruction without operands.
Activity of_products(const char* id, std::string mma, int a, int b) {
  const auto gpu = *gpus::find_gpu(id);
  const auto registers = [](const char* kind, int n) {
    std::string out = "{";
    for (int k = 0; k < n; ++k) out += (k ? ", " : "") + std::string(kind) + std::to_string(k);
    return out + "}";
  };
  const bool integers = mma.find("s32") != std::string::npos;
  const std::string c = registers(integers ? "%i" : "%f", 4);
  mma += " " + c + ", " + registers("%a", a) + ", " + registers("%b", b) + ", " + c + ";";
  const std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .f32 %f<4>; .reg .b32 %a<4>; .reg .b32 %b<4>; .reg .b32 %i<4>;
  )" + mma + "\n  ret;\n}\n";
  Ran ran(gpu, text.c_str());
  return activity_of(work_of(ran.run, gpu), ran.run, gpu, {});
}

// A warp's 16 · 8 · 16 multiply-adds; whitepapers: INT8 at twice FP16's rate, TF32 at half of it, GeForce
// with FP32 sums at half of it.
TEST(ActivityOf, ProductsAreCountedAsSoManyOfFp16) {
  const char* fp16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  EXPECT_EQ(of_products("a100", fp16, 4, 2).tensor_multiplies, 8 * 2048);
  EXPECT_EQ(of_products("rtx4090", fp16, 4, 2).tensor_multiplies, 2 * 8 * 2048);
  EXPECT_NEAR(of_products("h200", fp16, 4, 2).tensor_multiplies, 8 * 2048 / 0.629, 1e-6);
  EXPECT_EQ(of_products("a100", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2).tensor_multiplies,
            8 * 2048);
  EXPECT_EQ(of_products("rtx4090", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2).tensor_multiplies,
            8 * 2048);
}

// The first thread of each block has 256 bytes copied to shared memory.
constexpr const char* kBulk = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;
  .shared .align 16 .b8 S[256];
  .shared .align 8 .b8 B[8];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [B], 1;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [B], 256;
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [S], [%rd1], 256, [B];
  ret;
}
)";

TEST(ActivityOf, BulkCopiesGoThroughL2Alone) {
  const auto gpu = *gpus::find_gpu("h200");
  Ran ran(gpu, kBulk);
  const CodeWork code = work_of(ran.run, gpu);
  EXPECT_EQ(code.activity.bulk_operations, 4);
  counters::CacheRun caches{caches::cache_setup(gpu, 1, 0), {}};
  caches.setup.l2_parts = 1;
  caches.replay = caches::replay(*ran.run.trace, caches.setup, 1 << 20);
  EXPECT_TRUE(caches.replay.whole);
  EXPECT_EQ(caches.replay.counts.bulk_sectors, 4 * 8u);
  EXPECT_EQ(caches.replay.counts.load_sectors, 0u);
  EXPECT_EQ(caches.replay.counts.l1_lookups, 0u);
  const auto figures = counters::cache_figures(&caches, ran.run.of(rules::capability(gpu)), gpu);
  ASSERT_TRUE(figures);
  MemoryFacts facts;
  facts.caches = &*figures;
  const Activity a = activity_of(code, ran.run, gpu, facts);
  EXPECT_EQ(a.global_load_sectors, 0);
  EXPECT_EQ(a.l2_read_sectors + static_cast<double>(caches.replay.counts.l2_joined), 4 * 8);
  EXPECT_EQ(a.dram_bytes_read, 256);
  EXPECT_EQ(a.bulk_operations, 0);  // their way is known: nothing is left out
}

TEST(PaceOf, SharesTheSmOutToItsRequests) {
  const auto gpu = *gpus::find_gpu("h200");
  Ran ran(gpu);
  const caches::Pace p = pace_of(work_of(ran.run, gpu), ran.run, gpu);
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
  EXPECT_FALSE(pace_of(work_of(there.run, older), there.run, older).oldest_first);
}

}  // namespace
}  // namespace ww::model
