// __reduce_*_sync. clang's own (clang 13 to 19 at least) hand mask and value over in the wrong order, so that
// they give wrong results without a word: they get other names here, and these take their place.
#pragma once

#define __reduce_add_sync ww_clang_reduce_add_sync
#define __reduce_min_sync ww_clang_reduce_min_sync
#define __reduce_max_sync ww_clang_reduce_max_sync
#define __reduce_and_sync ww_clang_reduce_and_sync
#define __reduce_or_sync ww_clang_reduce_or_sync
#define __reduce_xor_sync ww_clang_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

#if __CUDA_ARCH__ >= 800
#define WW_REDUCE(name, T, suffix)                                                                      \
  static __device__ __inline__ T __reduce_##name##_sync(unsigned mask, T value) {                       \
    T result;                                                                                           \
    asm volatile("redux.sync." #name "." suffix " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                                      \
  }
WW_REDUCE(add, unsigned, "u32")
WW_REDUCE(min, unsigned, "u32")
WW_REDUCE(max, unsigned, "u32")
WW_REDUCE(add, int, "s32")
WW_REDUCE(min, int, "s32")
WW_REDUCE(max, int, "s32")
WW_REDUCE(and, unsigned, "b32")
WW_REDUCE(or, unsigned, "b32")
WW_REDUCE(xor, unsigned, "b32")
#undef WW_REDUCE
#endif
