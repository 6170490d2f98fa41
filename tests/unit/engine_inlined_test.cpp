// Functions that stand in the places of calls compute and count what they do when they are called, and are
// called where a listener is told of what others of a warp do.
#include <cstdlib>

#include "engine_random_kernel.h"

namespace ww::engine {
namespace {

/// Hears enough for calls to stay calls.
struct Calls : events::Listener {
  u32 wants() const override { return events::kWarpSyncs; }
};

Outcome3 run(const std::string& text, const char* back, bool called) {
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  Calls listener;
  return run_with(back, text, {3, 1, 1}, {80, 1, 1}, true, Listens::Not, called ? &listener : nullptr);
}

/// What it stores when its functions are called, which is the same in their places.
std::vector<u32> expect_same_as_called(const std::string& functions, const std::string& body, size_t parts) {
  const std::string text = functions + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .f32 %f<8>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 80, %r0;
mul.wide.u32 %d2, %r1, 4; add.s64 %d0, %d0, %d2; mul.wide.u32 %d2, %r1, 64; add.s64 %d1, %d1, %d2;
ld.global.u32 %r2, [%d0]; mov.u32 %r3, 0;
)" + body + "\nst.global.u32 [%d1], %r3; ret; }\n";
  const Outcome3 called = run(text, "interpreter", true);
  EXPECT_EQ(called.parts, 0u);
  const Outcome3 inlined = run(text, "interpreter", false);
  EXPECT_EQ(inlined.parts, parts);
  expect_equal(called, inlined, "interpreted" + text);
  std::string why;
  if (can_compile(*lane_code(), why)) expect_equal(called, run(text, "compiled", false), "compiled" + text);
  return called.memory;
}

/// Lanes return at different times, from loops and from under a guard, and meet behind the call.
TEST(InlinedCalls, LanesThatReturnAtDifferentTimesMeetBehindTheCall) {
  const auto memory = expect_same_as_called(R"(
.func (.param .b32 result) steps(.param .b32 n)
{ .reg .b32 %r<4>; .reg .pred %p<3>;
  ld.param.u32 %r0, [n]; mov.u32 %r1, 0;
AGAIN:
  setp.eq.u32 %p0, %r0, 1; st.param.b32 [result], %r1; @%p0 ret;
  add.u32 %r1, %r1, 1; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
  mad.lo.u32 %r0, %r0, 3, 1;
  setp.gt.u32 %p2, %r0, 5000; @%p2 bra FAR;
  bra AGAIN;
EVEN: shr.u32 %r0, %r0, 1; bra AGAIN;
FAR: add.u32 %r1, %r1, 1000; st.param.b32 [result], %r1; ret;
})",
                                            R"(
  mov.u32 %r4, 1;
LOOP:
  add.u32 %r5, %r0, %r4;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; call (b), steps, (a); ld.param.b32 %r6, [b]; }
  activemask.b32 %r7; xor.b32 %r6, %r6, %r7; mad.lo.u32 %r3, %r3, 31, %r6;
  and.b32 %r8, %r0, 3; add.u32 %r4, %r4, 1; setp.le.u32 %p0, %r4, %r8; @%p0 bra LOOP;)",
                                            2);
  // Lane 0 of the first block: one call, with 1. All lanes of its warp meet behind it.
  EXPECT_EQ(memory[0], ~0u);
}

/// Structures pass in pieces of their own sizes; one whose address is taken lies in memory.
TEST(InlinedCalls, StructuresPassInPieces) {
  expect_same_as_called(R"(
.func (.param .align 8 .b8 result[24]) mix(.param .align 8 .b8 a[24], .param .align 8 .b8 b[24])
{ .reg .b32 %r<8>; .reg .b64 %d<6>; .reg .b16 %h<6>; .reg .f32 %f<4>;
  ld.param.v2.f32 {%f0, %f1}, [a]; ld.param.u8 %r0, [a+8]; ld.param.s8 %h0, [a+9]; ld.param.u16 %r1, [a+10];
  ld.param.s32 %d0, [a+12]; ld.param.u64 %d1, [a+16];
  mov.b64 %d2, b; ld.param.u32 %r2, [b+4]; ld.param.u64 %d3, [b+16]; ld.param.u32 %r3, [%d2+12];
  add.f32 %f0, %f0, %f1; add.u32 %r0, %r0, %r2; xor.b32 %r1, %r1, %r3; add.s64 %d0, %d0, %d3;
  add.s64 %d1, %d1, %d0;
  st.param.f32 [result], %f0; st.param.b32 [result+4], %r0; st.param.b8 [result+8], %h0;
  st.param.b8 [result+9], %r1; st.param.b16 [result+10], 0x1234; st.param.b32 [result+12], %r1;
  st.param.b64 [result+16], %d1; ret;
})",
                        R"(
  cvt.u16.u32 %h0, %r2; cvt.rn.f32.u32 %f0, %r2; mul.wide.u32 %d3, %r2, 77; mov.f32 %f1, 0f3F000000;
  { .param .align 8 .b8 x[24]; .param .align 8 .b8 y[24]; .param .align 8 .b8 z[24];
  st.param.v2.f32 [x], {%f0, %f1}; st.param.b8 [x+8], %r2; st.param.b8 [x+9], %h0; st.param.b16 [x+10], %h0;
  st.param.b32 [x+12], %r2; st.param.b64 [x+16], %d3;
  st.param.b32 [y], 5; st.param.b32 [y+4], %r2; st.param.b64 [y+8], %d3; st.param.b64 [y+16], %d2;
  call (z), mix, (x, y);
  ld.param.f32 %f2, [z]; ld.param.b32 %r4, [z+4]; ld.param.s8 %r5, [z+8]; ld.param.u8 %h1, [z+9];
  ld.param.u16 %r6, [z+10]; ld.param.b32 %r7, [z+12]; ld.param.b64 %d4, [z+16]; }
  st.global.f32 [%d1+4], %f2; st.global.u32 [%d1+8], %r4; st.global.u32 [%d1+12], %r5; st.global.u16 [%d1+16], %h1;
  st.global.u32 [%d1+20], %r6; st.global.u32 [%d1+24], %r7; st.global.u64 [%d1+32], %d4;)",
                        2);
}

/// One function in two places and one within another, with variables where they would be if they were
/// called, and registers of their own each time.
TEST(InlinedCalls, FunctionsWithinFunctionsHaveVariablesOfTheirOwn) {
  expect_same_as_called(R"(
.func (.param .b64 result) inner(.param .b32 n)
{ .local .align 8 .b8 v[40]; .reg .b32 %r<3>; .reg .b64 %d<4>;
  ld.param.u32 %r0, [n]; and.b32 %r1, %r0, 7; mov.u64 %d0, v; mul.wide.u32 %d1, %r1, 4; add.s64 %d0, %d0, %d1;
  st.local.u32 [%d0], %r0; ld.local.u32 %r2, [%d0]; cvt.u64.u32 %d2, %r2; mad.lo.s64 %d2, %d2, 1000, %d0;
  st.param.b64 [result], %d2; ret; }
.func (.param .b64 result) outer(.param .b32 n)
{ .local .align 4 .b8 w[12]; .reg .b32 %r<3>; .reg .b64 %d<4>;
  ld.param.u32 %r0, [n]; st.local.u32 [w+8], %r0; add.u32 %r1, %r0, 5;
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r1; call (b), inner, (a); ld.param.b64 %d0, [b]; }
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r0; call (b), inner, (a); ld.param.b64 %d1, [b]; }
  ld.local.u32 %r2, [w+8]; cvt.u64.u32 %d2, %r2; add.s64 %d0, %d0, %d1; mad.lo.s64 %d0, %d0, 3, %d2;
  st.param.b64 [result], %d0; ret; })",
                        R"(
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r2; call (b), outer, (a); ld.param.b64 %d3, [b]; }
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r0; call (b), inner, (a); ld.param.b64 %d4, [b]; }
  st.global.u64 [%d1+8], %d3; st.global.u64 [%d1+16], %d4;)",
                        5);
}

/// Lanes that end in a function are missing behind the call; votes, shuffles and barriers are of those there.
TEST(InlinedCalls, LanesThatEndInAFunctionAreMissingBehindTheCall) {
  expect_same_as_called(R"(
.shared .align 4 .b8 tile[320];
.func (.param .b32 result) survive(.param .b32 n)
{ .reg .b32 %r<6>; .reg .pred %p<3>;
  ld.param.u32 %r0, [n]; and.b32 %r1, %r0, 7; setp.eq.u32 %p0, %r1, 3; @%p0 exit;
  activemask.b32 %r2; shfl.sync.down.b32 %r3, %r0, 1, 31, %r2; setp.gt.u32 %p1, %r1, 4; @%p1 bra HIGH;
  vote.sync.ballot.b32 %r4, %p1, %r2; add.u32 %r3, %r3, %r4; st.param.b32 [result], %r3; ret;
HIGH: mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5; atom.shared.add.u32 %r4, [%r5], %r0;
  st.param.b32 [result], %r3; ret; })",
                        R"(
  mov.u32 %r5, tile; mad.lo.u32 %r5, %r0, 4, %r5; st.shared.u32 [%r5], %r0; bar.sync 0;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), survive, (a); ld.param.b32 %r3, [b]; }
  bar.sync 0; activemask.b32 %r6; ld.shared.u32 %r7, [%r5]; st.global.u32 [%d1+4], %r6; st.global.u32 [%d1+8], %r7;)",
                        2);
}

/// Recursive functions, those called through pointers or under a guard, and those that take registers are
/// called, also from within one that is inlined.
TEST(InlinedCalls, WhatCannotBeInlinedIsCalled) {
  expect_same_as_called(R"(
.func (.param .b32 result) power(.param .b32 x, .param .b32 n)
{ .reg .b32 %r<5>; .reg .pred %p;
  ld.param.u32 %r0, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, 1; setp.eq.u32 %p, %r1, 0; @%p bra END;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 c; .param .b32 b; st.param.b32 [a], %r0; st.param.b32 [c], %r3;
  call (b), power, (a, c); ld.param.b32 %r4, [b]; }
  mul.lo.u32 %r2, %r4, %r0;
END: st.param.b32 [result], %r2; ret; }
.func (.reg .b32 %s) half(.reg .b32 %n) { shr.u32 %s, %n, 1; ret; }
.func (.param .b32 result) cube(.param .b32 x)
{ .reg .b32 %r<3>; .local .align 4 .b8 own[8]; ld.param.u32 %r0, [x]; st.local.u32 [own], %r0;
  { .param .b32 a; .param .b32 c; .param .b32 b; st.param.b32 [a], %r0; st.param.b32 [c], 3;
  call (b), power, (a, c); ld.param.b32 %r1, [b]; }
  ld.local.u32 %r2, [own]; add.u32 %r1, %r1, %r2; st.param.b32 [result], %r1; ret; })",
                        R"(
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), cube, (a); ld.param.b32 %r3, [b]; }
  setp.gt.u32 %p0, %r0, 20; @%p0 call (%r3), half, (%r3); mov.u64 %d3, cube;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; P: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (b), %d3, (a), P; ld.param.b32 %r4, [b]; }
  st.global.u32 [%d1+4], %r4;)",
                        3);
}

TEST(InlinedCalls, RandomFunctions) {
  const char* seed = std::getenv("WW_SEED");
  const char* count = std::getenv("WW_PROGRAMS");
  const u64 first = seed ? std::strtoull(seed, nullptr, 10) : 1;
  const u64 programs = count ? std::strtoull(count, nullptr, 10) : 1;
  std::string why;
  const bool compiles = can_compile(*lane_code(), why);
  u64 inlined_parts = 0;
  for (u64 k = first; k < first + programs && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    const std::string text = RegularKernel(k, k % 8 == 0, 4, 3).text();
    const Outcome3 called = run(text, "interpreter", true), inlined = run(text, "interpreter", false);
    expect_equal(called, inlined, "interpreted" + text);
    if (compiles) expect_equal(called, run(text, "compiled", false), "compiled" + text);
    inlined_parts += inlined.parts;
  }
  EXPECT_GT(inlined_parts, 3 * programs);
}

/// A fault names the function's own line.
TEST(InlinedCalls, FaultsAreOfTheFunctionsLine) {
  const auto fault = [](bool called) {
    return run(R"(
.func store(.param .b64 p) { .reg .b64 %d;
  ld.param.u64 %d, [p];
  st.global.u32 [%d], 1; ret; }
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %d;
  { .param .b64 a; st.param.b64 [a], 64; call store, (a); } ret; })",
               "interpreter", called)
        .fault;
  };
  EXPECT_TRUE(says(fault(false), {"test.ptx:7", "0x40"}));
  EXPECT_EQ(fault(false), fault(true));
}

}  // namespace
}  // namespace ww::engine
