// bfloat16 (CUDA Math API): __nv_bfloat16 and __nv_bfloat162. Kernels use its instructions where the GPU has
// them (sums and products since compute capability 9.0); else, and on the host, it is computed in float and
// rounded.
#pragma once

#include "cuda_runtime.h"

namespace ww_bfloat {
static __host__ __device__ __inline__ float to_float(unsigned short h) {
  const unsigned bits = (unsigned)h << 16;
  float f;
  __builtin_memcpy(&f, &bits, 4);
  return f;
}
static __host__ __device__ __inline__ unsigned short from_float(float f) {
  unsigned bits;
  __builtin_memcpy(&bits, &f, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // halves to even
}
}  // namespace ww_bfloat

#define WW_KIND __nv_bfloat16
#define WW_KIND2 __nv_bfloat162
#define WW_RAW __nv_bfloat16_raw
#define WW_RAW2 __nv_bfloat162_raw
#define WW_NAME bfloat16
#define WW_PAIR_OF __bfloat162bfloat162
#define WW_PAIR_OF2 __halves2bfloat162
#define WW_INSIDE ww_bfloat
#define WW_PTX "bf16"
#define WW_INFINITE 0x7f80
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define WW_SOFT
#endif
#include "warpwright/half_kind.h"
#include "warpwright/half_kind_end.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
