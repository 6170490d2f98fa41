// The common functions in single precision.
#pragma once

#include "warpwright/math/angles.h"

namespace ww_math {

WW_MATH float power_of_two_f(int k) { return __builtin_bit_cast(float, (unsigned)(k + 127) << 23); }
WW_MATH float expf(float x) {
  if (x > 89.f) return __builtin_bit_cast(float, 0x7f800000u);
  if (x < -104.f) return 0.f;
  float k = nearest(x * 0x1.715476p+0f);
  float r = fmaf(-k, 0x1.62e43p-1f, x);
  r = fmaf(k, 0x1.05c61p-29f, r);
  float p = series(r, 1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f);
  p = fmaf(p * r, r, r) + 1.f;
  int n = (int)k, half = n / 2;
  return p * power_of_two_f(half) * power_of_two_f(n - half);
}
WW_MATH float logf(float x) {
  if (!(x > 0.f)) return x == 0.f ? -(float)infinity() : x != x ? x : (float)nan();
  if (x == (float)infinity()) return x;
  int k = 0;
  if (x < 0x1p-126f) x *= 0x1p24f, k = -24;
  unsigned b = __builtin_bit_cast(unsigned, x);
  k += (int)(b >> 23) - 126;
  float m = __builtin_bit_cast(float, (b & 0x7fffffu) | 0x3f000000u);
  if (m < 0x1.6a09e6p-1f) m *= 2, k--;
  float f = m - 1, s = f / (2 + f), z = s * s;
  float p = series(z, 1.f / 11, 1.f / 9, 1.f / 7, 1.f / 5, 1.f / 3);
  // 2s = f - s f: what s lost is small beside f.
  float half = 0.5f * f * f, tail = fmaf(s, half + 2 * z * p, fmaf((float)k, -0x1.05c61p-29f, 0.f)) - half;
  return fmaf((float)k, 0x1.62e43p-1f, f + tail);
}
WW_MATH void sincosf(float x, float* s, float* c) {
  float size = __nvvm_fabs_f(x);
  if (!(size < 48000.f)) {
    double a, b;
    sincos((double)x, &a, &b);
    *s = (float)a, *c = (float)b;
    return;
  }
  float n = nearest(x * 0x1.45f306p-1f);
  float r = fmaf(-n, 0x1.921fb6p+0f, x);
  r = fmaf(n, 0x1.777a5cp-25f, r);
  r = fmaf(n, 0x1.ee59dap-50f, r);
  float z = r * r;
  float a = fmaf(z * r, series(z, 1.f / 362880, -1.f / 5040, 1.f / 120, -1.f / 6), r);
  float b = series(z, 1.f / 40320, -1.f / 720, 1.f / 24, -0.5f, 1.f);
  int quadrant = (int)n & 3;
  float t = quadrant & 1 ? b : a, u = quadrant & 1 ? -a : b;
  *s = quadrant & 2 ? -t : t;
  *c = quadrant & 2 ? -u : u;
}

}  // namespace ww_math
