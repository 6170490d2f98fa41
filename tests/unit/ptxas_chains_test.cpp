// What runs one after another in small kernels, counted by hand.
#include <gtest/gtest.h>

#include "ptx/parser.h"
#include "ptxas/chains.h"
#include "ptxas/pressure.h"

namespace ww::ptxas {
namespace {

ir::Module parsed(const std::string& body) {
  auto module = ptx::parse(
      "test.ptx",
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : render(module.error()));
  return *module;
}

std::vector<Stretch> stretches(const ir::Module& m) {
  const ir::Function& f = m.functions.at(0);
  return stretches_of(f, machine_code(m, f, 90), {});
}

constexpr const char* kRegisters =
    ".reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n.shared .align 4 .b8 S[1024];\n";

TEST(Chains, LoadsSideBySideAreOneRound) {
  const auto m = parsed(std::string(kRegisters) +
                        "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
                        "add.f32 %f3, %f1, %f2;\nst.global.f32 [%rd1], %f3;\nret;\n");
  const auto s = stretches(m);
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].once.global, 1);
  EXPECT_EQ(s[0].once.alu, 2);  // the addition, and the store that needs it
}

TEST(Chains, ALoadedAddressIsASecondRound) {
  const auto m = parsed(std::string(kRegisters) +
                        "ld.param.u64 %rd1, [p];\nld.global.u64 %rd2, [%rd1];\nld.global.f32 %f2, [%rd2];\n"
                        "st.global.f32 [%rd1], %f2;\nret;\n");
  EXPECT_EQ(stretches(m)[0].once.global, 2);
}

// A guarded load per element, as matmul/tiles has them: ptxas predicates them (seen in its code for sm_90),
// so they go together.
TEST(Chains, ShortBranchesArePredicates) {
  const auto m = parsed(std::string(kRegisters) + R"(
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  setp.gt.s32 %p1, %r1, 5;
  mov.f32 %f1, 0f00000000;
  @%p1 bra A;
  ld.global.f32 %f1, [%rd1];
A:
  st.shared.f32 [S], %f1;
  mov.f32 %f2, 0f00000000;
  setp.gt.s32 %p2, %r1, 6;
  @%p2 bra B;
  ld.global.f32 %f2, [%rd1+4];
B:
  st.shared.f32 [S+4], %f2;
  bar.sync 0;
  ld.shared.f32 %f3, [S+8];
  st.global.f32 [%rd1], %f3;
  ret;
)");
  const auto s = stretches(m);
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].blocks.size(), 5u);
  EXPECT_EQ(s[0].once.global, 1);
  EXPECT_EQ(s[0].once.shared, 1);  // behind the barrier, so behind the global loads
}

TEST(Chains, SmallLoopsAreUnrolledWhereTheirRoundsCanBeCounted) {
  const std::string loop = R"(
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 0;
  mov.f32 %f2, 0f00000000;
A:
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f2, %f1;
  BARRIER
  add.s64 %rd1, %rd1, 4;
  add.s32 %r1, %r1, STEP;
  setp.lt.s32 %p1, %r1, 100;
  @%p1 bra A;
  st.global.f32 [%rd1], %f2;
  ret;
)";
  const auto with = [&](const char* barrier, const char* step = "1") {
    std::string text = loop;
    text.replace(text.find("BARRIER"), 7, barrier);
    text.replace(text.find("STEP"), 4, step);
    return stretches(parsed(kRegisters + text));
  };
  const auto free = with("");
  ASSERT_EQ(free.size(), 3u);
  EXPECT_TRUE(free[1].unrolled);
  EXPECT_EQ(free[1].once.global, 1);
  EXPECT_EQ(free[1].four.global, 1);  // four loads under way together
  EXPECT_EQ(free[1].four.alu,
            7);  // the fourth pointer, after three times two instructions, then one addition
  EXPECT_EQ(free[1].once_a_body.sum(), 2 + 1 + 1 + 1);  // pointer, counter, comparison, branch
  EXPECT_FALSE(with("bar.sync 0;")[1].unrolled);
  EXPECT_FALSE(with("", "%r2")[1].unrolled);  // as a loop that strides over a grid
}

TEST(Chains, OverlapKnowsWhichIntervalLoads) {
  const auto m = parsed(std::string(kRegisters) + R"(
  ld.param.u64 %rd1, [p];
  ld.global.f32 %f1, [%rd1];
  st.shared.f32 [S], %f1;
  bar.sync 0;
  ld.shared.f32 %f2, [S+4];
  bar.sync 0;
  st.global.f32 [%rd1], %f2;
  ret;
)");
  const auto beside = beside_global_loads(m.functions.at(0))[0];
  EXPECT_EQ(beside, (std::vector<bool>{true, true, true, true, false, false, false, false}));
}

TEST(MachineCode, WhatCostsNothingAndWhatCostsTwo) {
  const auto m = parsed(std::string(kRegisters) + R"(
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.s32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s64 %rd5, %rd4, 16;
  ld.global.f32 %f1, [%rd5];
  mul.lo.s32 %r2, %r1, %r1;
  st.global.u32 [%rd4], %r2;
  ret;
)");
  const ir::Function& f = m.functions.at(0);
  const auto sums = [&](int sm) {
    std::vector<float> out;
    const MachineCode code = machine_code(m, f, sm);
    for (const Issues& i : code[0]) out.push_back(i.sum());
    return out;
  };
  // parameter, cvta, special register, product (in the sum's multiply-add), sum, constant (in the access),
  // load, mul, store, ret
  EXPECT_EQ(sums(90), (std::vector<float>{0, 0, 1, 0, 1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(sums(61), (std::vector<float>{0, 0, 1, 1, 2, 0, 1, 1, 1, 1}));
  EXPECT_EQ(sums(12), (std::vector<float>{0, 0, 1, 1, 1, 0, 1, 1, 1, 1}));
}

// One accumulator, one pointer of two words, one counter; a load whose value lives beside them; the stack
// pointer.
TEST(Pressure, CountsWhatIsLive) {
  const auto m = parsed(std::string(kRegisters) + R"(
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.s32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  cvt.rn.f32.s32 %f2, %r1;
A:
  bar.sync 0;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f2, %f1;
  add.s64 %rd4, %rd4, 4;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p1, %r1, 100;
  @%p1 bra A;
  st.global.f32 [%rd4], %f2;
  ret;
)");
  const RegisterLimits tight{255, 0, 1};
  EXPECT_EQ(estimate_registers(m, m.functions.at(0), 61, tight), 1 + 2 + 1 + 1 + 1);
  EXPECT_EQ(estimate_registers(m, m.functions.at(0), 12, tight),
            1 + 1 + 1 + 1);  // 32-bit addresses, no stack pointer
  EXPECT_EQ(estimate_registers(m, m.functions.at(0), 61, {4, 0, 1}), 4);
}

TEST(Pressure, RoomOfLoadsAndSpills) {
  // Four loads that are all summed up behind the last.
  const auto m = parsed(std::string(kRegisters) + R"(
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.s32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd4+4];
  ld.global.f32 %f3, [%rd4+8];
  ld.global.f32 %f4, [%rd4+12];
  add.f32 %f5, %f1, %f2;
  add.f32 %f6, %f3, %f4;
  add.f32 %f7, %f5, %f6;
  st.global.f32 [%rd4], %f7;
  ret;
)");
  const ir::Function& f = m.functions.at(0);
  const auto s = stretches(m);
  const auto roomy = load_rooms(f, s, 90, 32)[0];
  EXPECT_EQ(roomy.words, 4);
  EXPECT_EQ(roomy.room, 32 - 3 - 2);              // beside the pointer and three reserved ones
  EXPECT_EQ(load_rooms(f, s, 90, 5)[0].room, 4);  // their order needs four
  EXPECT_EQ(spills_of(f, s, 90, 32)[0].words, 0);
  EXPECT_EQ(spills_of(f, s, 90, 8)[0].words, 1);  // 4 + 2 are live, 5 have room
}

}  // namespace
}  // namespace ww::ptxas
