// Blocks that do in shared memory what blocks before them did are not looked at: one that comes to do
// something else is.
#include <fmt/format.h>

#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

constexpr u32 kBlocks = 8;
constexpr const char* kSame = "setp.eq.u32 %p1, %r2, 99;";  // no block is different
constexpr const char* kOther = "setp.eq.u32 %p1, %r2, 5;";  // block 5 is
constexpr const char* kLatest = "setp.eq.u32 %p1, %r2, 7;";

/// Each thread stores its word of `tile` ([%r5]) between two barriers; `then` follows, with %p1 in one block.
std::string blocks(const std::string& which, const std::string& then) {
  return kernel(which + R"(
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  ld.shared.u32 %r6, [%r5];
  bar.sync 0;
  st.shared.u32 [%r5], %r2;
  )" + then + "\n  bar.sync 0;\n");
}

/// Is found whichever block is different, and nothing if none is.
void only_in_one(const std::string& then, const std::string& part) {
  clean(blocks(kSame, then), kBlocks, 64);
  for (const char* which : {kOther, kLatest}) racy(blocks(which, then), kBlocks, 64, part);
}

TEST(RacesRepeats, AnotherInstruction) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, TheSameInstructionElsewhere) {
  only_in_one(R"(mov.u32 %r7, %r5;
  @%p1 xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, TheSameFirstAddressAndAnotherPattern) {
  // Lane 0 of each warp reads its own word in all blocks; the others turn round in one.
  only_in_one(R"(mov.u32 %r7, %r5;
  and.b32 %r8, %r1, 31;
  setp.ne.and.u32 %p2, %r8, 0, %p1;
  @%p2 xor.b32 %r7, %r5, 4;
  ld.shared.u32 %r8, [%r7];)",
              "__syncwarp() between");
}

TEST(RacesRepeats, OtherLanes) {
  // Warp 0 stores words 64 to 66, or to 95; warp 1 reads words 72 to 103.
  only_in_one(R"(mov.u32 %r9, 3;
  @%p1 mov.u32 %r9, 32;
  setp.lt.u32 %p2, %r1, %r9;
  @%p2 st.shared.u32 [%r5+256], %r1;
  setp.ge.u32 %p3, %r1, 32;
  @%p3 ld.shared.u32 %r8, [%r5+160];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, WhatWasPassedOver) {
  // Warp 1 alone is different, when warp 0 has stored.
  only_in_one(R"(setp.ge.and.u32 %p2, %r1, 32, %p1;
  mov.u32 %r7, %r5;
  @%p2 xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ASyncwarpThatIsMissing) {
  const std::string then = R"(xor.b32 %r7, %r5, 4;
  @%p1 bra NONE;
  bar.warp.sync 0xffffffff;
NONE:
  ld.shared.u32 %r8, [%r7];)";
  only_in_one(then, "__syncwarp() between");
}

TEST(RacesRepeats, ABarrierThatIsMissing) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 bra NONE;
  bar.sync 0;
NONE:
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, AnAtomicUpdate) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 atom.shared.add.u32 %r8, [%r7], 1;)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ACopyThatComesLate) {
  // Another warp reads what the copy brings, behind the wait of the warp that copies alone.
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 cp.async.ca.shared.global [%r7], [%rd1], 4;
  cp.async.wait_all;)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ACopyOfTheIntervalBefore) {
  // Waited for behind the barrier: the other warp's read of the next interval is not ordered behind it.
  const auto late = [](const char* which, const std::string& wait) {
    return blocks(which, R"(bar.sync 0;
  @%p1 cp.async.ca.shared.global [%r5], [%rd1], 4;
  )" + wait + R"( bar.sync 0;
  xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];
  cp.async.wait_all;)");
  };
  clean(late(kSame, ""), kBlocks, 64);
  clean(late(kOther, "cp.async.wait_all;"), kBlocks, 64);
  racy(late(kOther, ""), kBlocks, 64, "copies asynchronously");
}

TEST(RacesRepeats, ARaceOfAllBlocksIsFoundInAll) {
  const auto found = races_of(blocks(kSame, R"(xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)"),
                              kBlocks, 64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, kBlocks * 64u);
}

/// Each thread stores its byte (or half) of a row of 70 in `space`; then what is said.
std::string parts(int bytes, const std::string& space, const std::string& then) {
  const std::string type = bytes == 1 ? "u8" : "u16", size = std::to_string(bytes);
  std::string body = R"(  mov.u32 %r3, tile;
  cvt.u64.u32 %rd4, %r3;
  mul.lo.u32 %r4, %r1, SIZE;
  cvt.u64.u32 %rd5, %r4;
  add.u64 %rd2, BASE, %rd5;
  cvt.u16.u32 %h1, %r1;
  st.SPACE.TYPE [%rd2+2], %h1;
)" + then;
  for (const auto& [name, value] : {std::pair{"SIZE", size},
                                    {"SPACE", space},
                                    {"TYPE", type},
                                    {"BASE", std::string(space == "shared" ? "%rd4" : "%rd1")}})
    for (size_t at; (at = body.find(name)) != std::string::npos;)
      body.replace(at, std::string(name).size(), value);
  return kernel(body);
}

TEST(RacesOfParts, LanesThatStoreNeighbouringBytes) {
  for (const int bytes : {1, 2})
    for (const char* space : {"shared", "global"}) {
      const std::string next = std::to_string(bytes + 2), own = "2";
      const auto load = [](const std::string& at) { return "  ld.SPACE.TYPE %h2, [%rd2+" + at + "];\n"; };
      clean(parts(bytes, space, load(own)), 1, 70);
      racy(parts(bytes, space, load(next)), 1, 20, "__syncwarp() between");
      clean(parts(bytes, space, "  bar.warp.sync 0xfffff;\n" + load(next)), 1, 20);
      // Lane 31's and 32's are of different warps, in one word or not.
      racy(parts(bytes, space, "  bar.warp.sync 0xffffffff;\n" + load(next)), 1, 64,
           "__syncthreads() between");
      clean(parts(bytes, space, "  bar.sync 0;\n" + load(next)), 1, 64);
      // The same bytes again, by other lanes.
      racy(parts(bytes, space,
                 "  bar.warp.sync 0xfffff;\n  setp.lt.u32 %p1, %r1, 19;\n  @%p1 st.SPACE.TYPE [%rd2+" + next +
                     "], %h1;\n" + load(own)),
           1, 20, "__syncwarp() between");
      // One lane reads a word of four lanes' bytes.
      const std::string word = "  setp.eq.u32 %p1, %r1, 5;\n  @%p1 ld.SPACE.u32 %r6, [BASE+8];\n";
      racy(parts(bytes, space, word), 1, 20, "__syncwarp() between");
      clean(parts(bytes, space, "  bar.warp.sync 0xfffff;\n" + word), 1, 20);
    }
  // Blocks that store other values to the same row.
  racy(parts(1, "global", "  cvt.u16.u32 %h1, %r2;\n  st.global.u8 [%rd2+2], %h1;\n"), 2, 70,
       "blocks of one launch");
}

}  // namespace

}  // namespace ww::checks
