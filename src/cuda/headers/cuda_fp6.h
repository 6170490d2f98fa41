// Numbers of 6 bits (CUDA Math API, "FP6 Intrinsics"): e2m3 and e3m2, one, two and four of them, each in a
// byte.
#pragma once

#include "warpwright/small_floats.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

namespace ww_small {
static __host__ __device__ __inline__ unsigned encode_fp6(double x, __nv_fp6_interpretation_t kind,
                                                          int rounding) {
  return kind == __NV_E2M3 ? encode<2, 3>(x, 0x1f, 0x1f, 0x1f, rounding)
                           : encode<3, 2>(x, 0x1f, 0x1f, 0x1f, rounding);
}
static __host__ __device__ __inline__ float decode_fp6(unsigned code, __nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? decode<2, 3>(code) : decode<3, 2>(code);
}
}  // namespace ww_small

#define WW_STORE __nv_fp6_storage_t
#define WW_STORE2 __nv_fp6x2_storage_t
#define WW_STORE4 __nv_fp6x4_storage_t
#define WW_WIDTH 8
#define WW_KIND __nv_fp6_e2m3
#define WW_KIND2 __nv_fp6x2_e2m3
#define WW_KIND4 __nv_fp6x4_e2m3
#define WW_ENCODE(x) ww_small::encode_fp6(x, __NV_E2M3, cudaRoundNearest)
#define WW_DECODE(x) ww_small::decode_fp6(x, __NV_E2M3)
#include "warpwright/small_kind.h"
#define WW_KIND __nv_fp6_e3m2
#define WW_KIND2 __nv_fp6x2_e3m2
#define WW_KIND4 __nv_fp6x4_e3m2
#define WW_ENCODE(x) ww_small::encode_fp6(x, __NV_E3M2, cudaRoundNearest)
#define WW_DECODE(x) ww_small::decode_fp6(x, __NV_E3M2)
#include "warpwright/small_kind.h"
#define WW_FP fp6
#define WW_FPX2 fp6x2
#define WW_KINDS __nv_fp6_interpretation_t
#define WW_HOW __nv_fp6_interpretation_t kind, cudaRoundMode how
#define WW_HOW_PASSED kind, how
#define WW_ENCODE ww_small::encode_fp6
#define WW_DECODE ww_small::decode_fp6
#include "warpwright/small_calls.h"
