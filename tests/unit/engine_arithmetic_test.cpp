// What the host has set for its own arithmetic does not change what kernels compute.
#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "engine_kernels.h"

namespace ww::engine {
namespace {

constexpr const char* kKernel = R"(.visible .entry k(.param .u64 out) {
.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<6>; .reg .f64 %e<4>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 16; add.s64 %d0, %d0, %d1;
add.u32 %r1, %r0, 1000; mov.b32 %f0, %r1; add.f32 %f1, %f0, %f0; st.global.f32 [%d0], %f1;
cvt.rn.f32.u32 %f2, %r1; div.rn.f32 %f3, 0f3F800000, %f2; st.global.f32 [%d0+4], %f3;
cvt.u64.u32 %d2, %r1; mov.b64 %e0, %d2; add.f64 %e1, %e0, %e0; st.global.f64 [%d0+8], %e1; ret;
})";

std::vector<u32> computed(int threads) {
  Lab lab(kKernel, Lab::small(threads));
  const u64 out = lab.words(4 * 64 * 8);
  EXPECT_EQ(lab.fault(8, 64, {out}), "");
  return {lab.host(out), lab.host(out) + 4 * 64};
}

TEST(Arithmetic, DoesNotDependOnTheHosts) {
  const std::vector<u32> usual = computed(1);
  EXPECT_EQ(usual[0], 2000u);
  EXPECT_EQ(usual[2], 2000u);
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(csr | 0x8040);  // denormal numbers: operands are taken for 0, results become 0
#endif
  const std::vector<u32> one = computed(1), several = computed(3);
#if defined(__x86_64__)
  EXPECT_EQ(_mm_getcsr() & ~0x3fu, (csr | 0x8040) & ~0x3fu) << "the host's own has changed";
  _mm_setcsr(csr);
#endif
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(before);
  EXPECT_EQ(one, usual);
  EXPECT_EQ(several, usual);
}

}  // namespace
}  // namespace ww::engine
