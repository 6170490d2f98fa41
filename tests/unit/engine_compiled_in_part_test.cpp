// A kernel whose code is made in several steps computes the same as if it had been made at once.
#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

// What is on disk may be some of a kernel's code: then that is entered, and later the rest is made. Pieces
// stand in place of handlers by then, and must not be taken for what the instructions do.
TEST(CompiledInPart, TheRestOfCodeThatIsThereInPart) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  Settings settings = Lab::small(1);
  settings.back = "interpreter";
  // The stores are where lanes come to that have parted.
  Lab lab(R"(.visible .entry k(.param .u64 out) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 8;
  ld.param.u64 %d0, [out];
  add.u64 %d0, %d0, %d1;
  and.b32 %r1, %r0, 5;
  setp.eq.u32 %p, %r1, 4;
  @%p bra ODD;
  st.global.u32 [%d0], %r0;
  add.u32 %r0, %r0, 7;
  bra END;
ODD:
  st.global.u32 [%d0], %r1;
  add.u32 %r0, %r0, 9;
END:
  st.global.u32 [%d0+4], %r0;
  ret;
})",
          settings);
  constexpr u32 kThreads = 40, kWords = 2 * kThreads;
  const u64 out = lab.words(kWords);
  const auto results = [&] {
    std::fill_n(lab.host(out), kWords, 0);
    EXPECT_TRUE(lab.launch(1, kThreads, {out}));
    return std::vector<u32>(lab.host(out), lab.host(out) + kWords);
  };
  const std::vector<u32> interpreted = results();
  ASSERT_EQ(lab.module->programs.size(), 1u);
  Program& program = *lab.module->programs.begin()->second;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (int time = 0; time < 2; ++time) {
    ASSERT_GE(compile(program, *lane_code(), Compiled::All, why), Compiled::All) << why;
    EXPECT_EQ(results(), interpreted) << "time " << time;
  }
}

}  // namespace
}  // namespace ww::engine
