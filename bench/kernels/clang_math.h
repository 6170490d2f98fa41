// What the kernels want of CUDA's mathematics, for clang without a CUDA toolkit (behind cuda_min.h).
#pragma once

#ifdef __clang__
__device__ static inline float rsqrtf(float x) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ static inline float expf(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x * 1.44269504f));
  return r;
}
__device__ static inline float logf(float x) {
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r * 0.693147181f;
}
#endif
