// clang's header of intrinsics includes this one of CUDA: what it takes from it.
#pragma once

static __device__ __inline__ void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
#define WW_MATCHES(T, bits, As)                                                           \
  static __device__ __inline__ unsigned __match_any_sync(unsigned mask, T v) {            \
    return __match##bits##_any_sync(mask, (As)v);                                         \
  }                                                                                       \
  static __device__ __inline__ unsigned __match_all_sync(unsigned mask, T v, int* same) { \
    return __match##bits##_all_sync(mask, (As)v, same);                                   \
  }
WW_MATCHES(int, 32, unsigned)
WW_MATCHES(unsigned, 32, unsigned)
WW_MATCHES(long long, 64, unsigned long long)
WW_MATCHES(unsigned long long, 64, unsigned long long)
#undef WW_MATCHES
