// CUDA's vector types and dim3 (Programming Guide, built-in vector types).
#pragma once

#include "warpwright/words.h"

// name1 … name4 of numbers T, those of two and four aligned as the guide's table says, and make_name1 … to
// make them.
#define WW_VECTOR_MAKER static __inline__ __host__ __device__
#define WW_VECTORS(name, T, align2, align4)                                           \
  struct name##1 {                                                                    \
    T x;                                                                              \
  };                                                                                  \
  struct __align__(align2) name##2 {                                                  \
    T x, y;                                                                           \
  };                                                                                  \
  struct name##3 {                                                                    \
    T x, y, z;                                                                        \
  };                                                                                  \
  struct __align__(align4) name##4 {                                                  \
    T x, y, z, w;                                                                     \
  };                                                                                  \
  WW_VECTOR_MAKER name##1 make_##name##1(T x) { return name##1 {x}; }                 \
  WW_VECTOR_MAKER name##2 make_##name##2(T x, T y) { return name##2 {x, y}; }         \
  WW_VECTOR_MAKER name##3 make_##name##3(T x, T y, T z) { return name##3 {x, y, z}; } \
  WW_VECTOR_MAKER name##4 make_##name##4(T x, T y, T z, T w) { return name##4 {x, y, z, w}; }
WW_VECTORS(char, signed char, 2, 4)
WW_VECTORS(uchar, unsigned char, 2, 4)
WW_VECTORS(short, short, 4, 8)
WW_VECTORS(ushort, unsigned short, 4, 8)
WW_VECTORS(int, int, 8, 16)
WW_VECTORS(uint, unsigned, 8, 16)
WW_VECTORS(long, long, 16, 16)
WW_VECTORS(ulong, unsigned long, 16, 16)
WW_VECTORS(longlong, long long, 16, 16)
WW_VECTORS(ulonglong, unsigned long long, 16, 16)
WW_VECTORS(float, float, 8, 16)
WW_VECTORS(double, double, 16, 16)
#undef WW_VECTORS
#undef WW_VECTOR_MAKER

struct dim3 {
  unsigned x, y, z;
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
