// What is left of PTX for a question about one kernel. Expected texts by hand.
#include <gtest/gtest.h>

#include "ptxas/assembler.h"
#include "ptxas/one_entry.h"

namespace ww::ptxas {

TEST(OneEntry, LeavesOutTheOtherKernels) {
  const std::string head = ".version 7.8\n.target sm_80\n.address_size 64\n.global .u32 g = 1;\n";
  const std::string other = ".visible .entry a(.param .u64 p)\n.maxntid 32, 1, 1\n{\n { ret; }\n}";
  const std::string function = "\n.func f() { ret; }\n", wanted = ".entry ab() { ret; }";
  const std::string tail = "\n.section .debug_str { $L__info_string0: .b8 46 }\n";
  EXPECT_EQ(with_one_entry(head + other + function + wanted + tail, "ab"), head + function + wanted + tail);
  EXPECT_EQ(with_one_entry(head + other + function + wanted + tail, "a"), head + other + function + tail);
}

TEST(OneEntry, IsNotMisledByBracesInComments) {
  const std::string other = ".weak\n.entry a() { // }\n /* } */ .pragma \"}\\\"}\"; ret;\n}";
  EXPECT_EQ(with_one_entry("// .entry x { \n" + other + "\n.entry b() { ret; }", "b"),
            "// .entry x { \n\n.entry b() { ret; }");
}

TEST(OneEntry, KeepsDeclarations) {
  const std::string text = ".extern .entry a(.param .u32 p);\n.func f() { ret; }\n.entry b() { ret; }\n";
  EXPECT_EQ(with_one_entry(text, "b"), text);
}

TEST(OneEntry, PtxasIsAskedAgainWhereAnotherKernelIsNeeded) {
  if (!find_ptxas()) GTEST_SKIP() << "no ptxas";
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry child() { ret; }
.visible .entry parent(.param .u64 out) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, child;
  st.u64 [%rd1], %rd2;
  ret;
}
)";
  auto said = ask_ptxas(text, "sm_80", "parent");
  ASSERT_TRUE(said.ok()) << (said ? "" : said.error()[0].message);
  ASSERT_EQ(said->size(), 1u);
  EXPECT_EQ((*said)[0].entry, "parent");
  EXPECT_GE((*said)[0].registers, 4);  // two of 64 bits
}

}  // namespace ww::ptxas
