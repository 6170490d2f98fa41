// Addresses that are known by their terms or moved from before, and what blocks take over from the block
// before them: the result must be that of looking every address up. Expected values are worked out by hand.
#include <atomic>
#include <thread>

#include "engine/memory/memory.h"
#include "engine/schedule/worker_pool.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

const std::string kAddressesHead = R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>;
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mad.lo.s32 %r3, %r1, %r2, %r0;
)";

/// Words `in`[i] = 3 i + 1, of which the kernel makes `out`.
struct Words : Lab {
  u64 in, out;
  size_t count;
  Words(const std::string& body, size_t n)
      : Lab(kAddressesHead + body + "}\n"), in(words(n)), out(words(n)), count(n) {
    for (size_t i = 0; i < n; ++i) host(in)[i] = static_cast<u32>(3 * i + 1);
  }
};

TEST(Addresses, OfBlocksFollowTheirBlock) {
  Words lab(R"(
  mul.wide.s32 %rd2, %r3, 4;
  add.s64 %rd3, %rd0, %rd2;
  ld.global.u32 %r4, [%rd3];
  add.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4], %r4;
  ret;
)",
            64 * 17);
  ASSERT_EQ(lab.fault(34, 32, {lab.in, lab.out}), "");
  for (u32 i = 0; i < lab.count; ++i) ASSERT_EQ(lab.host(lab.out)[i], 3 * i + 1) << i;
}

// All elements of such vectors go together, so that they take another way than plain ones.
TEST(Addresses, OfVectorsThatOthersMayWaitForFollowTheirBlock) {
  for (const auto& [load, store] :
       {std::pair{"ld.global.cg", "st.global.wt"}, std::pair{"ld.volatile.global", "st.volatile.global"},
        std::pair{"ld.relaxed.gpu.global", "st.relaxed.gpu.global"}}) {
    Words lab(std::string(R"(
  mul.wide.s32 %rd2, %r3, 16;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
)") + "  " + load +
                  ".v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];\n  " + store +
                  ".v4.u32 [%rd4], {%r4, %r5, %r6, %r7};\n  ret;\n",
              4 * 32 * 4);
    ASSERT_EQ(lab.fault(4, 32, {lab.in, lab.out}), "");
    for (u32 i = 0; i < lab.count; ++i) ASSERT_EQ(lab.host(lab.out)[i], 3 * i + 1) << load << ' ' << i;
  }
}

// Odd lanes compute the address in another turn than even ones; all of them use it together afterwards.
TEST(Addresses, ComputedByDividedLanesAreUsedTogether) {
  Words lab(R"(
  mov.u32 %r9, 0;
AGAIN:
  and.b32 %r5, %r0, 1;
  setp.eq.u32 %p1, %r5, %r9;
  @!%p1 bra SKIP;
  shl.b32 %r6, %r0, 1;
  mul.wide.u32 %rd2, %r6, 4;
  add.s64 %rd3, %rd0, %rd2;
SKIP:
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, 2;
  @%p2 bra AGAIN;
  ld.global.u32 %r4, [%rd3];
  mul.wide.s32 %rd5, %r3, 4;
  add.s64 %rd4, %rd1, %rd5;
  st.global.u32 [%rd4], %r4;
  ret;
)",
            64);
  ASSERT_EQ(lab.fault(1, 32, {lab.in, lab.out}), "");
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(lab.host(lab.out)[i], 3 * (2 * i) + 1) << i;
}

// The index goes through zero, so unsigned it wraps around and signed it does not.
TEST(Addresses, SignedIndicesMayBeNegative) {
  Words lab(R"(
  sub.s32 %r4, %r3, 16;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd0, %rd2;
  ld.global.u32 %r5, [%rd3+64];
  mul.wide.s32 %rd5, %r3, 4;
  add.s64 %rd4, %rd1, %rd5;
  st.global.u32 [%rd4], %r5;
  ret;
)",
            128);
  ASSERT_EQ(lab.fault(4, 32, {lab.in, lab.out}), "");
  for (u32 i = 0; i < 128; ++i) EXPECT_EQ(lab.host(lab.out)[i], 3 * i + 1) << i;
}

// The second block's last lane is the first one beyond the end.
TEST(Addresses, ThatMoveOutOfTheAllocationAreFound) {
  Words lab(R"(
  mul.wide.s32 %rd2, %r3, 4;
  add.s64 %rd3, %rd0, %rd2;
  ld.global.u32 %r4, [%rd3];
  add.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4], %r4;
  ret;
)",
            63);
  EXPECT_TRUE(
      says(lab.fault(2, 32, {lab.in, lab.out}), {"out-of-bounds read", "block (1,0,0), thread (31,0,0)"}));
}

TEST(Addresses, OfFreedMemoryAreFoundAfterItWasReadBefore) {
  Words lab(R"(
  mul.wide.s32 %rd2, %r3, 4;
  add.s64 %rd3, %rd0, %rd2;
  ld.global.u32 %r4, [%rd3];
  ret;
)",
            64);
  ASSERT_EQ(lab.fault(2, 32, {lab.in, lab.out}), "");
  ASSERT_TRUE(lab.engine.memory().free(lab.in));
  EXPECT_TRUE(says(lab.fault(2, 32, {lab.in, lab.out}), {"use after free"}));
}

// What is the same in every block is computed once, what a block did not write it finds zero.
TEST(Addresses, RegistersOfTheBlockBeforeAreGone) {
  Words lab(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mov.u32 %r5, 77;
  add.u32 %r6, %r5, %r0;
  mul.wide.s32 %rd2, %r3, 4;
  add.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4], %r6;
  ret;
)",
            96);
  ASSERT_EQ(lab.fault(3, 32, {lab.in, lab.out}), "");
  for (u32 i = 0; i < 96; ++i) EXPECT_EQ(lab.host(lab.out)[i], (i < 32 ? 77 : 0) + i % 32) << i;
}

TEST(Addresses, LaunchesOfOneKernelDoNotShareParameters) {
  Words lab(R"(
  mul.wide.s32 %rd2, %r3, 4;
  add.s64 %rd3, %rd0, %rd2;
  ld.global.u32 %r4, [%rd3];
  add.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4], %r4;
  ret;
)",
            64);
  const u64 other = lab.words(64);
  ASSERT_EQ(lab.fault(2, 32, {lab.in, lab.out}), "");
  ASSERT_EQ(lab.fault(2, 32, {lab.out, other}), "");
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(lab.host(other)[i], 3 * i + 1) << i;
}

TEST(Atomics, OfSharedMemoryAddUp) {
  Lab lab(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 bins[16];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, bins;
  and.b32 %r2, %r0, 3;
  shl.b32 %r3, %r2, 2;
  add.u32 %r3, %r3, %r1;
  mov.u32 %r4, 0;
  st.shared.u32 [%r3], %r4;
  bar.sync 0;
  atom.shared.add.u32 %r5, [%r3], %r0;
  bar.sync 0;
  ld.shared.u32 %r6, [%r3];
  mul.wide.u32 %rd1, %r0, 8;
  add.u64 %rd2, %rd0, %rd1;
  st.global.u32 [%rd2], %r5;
  st.global.u32 [%rd2+4], %r6;
  ret;
}
)");
  const u64 out = lab.words(64);
  ASSERT_EQ(lab.fault(1, 32, {out}), "");
  for (u32 i = 0; i < 32; ++i) {
    u32 before = 0, all = 0;
    for (u32 k = i % 4; k < 32; k += 4) before += k < i ? k : 0, all += k;
    EXPECT_EQ(lab.host(out)[2 * i], before) << i;
    EXPECT_EQ(lab.host(out)[2 * i + 1], all) << i;
  }
}

TEST(AllocationCache, FindsWhatTheMemoryFinds) {
  GlobalMemory memory(64 << 20);
  AllocationCache cache(memory);
  std::vector<u64> live;
  for (int k = 0; k < 40; ++k) live.push_back(*memory.allocate(100));
  for (int round = 0; round < 3; ++round) {
    for (u64 at : live) {
      EXPECT_EQ(cache.find(at).base, at);
      EXPECT_EQ(cache.find(at + 99).size, 100u);
      EXPECT_EQ(cache.find(at + 100).size, 0u);
    }
    ASSERT_TRUE(memory.free(live[static_cast<size_t>(7 * round)]));
    EXPECT_EQ(cache.find(live[static_cast<size_t>(7 * round)]).size, 0u);
    live.erase(live.begin() + 7 * round);
    live.push_back(*memory.allocate(100));
  }
}

// What every block computes anew is done once for each warp; accumulators of wgmma are not, which it reads
// and writes. Matrices of ones: each sum is K = 16.
TEST(Blocks, AccumulateFromTheStart) {
  Words lab(R"(
  .shared .align 128 .b8 ones[2048];
  .reg .f32 %f<4>;
  shl.b32 %r4, %r0, 4;
  mov.u32 %r5, ones;
  add.u32 %r4, %r4, %r5;
  mov.u32 %r6, 0x3c003c00;
  st.shared.v4.b32 [%r4], {%r6, %r6, %r6, %r6};
  bar.sync 0;
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, %f0;
  mov.f32 %f2, %f0;
  mov.f32 %f3, %f0;
  setp.eq.u32 %p0, 0, 0;
  mov.b64 %rd2, 0x1000080000;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, %p0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.f32 %f0, %f0, %f3;
  cvt.rzi.u32.f32 %r7, %f0;
  mul.wide.s32 %rd5, %r3, 4;
  add.s64 %rd4, %rd1, %rd5;
  st.global.u32 [%rd4], %r7;
  ret;
)",
            128 * 5);
  ASSERT_EQ(lab.fault(5, 128, {lab.in, lab.out}), "");
  for (u32 i = 0; i < lab.count; ++i) ASSERT_EQ(lab.host(lab.out)[i], 32u) << i;
}

TEST(WorkerPool, RunsEveryShareAtMostOnceAndTheFirstAlways) {
  WorkerPool pool;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> runs[4] = {};
    pool.run(4, [&](int k) { ++runs[k]; });
    EXPECT_EQ(runs[0], 1);
    for (const auto& r : runs) EXPECT_LE(r, 1);
  }
}

TEST(WorkerPool, ServesSeveralCallersAtOnce) {
  WorkerPool pool;
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int> left{64};
        pool.run(3, [&](int) {
          while (left.fetch_sub(1) > 0) done.fetch_add(1);
        });
      }
    });
  for (auto& t : callers) t.join();
  EXPECT_EQ(done, 4 * 100 * 64);
}

}  // namespace
}  // namespace ww::engine
