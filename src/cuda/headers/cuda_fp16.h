// Half precision (CUDA Math API): __half and __half2, conversions, arithmetic, comparisons and the common
// functions. Kernels use the instructions of half precision, the host computes in float and rounds.
#pragma once

#include "cuda_runtime.h"

namespace ww_half {
static __host__ __device__ __inline__ float to_float(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  unsigned sign = (unsigned)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  unsigned bits =
      sign | (exponent == 31 ? 0x7f800000u | fraction << 13 : (exponent + 112) << 23 | fraction << 13);
  float f;
  __builtin_memcpy(&f, &bits, 4);
  if (exponent == 0) f = (sign ? -1.f : 1.f) * (float)fraction * 0x1p-24f;
  return f;
#endif
}
static __host__ __device__ __inline__ unsigned short from_float(float f) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  unsigned bits, sign;
  __builtin_memcpy(&bits, &f, 4);
  sign = bits >> 16 & 0x8000, bits &= 0x7fffffff;
  if (bits > 0x7f800000) return 0x7fff;
  if (bits >= 0x47800000) return (unsigned short)(sign | 0x7c00);
  if (bits < 0x38800000) {  // below 2^-14: a multiple of 2^-24
    float a;
    __builtin_memcpy(&a, &bits, 4);
    return (unsigned short)(sign | (unsigned)__builtin_rintf(a * 0x1p24f));
  }
  bits += 0xfff + (bits >> 13 & 1);  // halves to even
  return (unsigned short)(sign | (bits - 0x38000000) >> 13);
#endif
}
}  // namespace ww_half

#define WW_KIND __half
#define WW_KIND2 __half2
#define WW_RAW __half_raw
#define WW_RAW2 __half2_raw
#define WW_NAME half
#define WW_PAIR_OF __half2half2
#define WW_PAIR_OF2 __halves2half2
#define WW_INSIDE ww_half
#define WW_PTX "f16"
#define WW_INFINITE 0x7c00
#include "warpwright/half_kind.h"
#include "warpwright/half_kind_end.h"
typedef __half half;
typedef __half __nv_half;
typedef __half2 half2;
