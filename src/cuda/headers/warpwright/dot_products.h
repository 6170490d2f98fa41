// Dot products of bytes, and of bytes with halves of words (sm_61_intrinsics.h): d = c + sum of products.
#pragma once

#define WW_DOT_PRODUCT(name, instruction, type, first, second)                                       \
  static __device__ __inline__ __attribute__((always_inline)) type name(type a, type b, type c) {    \
    type d;                                                                                          \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                          \
    return d;                                                                                        \
  }                                                                                                  \
  static __device__ __inline__ __attribute__((always_inline)) type name(first a, second b, type c) { \
    return name(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                        \
  }
WW_DOT_PRODUCT(__dp4a, "dp4a.s32.s32", int, char4, char4)
WW_DOT_PRODUCT(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
WW_DOT_PRODUCT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
WW_DOT_PRODUCT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
WW_DOT_PRODUCT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
WW_DOT_PRODUCT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)
#undef WW_DOT_PRODUCT
