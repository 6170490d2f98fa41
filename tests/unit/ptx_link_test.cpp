// Linking PTX modules. What is right was checked against ptxas: it takes these wholes, and refuses what is
// refused here.
#include "ptx/link.h"

#include <gtest/gtest.h>

#include "ir/verify.h"
#include "ptx/parser.h"

namespace {

using namespace ww;

std::string module_of(const std::string& body, const std::string& target = "sm_80") {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n" + body;
}

ir::Module parsed(const std::string& text) {
  auto module = ptx::parse("linked", text);
  EXPECT_TRUE(module) << render(module.error(), text);
  if (!module) return {};
  Diagnostics wrong = ir::verify(*module);
  EXPECT_TRUE(wrong.empty()) << render(wrong, text);
  return std::move(*module);
}

const char* const kCaller = R"(
.extern .func (.param .b32 r) scale (.param .b32 x);  // ends with a comment; and a semicolon
.extern .global .align 4 .u32 counter;
.global .align 1 .b8 $str[2] = {65, 0};
.visible .entry first(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  mov.u64 %rd1, $str;
  mov.u64 %rd2, counter;
  ld.global.u32 %r1, [%rd2];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), scale, (a); ld.param.b32 %r2, [b]; }
  ret;
}
)";
const char* const kCallee = R"(
.visible .global .align 4 .u32 counter = 7;
.global .align 1 .b8 $str[3] = {66, 67, 0};
.visible .func (.param .b32 r) scale (.param .b32 x) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  mov.u64 %rd1, $str;
  ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2;
  ret;
}
)";

TEST(Link, DeclarationsMeetDefinitionsInEitherOrder) {
  std::string caller = module_of(kCaller), callee = module_of(kCallee, "sm_86");
  for (bool turned : {false, true}) {
    auto whole = turned ? ptx::link({{"callee", callee}, {"caller", caller}})
                        : ptx::link({{"caller", caller}, {"callee", callee}});
    ASSERT_TRUE(whole) << render(whole.error());
    EXPECT_NE(whole->find(".target sm_86"), std::string::npos);
    ir::Module module = parsed(*whole);
    const ir::Function* scale = module.find_function("scale");
    ASSERT_TRUE(scale);
    EXPECT_TRUE(scale->defined);
    ASSERT_TRUE(module.find_function("first"));
  }
}

TEST(Link, LocalNamesThatMeetAreKeptApart) {
  std::string caller = module_of(kCaller), callee = module_of(kCallee);
  auto whole = ptx::link({{"caller", caller}, {"callee", callee}});
  ASSERT_TRUE(whole);
  // Both strings are there, and each function names its own.
  size_t second = whole->find("$str$file1[3]");
  EXPECT_NE(second, std::string::npos) << *whole;
  EXPECT_NE(whole->find("mov.u64 %rd1, $str$file1;"), std::string::npos);
  EXPECT_NE(whole->find("mov.u64 %rd1, $str;"), std::string::npos);
}

TEST(Link, ANameDefinedTwiceIsAnError) {
  std::string callee = module_of(kCallee);
  auto whole = ptx::link({{"a.cu", callee}, {"b.cu", callee}});
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error()[0].message, "counter is defined in a.cu and in b.cu");
  EXPECT_EQ(whole.error().size(), 2u);
}

TEST(Link, OfWeakDefinitionsOneStaysAndAStrongOneWins) {
  std::string weak =
      module_of(".weak .func same() { ret; }\n.weak .global .u32 w = 1;\n.common .global .u32 c;\n");
  std::string strong =
      module_of(".visible .func same() { .reg .b32 %r1; mov.u32 %r1, 5; ret; }\n.common .global .u32 c;\n");
  auto whole = ptx::link({{"a", weak}, {"b", weak}, {"c", strong}});
  ASSERT_TRUE(whole) << render(whole.error());
  EXPECT_NE(whole->find("mov.u32 %r1, 5"), std::string::npos);
  EXPECT_EQ(whole->find(".func same"), whole->rfind(".func same"));
  EXPECT_EQ(whole->find(" w = 1"), whole->rfind(" w = 1"));
  EXPECT_EQ(whole->find(".common"), whole->rfind(".common"));
}

TEST(Link, SourceFilesAreNumberedAnew) {
  std::string a =
      module_of(".visible .entry a() {\n.loc 1 10 3\nret;\n}\n.file 1 \"a.cu\"\n.file 2 \"both.h\"\n");
  std::string b = module_of(
      ".visible .entry b() {\n.loc 2 20 3, function_name $L__info_string0, inlined_at 1 7 1\nret;\n}\n"
      ".file 1 \"b.cu\"\n.file 2 \"both.h\"\n.section .debug_str {\n$L__info_string0:\n.b8 97\n}\n");
  auto whole = ptx::link({{"a", a}, {"b", b}});
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->find(".loc 1 10 3"), std::string::npos);
  EXPECT_NE(whole->find(".loc 4 20 3, function_name $L__info_string0, inlined_at 3 7 1"), std::string::npos);
  EXPECT_NE(whole->find(".file 3 \"b.cu\""), std::string::npos);
  EXPECT_EQ(whole->find(".section"), std::string::npos);
  parsed(*whole);
}

TEST(Link, CutTextsAreRefusedOrLinked) {
  std::string caller = module_of(kCaller), callee = module_of(kCallee);
  for (size_t length = 0; length < callee.size(); length++) {
    std::string cut = callee.substr(0, length);
    (void)ptx::link({{"caller", caller}, {"cut", cut}}).ok();
  }
  EXPECT_FALSE(ptx::link({{"cut", ".func f() {"}}));
  EXPECT_FALSE(ptx::link({{"cut", ".global .u32 \"abc"}}));
}

}  // namespace
