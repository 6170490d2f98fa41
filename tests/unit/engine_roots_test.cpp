// Compiled rsqrt.approx gives the number that its row says, whatever instructions make it.
#include <bit>
#include <cmath>
#include <cstring>

#include "../long.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

/// out[n] = 1 / sqrt of the number whose bits are first + step · n.
constexpr const char* kKernel =
    R"(.visible .entry k(.param .u64 out, .param .u64 first, .param .u64 step) {
.reg .b32 %r<9>; .reg .b64 %d<5>; .reg .f32 %f<3>;
ld.param.u64 %d0, [out]; ld.param.u32 %r0, [first]; ld.param.u32 %r1, [step];
mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
mad.lo.u32 %r6, %r5, %r1, %r0; mov.b32 %f0, %r6; rsqrt.approx.f32 %f1, %f0;
mul.wide.u32 %d1, %r5, 4; add.s64 %d2, %d0, %d1; st.global.f32 [%d2], %f1; ret;
})";

TEST(Roots, AreThoseOfFloat64) {
  if (!compiler_there()) GTEST_SKIP();
  Settings settings = Lab::small(2);
  settings.back = "compiled";
  Lab lab(kKernel, settings);
  constexpr u32 kCount = 1 << 20, kBlock = 256;
  const u64 out = lab.words(kCount);
  const auto expect = [&](u32 first, u32 step) {
    ASSERT_EQ(lab.fault(kCount / kBlock, kBlock, {out, first, step}), "");
    u32 wrong = 0;
    for (u32 n = 0; n < kCount; ++n) {
      const u32 bits = first + step * n;
      const auto v = static_cast<float>(1.0 / std::sqrt(double{std::bit_cast<float>(bits)}));
      const u32 wanted = std::isnan(v) ? 0x7fffffff : std::bit_cast<u32>(v), got = lab.host(out)[n];
      if (wanted != got && wrong++ == 0)
        ADD_FAILURE() << std::hex << bits << ": " << got << " instead of " << wanted;
    }
    EXPECT_EQ(wrong, 0u);
  };
  // All numbers from 1 to 4: four times as much is half the root.
  size_t number = 0;
  for (u32 first = 0x3f800000; first != 0x40800000; first += kCount)
    if (is_tried(number++, 5)) expect(first, 1);
  // And of all kinds: denormal and negative ones, infinity, NaN.
  for (const u32 first : {0u, 0x7f7f0000u, 0xff7f0000u, 0x80000000u}) expect(first, 1);
  expect(0, 4099);
}

}  // namespace
}  // namespace ww::engine
