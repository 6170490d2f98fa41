// Whole-warp code has the processor round sums, products and fused sums of f32 down, up or towards zero; the
// interpreter, whose results isa_directed_test.cpp compares with the host's, computes them in float64.
#include <cstdlib>

#include "../long.h"
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

TEST(WholeWarpsDirected, SumsProductsAndFusedSums) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  // Any bits; of one size, so that sums are inexact; sums that nearly or wholly cancel; results that are
  // infinite, not normal, or zeros of both signs.
  const std::string numbers = "mov.b32 %f0, %r4; mov.b32 %f1, %r5; mov.b32 %f2, %r6;\n";
  const auto of_size = [&](const char* size) {
    std::string text;
    for (const char* r : {"%r4", "%r5", "%r6"})
      text += fmt::format("and.b32 {0}, {0}, 0x81ffffff; or.b32 {0}, {0}, {1};\n", r, size);
    return text + numbers;
  };
  const std::string cancel =
      "mul.rn.f32 %f2, %f0, %f1; neg.f32 %f2, %f2; and.b32 %r11, %r6, 3; "
      "setp.eq.u32 %p1, %r11, 0; @%p1 mov.f32 %f1, 0f3F800000; @%p1 neg.f32 %f2, %f0;\n";
  const std::string zeros =
      "and.b32 %r11, %r6, 1; setp.eq.u32 %p1, %r11, 0; @%p1 mul.f32 %f0, %f0, 0f00000000; "
      "@%p1 mul.f32 %f2, %f2, 0f00000000;\n";
  size_t number = 0;
  for (const std::string& before :
       {numbers, of_size("0x3e000000"), of_size("0x3e000000") + cancel, numbers + cancel,
        of_size("0x7e000000"), of_size("0x20000000"), of_size("0") + zeros, numbers + zeros}) {
    if (!is_tried(number++, 2)) continue;
    std::string body = before + "mov.u32 %r7, 0;\n";
    for (const char* mode : {"rz", "rm", "rp"})
      body += fmt::format(
          "add.{0}.f32 %f3, %f0, %f2; mov.b32 %r11, %f3; xor.b32 %r7, %r7, %r11;\n"
          "mul.{0}.f32 %f3, %f0, %f1; mov.b32 %r11, %f3; mad.lo.u32 %r7, %r7, 31, %r11;\n"
          "fma.{0}.f32 %f3, %f0, %f1, %f2; mov.b32 %r11, %f3; mad.lo.u32 %r7, %r7, 31, %r11;\n"
          "setp.lt.u32 %p1, %r4, %r5; @%p1 fma.{0}.f32 %f3, %f2, %f2, %f1;\n"
          "@%p1 add.{0}.f32 %f3, %f3, %f3; mov.b32 %r11, %f3; mad.lo.u32 %r7, %r7, 31, %r11;\n",
          mode);
    expect_equal_words(body);
  }
}

}  // namespace
}  // namespace ww::engine
