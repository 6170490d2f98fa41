// The part of CUDA's device language that is not in the compiler itself, for clang without a CUDA toolkit
// (`-include cuda_min.h`; nvcc brings its own). Names and meanings are CUDA's.
#pragma once

#if !defined(__NVCC__) && defined(__clang__)

#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#include <__clang_cuda_builtin_vars.h>  // threadIdx, blockIdx, blockDim, gridDim, warpSize

#define WW_VECTORS(T, name)                                             \
  struct __align__(2 * sizeof(T)) name##2 {                             \
    T x, y;                                                             \
  };                                                                    \
  struct __align__(4 * sizeof(T)) name##4 {                             \
    T x, y, z, w;                                                       \
  };                                                                    \
  __device__ inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  __device__ inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WW_VECTORS(float, float)
WW_VECTORS(int, int)
WW_VECTORS(unsigned, uint)
WW_VECTORS(double, double)
#undef WW_VECTORS

#define WW_DEVICE __device__ static __forceinline__

// Barriers and fences.
// __syncthreads is a builtin of clang.
WW_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WW_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WW_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WW_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
WW_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WW_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WW_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

// Votes and shuffles.
WW_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WW_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
WW_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
WW_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
// The segment mask as the shuffle instructions take it: a group of `width` lanes.
#define WW_SHUFFLES(T, suffix)                                                             \
  WW_DEVICE T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {                  \
    return __nvvm_shfl_sync_idx_##suffix(mask, v, lane, ((32 - width) << 8) | 0x1f);       \
  }                                                                                        \
  WW_DEVICE T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {         \
    return __nvvm_shfl_sync_up_##suffix(mask, v, delta, (32 - width) << 8);                \
  }                                                                                        \
  WW_DEVICE T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {       \
    return __nvvm_shfl_sync_down_##suffix(mask, v, delta, ((32 - width) << 8) | 0x1f);     \
  }                                                                                        \
  WW_DEVICE T __shfl_xor_sync(unsigned mask, T v, int lane_mask, int width = 32) {         \
    return __nvvm_shfl_sync_bfly_##suffix(mask, v, lane_mask, ((32 - width) << 8) | 0x1f); \
  }
WW_SHUFFLES(int, i32)
WW_SHUFFLES(unsigned, i32)
WW_SHUFFLES(float, f32)
#undef WW_SHUFFLES

// Atomics.
WW_DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
WW_DEVICE unsigned atomicAdd(unsigned* p, unsigned v) {
  return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v)));
}
WW_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
WW_DEVICE unsigned atomicInc(unsigned* p, unsigned limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
WW_DEVICE unsigned atomicDec(unsigned* p, unsigned limit) { return __nvvm_atom_dec_gen_ui(p, limit); }
WW_DEVICE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
WW_DEVICE int atomicCAS(int* p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
WW_DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
WW_DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }

// Arithmetic.
template <class T>
WW_DEVICE constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WW_DEVICE constexpr T max(T a, T b) {
  return a < b ? b : a;
}
WW_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
WW_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
WW_DEVICE float fabsf(float a) { return __nvvm_fabs_f(a); }
WW_DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WW_DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WW_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
/// 32 bits of high:low from bit `by` (modulo 32) on.
WW_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (by & 31));
}
WW_DEVICE int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
WW_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
template <class T>
WW_DEVICE T __ldg(const T* p) {
  return *p;
}

// Textures.
using cudaTextureObject_t = unsigned long long;
template <class T>
WW_DEVICE T tex2D(cudaTextureObject_t texture, float x, float y);
template <>
__device__ __forceinline__ float tex2D<float>(cudaTextureObject_t texture, float x, float y) {
  float v, unused;
  asm("tex.2d.v4.f32.f32 {%0, %1, %1, %1}, [%2, {%3, %4}];"
      : "=f"(v), "=f"(unused)
      : "l"(texture), "f"(x), "f"(y));
  return v;
}

#undef WW_DEVICE
#endif
