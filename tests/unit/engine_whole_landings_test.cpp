// Whole-warp code counts where generic addresses land.
#include <fmt/format.h>

#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Threads store to shared and local memory and load from there and from anywhere in global memory, all by
/// generic addresses; `%d6` of every other lane may lead to shared memory where that of its neighbours does
/// not.
std::string generic(const std::string& more) {
  return R"(.shared .align 4 .b8 tile[1024];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<12>; .reg .pred %p<4>; .local .align 8 .b8 own[64];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2;
mov.u64 %d2, tile; cvta.shared.u64 %d2, %d2; mul.wide.u32 %d3, %r0, 4; add.s64 %d2, %d2, %d3;
st.u32 [%d2], %r3; bar.sync 0; ld.u32 %r5, [%d2]; st.u32 [%d1], %r5;
mov.u64 %d4, own; cvta.local.u64 %d4, %d4; st.u64 [%d4 + 8], %d3; ld.u32 %r6, [%d4 + 8]; st.u32 [%d1 + 4], %r6;
mul.wide.u32 %d5, %r3, 4; add.s64 %d5, %d0, %d5; ld.global.u32 %r7, [%d5]; and.b32 %r7, %r7, 255;
mul.wide.u32 %d5, %r7, 4; add.s64 %d5, %d0, %d5; ld.u32 %r8, [%d5]; st.u32 [%d1 + 8], %r8; ld.u8 %r8, [%d0 + 3]; st.u32 [%d1 + 20], %r8;
and.b32 %r9, %r0, 1; setp.eq.u32 %p0, %r9, 0; setp.gt.u32 %p1, %r7, 128; @%p1 bra ON;
ld.v2.u32 {%r11, %r12}, [%d4 + 8]; st.u32 [%d1 + 12], %r11; ld.u32 %r8, [%d5]; st.u32 [%d1 + 24], %r8;
ON: @%p0 st.u32 [%d1 + 16], %r9; selp.b64 %d6, %d2, %d5, %p0;
)" + more +
         "ret;\n}";
}

TEST(WholeWarpsLandings, AreCounted) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const u32 threads : {64u, 50u}) {
    const Outcome3 o = expect_the_same(generic(""), {12, 1, 1}, {threads, 1, 1}, true, threads == 50);
    EXPECT_TRUE(o.whole);
    u64 requests = 0, shared = 0;
    for (const auto& [instruction, landed] : o.landings)
      for (u32 s = 0; s < kLandingCount; ++s) {
        requests += landed[s].requests;
        shared += kLandings[s] == ir::Space::Shared ? landed[s].bytes : 0;
      }
    EXPECT_GE(requests, 12u * 2 * 12);
    EXPECT_EQ(shared, 12u * threads * 8);
  }
  // Lanes that land in different spaces.
  expect_the_same(generic("ld.u32 %r10, [%d6]; st.u32 [%d1 + 28], %r10;\n"), {12, 1, 1}, {64, 1, 1});
}

}  // namespace
}  // namespace ww::engine
