// bfloat16 numbers in registers.
#pragma once

/// Two, rounded to nearest, `high` in the upper bits.
__device__ __forceinline__ unsigned pack_bf16(float low, float high) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
