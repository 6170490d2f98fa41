// Numbers of 4 bits (CUDA Math API, "FP4 Intrinsics"): e2m1, one, two and four of them, two in a byte.
#pragma once

#include "warpwright/small_floats.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

namespace ww_small {
static __host__ __device__ __inline__ unsigned encode_fp4(double x, __nv_fp4_interpretation_t, int rounding) {
  return encode<2, 1>(x, 7, 7, 7, rounding);
}
static __host__ __device__ __inline__ float decode_fp4(unsigned code, __nv_fp4_interpretation_t) {
  return decode<2, 1>(code);
}
}  // namespace ww_small

#define WW_STORE __nv_fp4_storage_t
#define WW_STORE2 __nv_fp4x2_storage_t
#define WW_STORE4 __nv_fp4x4_storage_t
#define WW_WIDTH 4
#define WW_KIND __nv_fp4_e2m1
#define WW_KIND2 __nv_fp4x2_e2m1
#define WW_KIND4 __nv_fp4x4_e2m1
#define WW_ENCODE(x) ww_small::encode_fp4(x, __NV_E2M1, cudaRoundNearest)
#define WW_DECODE(x) ww_small::decode_fp4(x, __NV_E2M1)
#include "warpwright/small_kind.h"
#define WW_FP fp4
#define WW_FPX2 fp4x2
#define WW_KINDS __nv_fp4_interpretation_t
#define WW_HOW __nv_fp4_interpretation_t kind, cudaRoundMode how
#define WW_HOW_PASSED kind, how
#define WW_ENCODE ww_small::encode_fp4
#define WW_DECODE ww_small::decode_fp4
#include "warpwright/small_calls.h"
