// Numbers of 8 bits (CUDA Math API, "FP8 Intrinsics"): e4m3, e5m2 and the powers of two e8m0, one, two and
// four of them.
#pragma once

#include "warpwright/small_floats.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace ww_small {
static __host__ __device__ __inline__ unsigned encode_fp8(double x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind) {
  const bool limited = saturation == __NV_SATFINITE;
  unsigned long long bits;  // of a NaN the sign and, in e5m2, a bit of the fraction stay
  __builtin_memcpy(&bits, &x, 8);
  const unsigned sign = bits >> 63 << 7;
  if (kind == __NV_E4M3) return encode<4, 3>(x, 0x7e, limited ? 0x7e : 0x7f, sign | 0x7f, cudaRoundNearest);
  return encode<5, 2>(x, 0x7b, limited ? 0x7b : 0x7c, sign | 0x7e | (bits >> 50 & 1), cudaRoundNearest);
}
static __host__ __device__ __inline__ unsigned encode_fp8(float x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind) {
  return x != x ? 0x7f : encode_fp8((double)x, saturation, kind);  // as the instruction gives it
}
static __host__ __device__ __inline__ float decode_fp8(unsigned code, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E4M3) return (code & 0x7f) == 0x7f ? of_bits(0x7fffffff) : decode<4, 3>(code);
  if ((code & 0x7f) > 0x7c) return of_bits(0x7fffffff);
  if ((code & 0x7f) == 0x7c) return of_bits(code & 0x80 ? 0xff800000 : 0x7f800000);
  return decode<5, 2>(code);
}
static __host__ __device__ __inline__ unsigned encode_e8m0(double x, __nv_saturation_t saturation,
                                                           int rounding) {
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, 8);
  bits &= ~0ull >> 1;  // only positive numbers are there
  if (bits > 0x7ffull << 52) return 0xff;
  const int exponent = (int)(bits >> 52) - 1023;
  const unsigned long long rest = bits & ~0ull >> 12;
  const bool away = rounding == cudaRoundPosInf && rest;
  if (exponent < -127) return 0;
  const unsigned code = (unsigned)(exponent + 127) + away;
  return code > 0xfe ? (saturation == __NV_SATFINITE ? 0xfe : 0xff) : code;
}
static __host__ __device__ __inline__ float decode_e8m0(unsigned code) {
  return of_bits(code == 0xff ? 0x7fffffff : code ? code << 23 : 1u << 22);
}
}  // namespace ww_small

#define WW_STORE __nv_fp8_storage_t
#define WW_STORE2 __nv_fp8x2_storage_t
#define WW_STORE4 __nv_fp8x4_storage_t
#define WW_WIDTH 8

#define WW_KIND __nv_fp8_e4m3
#define WW_KIND2 __nv_fp8x2_e4m3
#define WW_KIND4 __nv_fp8x4_e4m3
#define WW_ENCODE(x) ww_small::encode_fp8(x, __NV_SATFINITE, __NV_E4M3)
#define WW_DECODE(x) ww_small::decode_fp8(x, __NV_E4M3)
#include "warpwright/small_kind.h"
#define WW_KIND __nv_fp8_e5m2
#define WW_KIND2 __nv_fp8x2_e5m2
#define WW_KIND4 __nv_fp8x4_e5m2
#define WW_ENCODE(x) ww_small::encode_fp8(x, __NV_SATFINITE, __NV_E5M2)
#define WW_DECODE(x) ww_small::decode_fp8(x, __NV_E5M2)
#include "warpwright/small_kind.h"
#define WW_KIND __nv_fp8_e8m0
#define WW_KIND2 __nv_fp8x2_e8m0
#define WW_KIND4 __nv_fp8x4_e8m0
#define WW_ENCODE(x) ww_small::encode_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)
#define WW_DECODE(x) ww_small::decode_e8m0(x)
#include "warpwright/small_kind.h"

static __host__ __device__ __inline__ __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x,
                                                                                __nv_saturation_t saturation,
                                                                                cudaRoundMode rounding) {
  return (__nv_fp8_storage_t)ww_small::encode_e8m0(x, saturation, rounding);
}
static __host__ __device__ __inline__ __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x,
                                                                                 __nv_saturation_t saturation,
                                                                                 cudaRoundMode rounding) {
  return (__nv_fp8_storage_t)ww_small::encode_e8m0(x, saturation, rounding);
}
static __host__ __device__ __inline__ __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{__nv_bfloat16(ww_small::decode_e8m0(x)).bits};
}
#define WW_FP fp8
#define WW_FPX2 fp8x2
#define WW_KINDS __nv_fp8_interpretation_t
#define WW_HOW __nv_saturation_t how, __nv_fp8_interpretation_t kind
#define WW_HOW_PASSED how, kind
#define WW_ENCODE ww_small::encode_fp8
#define WW_DECODE ww_small::decode_fp8
#include "warpwright/small_calls.h"
