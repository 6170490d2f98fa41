// CUDA's words for functions and variables, as clang's attributes.
#pragma once

#include <stddef.h>

#if !defined(__clang__) || !defined(__CUDA__)
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#else
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// The host's variable is the device's: it lies in a section of its own, which the runtime is told of before the
// variables are announced to it.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("ww_managed")))
extern "C" {
extern char __start_ww_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_ww_managed[] __attribute__((weak, visibility("hidden")));
void ww_cuda_share(const void* begin, const void* end);
}
static void __attribute__((constructor(101), unused)) ww_share_managed() {
  if (__start_ww_managed != __stop_ww_managed) ww_cuda_share(__start_ww_managed, __stop_ww_managed);
}
#endif
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)
#define CUDARTAPI
#define CUDART_CB
