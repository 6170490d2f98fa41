// What kernels may call, on top of clang's own headers for CUDA (__clang_cuda_*.h come with clang): the
// functions of libdevice, atomics, and what else those headers leave to a CUDA toolkit.
#pragma once

#define CUDA_VERSION 12090
// The order matters.
// clang-format off
#include <__clang_cuda_math_forward_declares.h>

#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#define __CUDACC__  // libstdc++ leaves __float128 alone
#include <limits.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>
#pragma pop_macro("__CUDACC__")

#include "warpwright/runtime_calls.h"

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;

#pragma push_macro("__CUDA_ARCH__")
#pragma push_macro("__forceinline__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999  // the host side sees the declarations of all
#endif
#include <__clang_cuda_builtin_vars.h>
#include "warpwright/libdevice.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "warpwright/atomics.h"
#include <__clang_cuda_cmath.h>
#include "warpwright/addresses.h"
#include "warpwright/old_shuffles.h"
#include "warpwright/reductions.h"
#include "warpwright/textures.h"
#include <__clang_cuda_complex_builtins.h>
#include <math.h>  // isinf() and its kin without std::, for the host, too
#pragma pop_macro("__forceinline__")
#pragma pop_macro("__CUDA_ARCH__")
// clang-format on

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);  // clang makes a vprintf of it
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t char_size);
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std {
__device__ static inline void free(void* pointer) { ::free(pointer); }
__device__ static inline void* malloc(size_t bytes) { return ::malloc(bytes); }
}  // namespace std

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#define WW_DEVICE static __device__ __inline__ __attribute__((always_inline))
WW_DEVICE float rsqrt(float x) { return rsqrtf(x); }
WW_DEVICE float rcbrt(float x) { return rcbrtf(x); }
WW_DEVICE float sinpi(float x) { return sinpif(x); }
WW_DEVICE float cospi(float x) { return cospif(x); }
WW_DEVICE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
WW_DEVICE void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
WW_DEVICE float normcdf(float x) { return normcdff(x); }
WW_DEVICE float erfinv(float x) { return erfinvf(x); }
WW_DEVICE float exp10(float x) { return exp10f(x); }
// Launches that may begin before the one before them has ended.
WW_DEVICE void cudaGridDependencySynchronize() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
WW_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Loads and stores with a hint for the caches.
#define WW_HINTED(name, order, T, width, constraint)                                                 \
  WW_DEVICE T name(const T* p) {                                                                     \
    T v;                                                                                             \
    asm volatile("ld.global." order "." width " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
    return v;                                                                                        \
  }
#define WW_HINTED_ALL(name, order)              \
  WW_HINTED(name, order, int, "s32", "r")       \
  WW_HINTED(name, order, unsigned, "u32", "r")  \
  WW_HINTED(name, order, float, "f32", "f")     \
  WW_HINTED(name, order, double, "f64", "d")    \
  WW_HINTED(name, order, long long, "s64", "l") \
  WW_HINTED(name, order, unsigned long long, "u64", "l")
WW_HINTED_ALL(__ldcg, "cg")
WW_HINTED_ALL(__ldca, "ca")
WW_HINTED_ALL(__ldcs, "cs")
WW_HINTED_ALL(__ldlu, "lu")
WW_HINTED_ALL(__ldcv, "cv")
#undef WW_HINTED_ALL
#undef WW_HINTED

// min and max of all pairs of types, on both sides.
#define WW_MIN_MAX(T)                                                             \
  static __host__ __device__ __inline__ T min(T a, T b) { return b < a ? b : a; } \
  static __host__ __device__ __inline__ T max(T a, T b) { return a < b ? b : a; }
WW_MIN_MAX(unsigned)
WW_MIN_MAX(long)
WW_MIN_MAX(unsigned long)
WW_MIN_MAX(long long)
WW_MIN_MAX(unsigned long long)
#undef WW_MIN_MAX
#define WW_MIN_MAX(A, B, T)                                                                   \
  static __host__ __device__ __inline__ T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; } \
  static __host__ __device__ __inline__ T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
WW_MIN_MAX(int, unsigned, unsigned)
WW_MIN_MAX(unsigned, int, unsigned)
WW_MIN_MAX(long, unsigned long, unsigned long)
WW_MIN_MAX(unsigned long, long, unsigned long)
WW_MIN_MAX(long long, unsigned long long, unsigned long long)
WW_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef WW_MIN_MAX
static __host__ __inline__ int min(int a, int b) { return b < a ? b : a; }
static __host__ __inline__ int max(int a, int b) { return a < b ? b : a; }
#define WW_MIN_MAX(A, B, T, min_of, max_of)                                            \
  static __host__ __device__ __inline__ T min(A a, B b) { return min_of((T)a, (T)b); } \
  static __host__ __device__ __inline__ T max(A a, B b) { return max_of((T)a, (T)b); }
WW_MIN_MAX(float, float, float, fminf, fmaxf)
WW_MIN_MAX(double, double, double, fmin, fmax)
WW_MIN_MAX(float, double, double, fmin, fmax)
WW_MIN_MAX(double, float, double, fmin, fmax)
#undef WW_MIN_MAX
#undef WW_DEVICE

// What CUDA has for the host, too.
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static inline float normcdff(float x) { return (float)normcdf((double)x); }
static inline double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2)); }
static inline double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2)); }
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
