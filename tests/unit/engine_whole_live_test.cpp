// Which registers whole-warp code takes over from the interpreter and gives back: only those that are still
// read.
#include "engine/compile/whole_live.h"

#include <algorithm>

#include "engine/compile/whole_plan.h"
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Forty words are added up before a barrier, behind which the first thread waits for a word of memory.
/// `in_the_loop`: what it does there, which the interpreter does.
std::string waits_behind_a_barrier(const std::string& in_the_loop) {
  std::string loads, sums;
  for (u32 k = 0; k < 40; ++k) {
    loads += fmt::format("ld.global.u32 %r{}, [%d0 + {}];\n", 10 + k, 4 * k);
    sums += fmt::format("add.u32 %r3, %r3, %r{};\n", 10 + k);
  }
  return fmt::format(
      R"(.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<60>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r3, 0;
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r4, %r1, %r2, %r0;
mul.wide.u32 %d2, %r4, 64; add.s64 %d2, %d1, %d2; mul.wide.u32 %d3, %r0, 4; add.s64 %d0, %d0, %d3;
{loads}{sums}bar.sync 0;
mov.u32 %r5, 0;
LOOK: ld.volatile.global.u32 %r6, [%d2]; setp.eq.u32 %p0, %r6, 7; @%p0 bra DONE;
{in_the_loop}
add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra LOOK;
DONE: st.global.u32 [%d2 + 4], %r3; st.global.u32 [%d2 + 8], %r5; ret;
}})",
      fmt::arg("loads", loads), fmt::arg("sums", sums), fmt::arg("in_the_loop", in_the_loop));
}

const char* const kSleeps = "nanosleep.u32 20;";
/// (What is compared is never so.)
const char* const kAsserts = R"(setp.gt.u32 %p2, %r5, 1000; @!%p2 bra GOOD;
{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.param.b64 [a], %d0; st.param.b64 [b], %d0; st.param.b32 [c], %r5; st.param.b64 [d], %d0; st.param.b64 [e], %d1;
call.uni __assertfail, (a, b, c, d, e); }
GOOD:)";

/// Where the interpreter goes on it needs what is read there and behind, or, if it is not known what that is,
/// all.
TEST(LiveSlots, OnlyWhatIsReadWhereTheInterpreterGoesOn) {
  using Kind = CompileStep::Kind;
  const u32 first = kFrameStart, second = first + 128, third = second + 128;
  std::vector<WholeSlot> slots(3);
  std::vector<Inst> code(4);  // the first slot is read by what the interpreter does, the second behind it
  std::vector<CompileStep> steps(4);
  for (u32 n = 0; n < 3; ++n) slots[n].offset = first + 128 * n, slots[n].bytes = 128;
  code[0].dst = third, steps[0].kind = Kind::Row;
  steps[1].kind = Kind::Other, steps[1].reads = 1;
  code[2].src[0] = second, code[2].dst = third, steps[2].kind = Kind::Row;
  steps[3].kind = Kind::End, steps[3].ends = true;
  for (const bool known : {true, false}) {
    steps[1].goes_on = known;
    const LiveSlots live(code.data(), steps.data(), 4, &first, slots.data(), 3);
    EXPECT_TRUE(live[1][0]);
    EXPECT_TRUE(live[1][1]);
    EXPECT_EQ(live[1][2], !known);
  }
}

/// CUB's kernels sleep while they wait. All registers were kept for that once, from the first barrier on:
/// they took ten times as long to compile and six times as long to run.
TEST(LiveSlots, FewBehindABarrier) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  for (const char* in_the_loop : {kSleeps, kAsserts}) {
    SCOPED_TRACE(in_the_loop);
    Settings settings = Lab::small(1);
    settings.back = "interpreter";
    Lab lab(waits_behind_a_barrier(in_the_loop), settings);
    LaunchRequest request;
    request.kernel = "k";
    request.grid = {1, 1, 1};
    request.block = {64, 1, 1};
    request.arguments = {argument(lab.words(kInWords)), argument(lab.words(64 * kOutWords))};
    ASSERT_TRUE(lab.engine.run(*lab.module, request));
    const Program& program = *lab.module->programs.begin()->second;
    const FunctionCode& entry = *program.functions[0];
    std::vector<CompileStep> steps = steps_of(entry, *lane_code());
    std::vector<WholeSlot> slots;
    std::vector<u32> operands;
    std::vector<u8> image;
    ASSERT_TRUE(plan_whole(program, entry, *lane_code(), steps, slots, operands, image));
    const LiveSlots live(entry.code.data(), steps.data(), static_cast<u32>(steps.size()), operands.data(),
                         slots.data(), static_cast<u32>(slots.size()));
    const auto barrier = std::find_if(
        steps.begin(), steps.end(), [](const CompileStep& s) { return s.kind == CompileStep::Kind::Pause; });
    ASSERT_NE(barrier, steps.end());
    u32 count = 0;
    for (u32 n = 0; n < slots.size(); ++n)
      count +=
          live[static_cast<size_t>(barrier - steps.begin()) + 1][n] && slots[n].from == WholeSlot::From::Code;
    EXPECT_GE(count, 2u);  // the sum and an address
    EXPECT_LE(count, 10u);
  }
}

TEST(LiveSlots, TheInterpreterFindsWhatItNeeds) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const auto input = [](u32 k) { return k * 2654435761u >> (k % 29); };  // run_with() fills it so
  for (const char* in_the_loop : {kSleeps, kAsserts}) {
    SCOPED_TRACE(in_the_loop);
    const Outcome3 o = expect_the_same(waits_behind_a_barrier(in_the_loop), {3, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(o.whole);
    for (u32 k = 0; k < 3 * 64 && !HasFailure(); ++k) {
      u32 sum = 0;
      for (u32 n = 0; n < 40; ++n) sum += input(k % 64 + n);
      EXPECT_EQ(o.memory[k * kOutWords + 1], sum);
      EXPECT_EQ(o.memory[k * kOutWords + 2], 3u);
    }
  }
}

}  // namespace
}  // namespace ww::engine
