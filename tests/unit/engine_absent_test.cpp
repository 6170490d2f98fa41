// Lanes that a mask names and that cannot come: what an H200 did (data/measured/h200-ptx/absent_lanes.csv).
#include "engine_kernels.h"

namespace ww::engine {
namespace {

/// Lanes below 16 alone come to the instruction. %v is the lane's number + 100, and the result.
std::string half(const std::string& instruction) {
  return R"(.visible .entry k(.param .u64 out) {
.reg .b32 %v, %l, %from, %d32; .reg .b64 %d, %o; .reg .pred %p, %q;
ld.param.u64 %o, [out]; mov.u32 %l, %tid.x; add.u32 %v, %l, 100;
add.u32 %from, %l, 20; and.b32 %from, %from, 31; and.b32 %d32, %l, 1;
setp.ge.u32 %p, %l, 16; setp.ne.u32 %q, %d32, 0;
@%p bra MEET;
)" + instruction +
         R"(
MEET:
mul.wide.u32 %d, %l, 4; add.s64 %d, %d, %o; st.global.u32 [%d], %v; ret;
})";
}

Settings without_them() {
  Settings settings = Lab::small(1);
  settings.wait_for_absent = false;
  return settings;
}

TEST(AbsentLanes, AShuffleGivesZeroFromThem) {
  Lab lab(half("shfl.sync.idx.b32 %v, %v, %from, 31, 0xffffffff;"), without_them());
  const u64 out = lab.words(32);
  const RunResult ran = *lab.launch(1, 32, {out});
  EXPECT_TRUE(ran.faults.empty());
  EXPECT_NE(ran.absent.find("missing: lanes 16-31"), std::string::npos) << ran.absent;
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(lab.host(out)[l], l < 12 ? 0 : l < 16 ? l + 88 : l + 100) << l;
}

TEST(AbsentLanes, AVoteCountsThoseThatCome) {
  Lab lab(half("vote.sync.ballot.b32 %v, %q, 0xffffffff;"), without_them());
  const u64 out = lab.words(32);
  EXPECT_TRUE(lab.launch(1, 32, {out})->faults.empty());
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(lab.host(out)[l], l < 16 ? 0xaaaa : l + 100) << l;
}

TEST(AbsentLanes, OtherwiseTheLaunchEnds) {
  Lab lab(half("shfl.sync.idx.b32 %v, %v, %from, 31, 0xffffffff;"), Lab::small(1));
  const RunResult ran = *lab.launch(1, 32, {lab.words(32)});
  ASSERT_EQ(ran.faults.size(), 1u);
  EXPECT_NE(ran.faults[0].message.find("mask names lanes that do not come"), std::string::npos);
}

// As numba's reductions have it, which its tests run on cards: if (tid < 2) { …; __syncwarp(); }.
TEST(AbsentLanes, ABarrierOfTheWarpGoesOn) {
  Lab lab(half("add.u32 %v, %v, 100; bar.warp.sync 0xffffffff;"), without_them());
  const u64 out = lab.words(32);
  const RunResult ran = *lab.launch(1, 32, {out});
  EXPECT_TRUE(ran.faults.empty());
  EXPECT_NE(ran.absent.find("missing: lanes 16-31"), std::string::npos) << ran.absent;
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(lab.host(out)[l], l < 16 ? l + 200 : l + 100) << l;
}

}  // namespace
}  // namespace ww::engine
