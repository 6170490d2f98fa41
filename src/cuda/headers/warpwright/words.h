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
// clang has no managed variables.
#define __managed__ \
  static_assert(false, "__managed__ variables take nvcc; cudaMallocManaged works without it");
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)
#define CUDARTAPI
#define CUDART_CB
