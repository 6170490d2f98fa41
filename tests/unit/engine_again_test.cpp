// A kernel launched again: what the workers keep from the launch before (Team) must not be seen.
#include "engine_kernels.h"

namespace ww::engine {
namespace {

/// The back ends, by Settings::back.
class Again : public ::testing::TestWithParam<const char*> {
 protected:
  static Settings settings() {
    Settings s = Lab::small(1);
    s.back = GetParam();
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(Engine, Again, ::testing::Values("interpreter", "compiled"));

// out[thread] = n * n + thread + block, with n * n the same for all threads.
const char* const kSquares = R"(
.visible .entry k(.param .u64 out, .param .u64 n)
{
  .reg .b32 %r<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [n];
  mul.lo.u64 %rd2, %rd1, %rd1;
  mov.u32 %r0, %tid.x;  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r3, %r1, %r2, %r0;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd0, %rd3;
  add.u32 %r3, %r0, %r1;
  cvt.u64.u32 %rd5, %r3;
  add.u64 %rd5, %rd5, %rd2;
  st.global.u32 [%rd4], %rd5;
  ret;
}
)";

TEST_P(Again, OtherArgumentsAreTaken) {
  Lab lab(kSquares, settings());
  const u64 first = lab.words(192), second = lab.words(192);
  for (u32 n : {3u, 3u, 5u, 4u, 3u})
    for (u64 out : {first, second, second})
      for (u32 block : {64u, 40u}) {
        ASSERT_EQ(lab.fault(3, block, {out, n}), "");
        for (u32 t = 0; t < 3 * block; ++t)
          ASSERT_EQ(lab.host(out)[t], n * n + t % block + t / block) << n << " " << block << " " << t;
      }
}

// There are more threads than the host has processors, so that some come when a launch is over already, and
// then have a part in one with other arguments than they have seen.
TEST_P(Again, ThreadsComeTooLateForSomeLaunches) {
  Settings s = settings();
  s.threads = 12;
  Lab lab(kSquares, s);
  constexpr u32 kGrid = 2000, kBlock = 64, kWords = kGrid * kBlock;
  const u64 out = lab.words(kWords);
  for (u32 launch = 0; launch < 200; ++launch) {
    const u32 n = launch / 3;
    ASSERT_EQ(lab.fault(kGrid, kBlock, {out, n}), "");
    const u32* found = lab.host(out);
    for (u32 t = 0; t < kWords; ++t)
      if (const u32 value = n * n + t % kBlock + t / kBlock; found[t] != value)
        FAIL() << "launch " << launch << ", word " << t << ": " << found[t] << ", not " << value;
  }
}

TEST_P(Again, MemoryFreedBetweenIsNotWritten) {
  Lab lab(kSquares, settings());
  const u64 out = lab.words(64), other = lab.words(64);
  ASSERT_EQ(lab.fault(1, 64, {out, 2}), "");
  ASSERT_TRUE(lab.engine.memory().free(out));
  EXPECT_TRUE(says(lab.fault(1, 64, {out, 2}), {"use after free"}));
  ASSERT_EQ(lab.fault(1, 64, {other, 2}), "");
  EXPECT_EQ(lab.host(other)[63], 67u);
}

TEST_P(Again, ConstantMemoryIsReadAnew) {
  Lab lab(R"(
.const .u32 c = 7;
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  ld.const.u32 %r0, [c];
  st.global.u32 [%rd0], %r0;
  ret;
}
)",
          settings());
  const u64 out = lab.words(1);
  for (u32 value : {7u, 8u, 9u}) {
    *lab.host(lab.module->constants) = value;
    ASSERT_EQ(lab.fault(1, 32, {out}), "");
    EXPECT_EQ(*lab.host(out), value);
  }
}

// The second warp fails, or not, while the first waits for it.
TEST_P(Again, AfterAFaultNobodyWaits) {
  Lab lab(R"(
.shared .u32 s[64];
.visible .entry k(.param .u64 out, .param .u64 from)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [from];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  setp.lt.u32 %p, %r0, 32;
  mov.u32 %r1, 1;
  @%p bra MEET;
  ld.global.u32 %r1, [%rd1];
MEET:
  bar.sync 0;
  bar.red.popc.u32 %r2, 0, %p;
  add.u32 %r1, %r1, %r2;
  add.u64 %rd3, %rd0, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)",
          settings());
  const u64 out = lab.words(64), from = lab.words(1);
  *lab.host(from) = 5;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(says(lab.fault(1, 64, {out, 8}), {"out-of-bounds"}));
    ASSERT_EQ(lab.fault(1, 64, {out, from}), "");
    ASSERT_EQ(lab.fault(1, 64, {out, from}), "");
    EXPECT_EQ(lab.host(out)[0], 33u);
    EXPECT_EQ(lab.host(out)[63], 37u);
  }
}

// Each launch finds shared memory, and each call its part of local memory, as nobody has written it.
TEST_P(Again, NothingOfTheLaunchBeforeIsRead) {
  Lab lab(R"(
.shared .u32 s[32];
.func (.reg .b32 %found) deeper(.reg .b32 %depth)
{
  .local .b32 l[4];
  .reg .b32 %r<4>; .reg .pred %p;
  ld.local.u32 %r2, [l + 4];
  st.local.u32 [l + 4], %depth;
  mov.u32 %found, %r2;
  setp.eq.u32 %p, %depth, 0;
  @%p ret;
  sub.u32 %r3, %depth, 1;
  call (%r0), deeper, (%r3);
  and.b32 %found, %r0, %r2;
  ret;
}
.visible .entry k(.param .u64 out, .param .u64 depth)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r5, [depth];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  mul.lo.u32 %r4, %r0, 4;
  mov.u32 %r6, s;
  add.u32 %r4, %r4, %r6;
  ld.shared.u32 %r2, [%r4];
  st.shared.u32 [%r4], %r0;
  call (%r1), deeper, (%r5);
  and.b32 %r1, %r1, %r2;
  add.u64 %rd3, %rd0, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)",
          settings());
  const u64 out = lab.words(32);
  for (u32 depth : {0u, 3u, 1u, 9u, 2u, 9u}) {
    ASSERT_EQ(lab.fault(1, 32, {out, depth}), "");
    for (u32 l = 0; l < 32; ++l) ASSERT_EQ(lab.host(out)[l], ~0u) << depth << " " << l;
  }
}

}  // namespace
}  // namespace ww::engine
