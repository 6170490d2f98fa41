// Inline PTX of CUDA C++ that nvcc takes and clang does not.
#include <gtest/gtest.h>

#include "cli/asm_escapes.h"

namespace ww::cli {
namespace {

TEST(AsmEscapes, RegistersGetTheirSecondPercent) {
  EXPECT_EQ(with_escaped_asm(R"x(asm("mov.u32 %0, %smid;" : "=r"(x));)x"),
            R"x(asm("mov.u32 %0, %%smid;" : "=r"(x));)x");
  EXPECT_EQ(with_escaped_asm(R"x(asm volatile ("mov.u64 %0, %globaltimer;" :: "l"(x) : "memory");)x"),
            R"x(asm volatile ("mov.u64 %0, %%globaltimer;" :: "l"(x) : "memory");)x");
  // Strings in pieces, with a comment between them.
  EXPECT_EQ(with_escaped_asm("__asm__(\"mov.u32 %0, %laneid;\"  // \"%tid\"\n \"add.u32 %0, %1, %ntid.x;\" : "
                             "\"=r\"(x) : \"r\"(y));"),
            "__asm__(\"mov.u32 %0, %%laneid;\"  // \"%tid\"\n \"add.u32 %0, %1, %%ntid.x;\" : \"=r\"(x) : "
            "\"r\"(y));");
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
           "asm",
       })
    EXPECT_EQ(with_escaped_asm(same), same);
}

}  // namespace
}  // namespace ww::cli
