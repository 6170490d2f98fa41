// Inline PTX of CUDA C++ that nvcc takes and clang does not.
#include <gtest/gtest.h>

#include "cli/compile/asm_escapes.h"

namespace ww::cli {
namespace {

TEST(AsmEscapes, RegistersGetTheirSecondPercent) {
  EXPECT_EQ(text_for_clang(R"x(asm("mov.u32 %0, %smid;" : "=r"(x));)x"),
            R"x(asm("mov.u32 %0, %%smid;" : "=r"(x));)x");
  EXPECT_EQ(text_for_clang(R"x(asm volatile ("mov.u64 %0, %globaltimer;" :: "l"(x) : "memory");)x"),
            R"x(asm volatile ("mov.u64 %0, %%globaltimer;" :: "l"(x) : "memory");)x");
  // Strings in pieces, with a comment between them.
  EXPECT_EQ(text_for_clang("__asm__(\"mov.u32 %0, %laneid;\"  // \"%tid\"\n \"add.u32 %0, %1, %ntid.x;\" : "
                           "\"=r\"(x) : \"r\"(y));"),
            "__asm__(\"mov.u32 %0, %%laneid;\"  // \"%tid\"\n \"add.u32 %0, %1, %%ntid.x;\" : \"=r\"(x) : "
            "\"r\"(y));");
}

// As Visual Studio formats launches; columns stay.
TEST(AsmEscapes, SpacesInTheBracketsOfLaunches) {
  EXPECT_EQ(text_for_clang("k << < g, b >> > (p);"), "k <<<  g, b >>>  (p);");
  EXPECT_EQ(text_for_clang("k <<  < n >> 2, b >>>(p); A<B<C<int>> > x;"),
            "k <<<   n >> 2, b >>>(p); A<B<C<int>> > x;");
  EXPECT_EQ(text_for_clang("template_kernel<int> << <g, b, n >> 1 >> >(p, asm_count);"),
            "template_kernel<int> <<< g, b, n >> 1 >>> (p, asm_count);");
}

TEST(AsmEscapes, TheRestStays) {
  for (const char* same : {
           R"x(asm("mov.u32 %0, %%smid;" : "=r"(x));)x",         // has it
           R"x(asm("mov.u32 %a, %smid;");)x",                    // no operands: no escapes
           R"x(printf("%s %smid", "asm(\"%smid\" : )");)x",      // not inline PTX
           "// asm(\"%smid\" : \"=r\"(x))\nint asm_count = 1;",  // a comment, another word
           R"x(const char* s = "asm("; char c = '"'; f("%d:%d");)x",
           R"x(asm("mov.u32 %0, %1;" : "=r"(x) : "r"(a % b));)x",  // a remainder among the operands
           "asm(\"mov.u32 %0, %smid;",                             // not ended
           "k<<<g, b>>>(p); std::cout << x << y; A<B<C<int>> > z; i = a >> b;",
           "// k << <g, b >> >(p)\nconst char* s = \"k << <g\";",
           "asm",
       })
    EXPECT_EQ(text_for_clang(same), same);
}

}  // namespace
}  // namespace ww::cli
