// When kernels are compiled: what asks for it, what makes it worth while, and a process that ends meanwhile.
#include <fmt/format.h>

#include <thread>

#include "engine/compile/background.h"
#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

TEST(Compiling, WordsOfTheOption) {
  EXPECT_EQ(back_of(""), Back::Auto);
  EXPECT_EQ(back_of("auto"), Back::Auto);
  EXPECT_EQ(back_of("interpreter"), Back::Interpreter);
  EXPECT_EQ(back_of("compiled"), Back::Compiled);
  EXPECT_EQ(back_of("fast"), std::nullopt);
}

// A few warps that leave whole-warp code and then go round a loop for long count by their rounds: pieces are
// worth compiling for them.
TEST(Compiling, LongLoopsOfFewWarpsCount) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  // Lanes 16 to 31 wait at the barrier, which whole-warp code leaves to the interpreter, until the others
  // have gone round.
  Lab lab(R"(.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %d<3>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
  sub.u32 %r3, %r0, 16;
  ld.param.u64 %d0, [out];
  mul.wide.u32 %d1, %r3, 4;
  and.b64 %d1, %d1, 124;
  add.u64 %d0, %d0, %d1;
L:
  mad.lo.u32 %r1, %r1, 3, %r0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 100000;
  @%p1 bra L;
  st.global.u32 [%d0], %r1;
  ret;
})",
          [] {
            Settings s = Lab::small(1);
            s.back = "interpreter";
            return s;
          }());
  const u64 out = lab.words(32);
  ASSERT_TRUE(lab.launch(1, 32, {out}));
  ASSERT_EQ(lab.module->programs.size(), 1u);
  Program& program = *lab.module->programs.begin()->second;
  std::string why;
  ASSERT_EQ(compile(program, *lane_code(), Compiled::Parted, why), Compiled::Parted) << why;
  program.compiled = Compiled::Parted;
  ASSERT_TRUE(lab.launch(1, 32, {out}));
  EXPECT_GE(program.left.load(), 20000u);  // a quarter for a round, but for what was not told yet
}

// A thread that is not the main one ends the process while the compiler is at work on thousands of
// instructions.
TEST(CompilingDeathTest, ExitWhileCompiling) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto end = [] {
    std::string body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\n";
    for (u32 k = 0; k < 1000; ++k)
      body += fmt::format("mad.lo.u32 %r1, %r0, {}, %r1; sin.approx.f32 %r2, %r1;\n", k);
    auto parsed = ptx::parse("t.ptx",
                             ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n"
                             ".reg .b32 %r<3>;\n" +
                                 body + "ret;\n}\n");
    const auto module = std::make_shared<const ir::Module>(std::move(*parsed));
    DecodeOptions options;
    options.lanes = lane_code();
    auto program = decode(module, *module->find_function("k"), {}, options);
    compile_later(std::shared_ptr<Program>(std::move(program).value()), *lane_code());
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      std::exit(7);
    }).join();
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace ww::engine
