// A pointer to another thread's local memory is told where it is used; one's own, and one that is only passed
// on, are not.
#include "checks/locals.h"

#include "checks_lab.h"

namespace ww::checks {
namespace {

/// Of a kernel whose parameter is the address of 64 words.
std::vector<Finding> findings_of(const std::string& text, u32 grid, u32 block) {
  CheckLab<Locals> lab(text);
  const auto run = lab.run(grid, block, {lab.lab.words(64)});
  for (const auto& fault : run.faults) ADD_FAILURE() << fault.message;
  return lab.findings.all();
}

std::vector<Finding> found_in(const std::string& use) {
  // Thread 0 puts the address of its own word into shared memory, where all load it.
  return findings_of(R"(.visible .entry k(.param .u64 a) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .local .align 8 .b8 own[16];
  .shared .align 8 .b64 where;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd1, own;
  cvta.local.u64 %rd2, %rd1;
  st.local.u32 [own], %r1;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.shared.u64 [where], %rd2;
  bar.sync 0;
  ld.shared.u64 %rd3, [where];
)" + use + "\n  ret;\n}\n",
                     1, 64);
}

TEST(Locals, AnothersIsTold) {
  const auto found = found_in("ld.u32 %r2, [%rd3];");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "another thread's local memory");
  ASSERT_EQ(found[0].parties.size(), 2u);
  EXPECT_EQ(found[0].parties[0].by.thread[0], 1u);  // thread 0's own pointer is right
  EXPECT_EQ(found[0].parties[1].by.thread[0], 0u);
}

TEST(Locals, OnesOwnAndUnusedOnesAreNot) {
  EXPECT_TRUE(found_in("@!%p1 ld.u32 %r2, [%rd3];").empty());  // thread 0 alone
  EXPECT_TRUE(found_in("ld.local.u32 %r2, [own];").empty());
  EXPECT_TRUE(found_in("ld.param.u64 %rd4, [a];\n  st.global.u64 [%rd4], %rd3;").empty());
}

// Block 0 leaves an address of its shared memory in global memory, behind a flag; block 1 uses it.
std::vector<Finding> left_to_another(const std::string& pointer, const std::string& first = "") {
  return findings_of(R"(.visible .entry k(.param .u64 a) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .shared .align 8 .b8 tile[64];
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %ctaid.x;
  mov.u64 %rd2, tile;
  cvta.shared.u64 %rd3, %rd2;
  st.shared.u32 [tile], %r1;
)" + first + R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  st.global.u64 [%rd1+8], )" +
                         pointer + R"(;
  membar.gl;
  st.volatile.global.u32 [%rd1], 1;
  ret;
WAIT:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
  membar.gl;
  ld.global.u64 %rd4, [%rd1+8];
  ld.u32 %r3, [%rd4];
  ret;
}
)",
                     2, 32);
}

TEST(Locals, AnotherBlocksSharedMemoryIsTold) {
  const auto found = left_to_another("%rd3");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "another block's shared memory");
  ASSERT_EQ(found[0].parties.size(), 2u);
  EXPECT_EQ(found[0].parties[0].by.block[0], 1u);
  EXPECT_EQ(found[0].parties[1].by.block[0], 0u);
  EXPECT_TRUE(left_to_another("%rd1").empty());  // of global memory
  // Block 1 stores the same address itself: it may mean its own.
  EXPECT_TRUE(left_to_another("%rd3", "  st.global.u64 [%rd1+16], %rd3;").empty());
}

// One launch leaves an address of its shared memory in global memory, and a second one, with a parameter of
// 1, does what `second` says with it in %rd4.
std::vector<Finding> left_to_a_launch(const std::string& second) {
  CheckLab<Locals> lab(R"(.visible .entry k(.param .u64 a, .param .u64 which) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .shared .align 8 .b8 tile[64];
  .local .align 8 .b8 own[16];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [which];
  mov.u64 %rd5, tile;
  cvta.shared.u64 %rd3, %rd5;
  mov.u32 %r1, 0;
  st.shared.u32 [tile], %r1;
  setp.ne.u64 %p1, %rd2, 0;
  @%p1 bra SECOND;
  st.global.u64 [%rd1+8], %rd3;
  ret;
SECOND:
  ld.global.u64 %rd4, [%rd1+8];
)" + second + "\n  ret;\n}\n");
  const u64 a = lab.lab.words(64);
  for (const u64 which : {0, 1})
    for (const auto& fault : lab.run(1, 32, {a, which}).faults) ADD_FAILURE() << fault.message;
  return lab.findings.all();
}

TEST(Locals, SharedMemoryOfAnEarlierLaunchIsTold) {
  const auto found = left_to_a_launch("ld.u32 %r3, [%rd4];");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "another block's shared memory");
  ASSERT_EQ(found[0].parties.size(), 2u);
  EXPECT_NE(found[0].parties[0].ptx_line, found[0].parties[1].ptx_line);
  // It is only passed on; own shared memory is used; its own address is in its place by now, wherever it
  // lies.
  EXPECT_TRUE(left_to_a_launch("st.global.u64 [%rd1+16], %rd4;").empty());
  EXPECT_TRUE(left_to_a_launch("ld.shared.u32 %r3, [tile];").empty());
  EXPECT_TRUE(left_to_a_launch("st.global.u64 [%rd1+8], %rd3;\n  ld.u32 %r3, [%rd3];").empty());
  EXPECT_TRUE(
      left_to_a_launch("st.local.u64 [own], %rd3;\n  ld.local.u64 %rd4, [own];\n  ld.u32 %r3, [%rd4];")
          .empty());
}

}  // namespace
}  // namespace ww::checks
