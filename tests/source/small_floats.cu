// Numbers of 8, 6 and 4 bits: every code's value by its formula, and rounding by looking for the nearest of
// all codes (of two as near, the even one), on the host and in a kernel.
//
// expect: 0 wrong
// expect: 448 -> 0x7e, 500 -> 0x7e 0x7f, 1e6 -> 0x7b 0x7c
// expect: pair 0x3cc1 1.5 -2.25
// expect: four 0x7120 0 1 0.5 6
// expect: powers 0x7f 0x80 0x80, 0.25
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <vector>

enum { kFormats = 5, kCount = 20000 };
struct Format {
  int exponent, fraction, codes;  // codes: those that are numbers, with either sign
};
static const Format kFormat[kFormats] = {{4, 3, 0x7f}, {5, 2, 0x7c}, {2, 3, 0x20}, {3, 2, 0x20}, {2, 1, 8}};

static double value(const Format& f, int code) {
  const int bias = (1 << (f.exponent - 1)) - 1, e = code >> f.fraction, m = code & ((1 << f.fraction) - 1);
  return e ? std::ldexp(1 + std::ldexp(m, -f.fraction), e - bias) : std::ldexp(m, 1 - bias - f.fraction);
}
static int nearest(const Format& f, double x) {
  int best = 0;
  for (int code = 1; code < f.codes; ++code) {
    const double now = std::fabs(value(f, code) - std::fabs(x)),
                 before = std::fabs(value(f, best) - std::fabs(x));
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? 1 << (f.exponent + f.fraction) : 0);
}
static __host__ __device__ void round_all(float x, int* codes) {
  codes[0] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  codes[1] = __nv_fp8_e5m2(x).__x;
  codes[2] = __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  codes[3] = __nv_fp6_e3m2(x).__x;
  codes[4] = __nv_fp4_e2m1(__float2half(x)).__x;
}
__global__ void kernel(const float* x, int* codes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) round_all(x[i], codes + i * kFormats);
}
template <class T>
static int wrong_values(const Format& f) {
  int wrong = 0;
  for (int code = 0; code < f.codes; ++code) {
    T x;
    x.__x = code;
    wrong += (float)x != value(f, code);
    x.__x |= 1 << (f.exponent + f.fraction);
    wrong += (double)x != -value(f, code);
  }
  return wrong;
}

int main() {
  float* x;
  int* codes;
  cudaMallocManaged(&x, kCount * sizeof *x);
  cudaMallocManaged(&codes, kCount * kFormats * sizeof *codes);
  unsigned state = 2026;
  for (int i = 0; i < kCount; ++i) {
    // Of 8 bits, which is exact in half precision: many lie in the middle of two codes.
    state = state * 1664525 + 1013904223;
    x[i] = std::ldexp((float)(state >> 24), (int)(state >> 8 & 15) - 16) * (state & 128 ? -1.f : 1.f);
  }
  kernel<<<(kCount + 127) / 128, 128>>>(x, codes);
  cudaDeviceSynchronize();
  int wrong = wrong_values<__nv_fp8_e4m3>(kFormat[0]) + wrong_values<__nv_fp8_e5m2>(kFormat[1]) +
              wrong_values<__nv_fp6_e2m3>(kFormat[2]) + wrong_values<__nv_fp6_e3m2>(kFormat[3]) +
              wrong_values<__nv_fp4_e2m1>(kFormat[4]);
  for (int i = 0; i < kCount; ++i) {
    int host[kFormats];
    round_all(x[i], host);
    for (int f = 0; f < kFormats; ++f) {
      const int wanted = nearest(kFormat[f], x[i]);
      wrong += host[f] != wanted || codes[i * kFormats + f] != wanted;
    }
  }
  printf("%d wrong\n", wrong);
  printf("448 -> 0x%x, 500 -> 0x%x 0x%x, 1e6 -> 0x%x 0x%x\n", __nv_fp8_e4m3(448.f).__x,
         __nv_fp8_e4m3(500).__x, __nv_cvt_float_to_fp8(500, __NV_NOSAT, __NV_E4M3), __nv_fp8_e5m2(1e6).__x,
         __nv_cvt_double_to_fp8(1e6, __NV_NOSAT, __NV_E5M2));
  // 1.5 = 2^0 (1 + 4/8): 0x3c, the first in the lower byte
  const __nv_fp8x2_e4m3 pair(float2{-2.25f, 1.5f});
  printf("pair 0x%x %g %g\n", pair.__x, float2(pair).y, float2(pair).x);
  const __nv_fp4x4_e2m1 four(float4{0, 1, .5f, 9});
  printf("four 0x%x %g %g %g %g\n", four.__x, float4(four).x, float4(four).y, float4(four).z, float4(four).w);
  __nv_fp8_e8m0 quarter;
  quarter.__x = 125;
  printf("powers 0x%x 0x%x 0x%x, %g\n", __nv_cvt_float_to_e8m0(1, __NV_SATFINITE, cudaRoundPosInf),
         __nv_fp8_e8m0(1.5f).__x, __nv_cvt_float_to_e8m0(2.5f, __NV_SATFINITE, cudaRoundZero),
         (float)quarter);
}
