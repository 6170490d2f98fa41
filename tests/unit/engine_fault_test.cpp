// What a kernel does wrong with memory: who, where, which address, what is allocated near it; and what is
// left afterwards.
#include <fmt/format.h>

#include "engine_kernels.h"

namespace ww::engine {
namespace {

/// Thread 37 of block 1 alone executes `body`; %a holds the argument.
std::string by_thread_37(const std::string& body) {
  return R"(
.shared .align 8 .b8 room[64];
.const .align 8 .b32 table[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<8>; .reg .b64 %a, %l, %c; .reg .pred %p; .local .align 8 .b8 own[16];
  ld.param.u64 %a, [a];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 1000, %r0;
  setp.ne.u32 %p, %r1, 1037;
  @%p ret;
)" + body +
         "\n  ret;\n}\n";
}
constexpr const char* kWho = "by block (1,0,0), thread (37,0,0)";

std::string fault_of(const std::string& body, u64 offset = 0, bool free_first = false) {
  Lab lab(by_thread_37(body));
  u64 before = lab.words(100), at = lab.words(25);
  (void)before;
  if (free_first) {
    EXPECT_TRUE(lab.engine.memory().free(at));
  }
  return lab.fault(2, 64, {at + offset});
}

TEST(Fault, GlobalPastTheEndSaysHowFarAndOfWhat) {
  Lab lab(by_thread_37("ld.global.u32 %r2, [%a+104];"));
  u64 at = lab.words(25);
  auto r = lab.launch(2, 64, {at});
  ASSERT_TRUE(r);
  ASSERT_EQ(r->faults.size(), 1u);
  EXPECT_EQ(r->faults[0].kind, "out-of-bounds read");
  EXPECT_EQ(r->faults[0].where.line, 14);
  EXPECT_TRUE(
      says(r->faults[0].message,
           {"out-of-bounds read in kernel k", "test.ptx:14: ld", kWho, "read of 4 bytes at global address",
            "4 bytes past the end of the allocation of 100 bytes", fmt::format("{:x}", at).c_str(),
            fmt::format("{:x}", at + 104).c_str()}));
}

TEST(Fault, GlobalBeforeTheStart) {
  EXPECT_TRUE(says(fault_of("st.global.u32 [%a+-8], %r0;"), {"out-of-bounds write", kWho, "write of 4 bytes",
                                                             "8 bytes before the allocation of 100 bytes"}));
}

TEST(Fault, AnAccessThatOnlyEndsOutside) {
  EXPECT_TRUE(says(fault_of("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%a+96];"),
                   {"out-of-bounds read", "read of 16 bytes", kWho}));
}

TEST(Fault, Misaligned) {
  EXPECT_TRUE(says(fault_of("ld.global.u32 %r2, [%a+2];"), {"misaligned read", kWho, "multiple of 4"}));
  EXPECT_TRUE(
      says(fault_of("st.shared.v2.u32 [room+4], {%r0, %r1};"), {"misaligned write", kWho, "multiple of 8"}));
  EXPECT_TRUE(
      says(fault_of("atom.global.add.u64 %l, [%a+4], 1;"), {"misaligned write", kWho, "multiple of 8"}));
}

TEST(Fault, UseAfterFree) {
  EXPECT_TRUE(says(fault_of("ld.global.u32 %r2, [%a+40];", 0, true),
                   {"use after free", kWho, "40 bytes into", "has been freed"}));
}

TEST(Fault, NullPointer) {
  EXPECT_TRUE(says(fault_of("mov.u64 %a, 0; ld.global.u32 %r2, [%a+16];"),
                   {"out-of-bounds read", kWho, "0x10", "null pointer"}));
  EXPECT_TRUE(says(fault_of("mov.u64 %a, 0; st.u32 [%a], %r0;"), {"out-of-bounds write", "null pointer"}));
}

TEST(Fault, SharedAndLocal) {
  EXPECT_TRUE(
      says(fault_of("st.shared.u32 [room+72], %r0;"),
           {"out-of-bounds write", kWho, "shared address 0x48", "8 bytes past the end of the 64 bytes"}));
  EXPECT_TRUE(says(fault_of("ld.local.u64 %l, [own+4096];"),
                   {"out-of-bounds read", kWho, "local address", "past the end"}));
  EXPECT_TRUE(
      says(fault_of("mov.u64 %l, own; ld.local.u32 %r2, [%l+-8];"), {"out-of-bounds read", kWho, "local"}));
}

TEST(Fault, WriteToConstantMemory) {
  EXPECT_TRUE(says(fault_of("mov.u64 %c, table; cvta.const.u64 %c, %c; st.u32 [%c], %r0;"),
                   {"write to constant memory", kWho, "constant address 0x0"}));
  EXPECT_TRUE(says(fault_of("mov.u64 %c, table; ld.const.u32 %r2, [%c+16];"),
                   {"out-of-bounds read", kWho, "constant memory"}));
}

TEST(Fault, AddressesNeverWrapIntoMemory) {
  EXPECT_NE(fault_of("ld.global.u64 %l, [%a+-1];"), "");
  EXPECT_NE(fault_of("mov.u64 %a, -8; ld.global.v2.u64 {%l, %c}, [%a+8];"), "");
  EXPECT_NE(fault_of("mov.u32 %r2, -4; st.shared.u32 [%r2], %r0;"), "");
  EXPECT_NE(fault_of("mov.u64 %a, 0x7fffffffffffffff; st.u8 [%a], %r0;"), "");
}

TEST(Fault, OtherBlocksStopAndMemoryCanBeRead) {
  // Block 0 faults, the others would run for a very long time.
  Settings settings = Lab::small(3);
  settings.branch_limit = 0;
  Lab lab(R"(
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<4>; .reg .b64 %a; .reg .pred %p;
  ld.param.u64 %a, [a];
  mov.u32 %r0, %ctaid.x;
  setp.ne.u32 %p, %r0, 0;
LOOP:
  @%p bra LOOP;
  st.global.u32 [%a], 42;
  st.global.u32 [%a+400000], 42;
}
)",
          settings);
  u64 a = lab.words(4);
  EXPECT_TRUE(says(lab.fault(50, 32, {a}), {"out-of-bounds write", "block (0,0,0)"}));
  EXPECT_EQ(lab.host(a)[0], 42u);
  EXPECT_TRUE(lab.engine.memory().allocate(100));
}

TEST(Memory, FreedAddressesAreNotGivenOutAgain) {
  Lab lab(".visible .entry k() { ret; }\n");
  GlobalMemory& memory = lab.engine.memory();
  std::vector<u64> seen;
  for (int k = 0; k < 200; ++k) {
    u64 at = *memory.allocate(1 << 20);  // 200 MiB in all, of a limit of 64
    for (u64 other : seen) ASSERT_GE(at - other, u64{1} << 20);
    ASSERT_EQ(*memory.host(at), 0);
    *memory.host(at) = 1;
    seen.push_back(at);
    ASSERT_TRUE(memory.free(at));
    ASSERT_FALSE(memory.free(at));
  }
  EXPECT_EQ(memory.allocated(), 0u);
  EXPECT_FALSE(memory.find(seen[100] + 5));
}

TEST(Memory, AModuleThatDoesNotFitLeavesNothingBehind) {
  Settings settings = Lab::small(2);
  Engine engine(settings);
  auto parsed = ptx::parse(
      "big.ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 a[1000];\n.global .b8 b[100000000];\n");
  ASSERT_TRUE(parsed);
  auto loaded = engine.load(std::make_shared<const ir::Module>(std::move(*parsed)));
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(says(loaded.error()[0].message, {"out of device memory"}));
  EXPECT_EQ(engine.memory().allocated(), 0u);
}

// ptxas says "128 bytes smem" of such a kernel's static array of 80 bytes (CUDA 13.0, sm_90), so that a
// dynamic array has all bytes that the launch asks for behind them, whichever alignment it wants.
TEST(Faults, DynamicArraysHaveTheirBytesBehindWhatTheirAlignmentTakes) {
  const std::string kernel = R"(
.shared .align 4 .b8 fixed[80];
.extern .shared .align 16 .b8 words[];
.extern .shared .align 128 .b8 tile[];
.visible .entry k(.param .u64 out, .param .u64 at)
{
  .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [at];
  mov.u32 %r1, fixed;
  mov.u32 %r2, words;
  mov.u32 %r3, tile;
  st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r0};
  add.u32 %r4, %r3, %r0;
  st.shared.u8 [%r4], %r0;
  ret;
}
)";
  Lab lab(kernel);
  const u64 out = lab.words(4);
  const auto fault_at = [&](u64 at) {
    LaunchRequest request;
    request.kernel = "k";
    request.dynamic_shared = 256;
    request.arguments = {argument(out), argument(at)};
    const auto run = lab.engine.run(*lab.module, request);
    return run->faults.empty() ? "" : run->faults[0].message;
  };
  EXPECT_EQ(fault_at(255), "");
  EXPECT_EQ(lab.host(out)[0], 0u);
  EXPECT_EQ(lab.host(out)[1], 128u);  // all dynamic arrays begin at one address (CUDA C++ guide, __shared__)
  EXPECT_EQ(lab.host(out)[2], 128u);
  EXPECT_TRUE(says(fault_at(256), {"out-of-bounds write", "0 bytes past the end of the 384 bytes"}));
}

}  // namespace
}  // namespace ww::engine
