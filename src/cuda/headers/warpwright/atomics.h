// Atomic functions (Programming Guide, Atomic Functions), each also as NAME_block and NAME_system. The names
// behind them are clang's.
#pragma once

#define WW_ATOMIC(scope)                                          \
  WW_ATOMIC_SIGNED(scope)                                         \
  WW_ATOMIC_UNSIGNED(scope)                                       \
  WW_ATOMIC_LONG(scope)                                           \
  WW_ATOMIC_WHAT(float, Add##scope, __fAtomicAdd##scope, float)   \
  WW_ATOMIC_WHAT(double, Add##scope, __dAtomicAdd##scope, double) \
  WW_ATOMIC_WHAT(float, Exch##scope, __fAtomicExch##scope, float)
#define WW_ATOMIC_WHAT(T, name, behind, As) \
  static __device__ __inline__ T atomic##name(T* p, T v) { return (T)behind((As*)p, (As)v); }
#define WW_ATOMIC_SIGNED(s)                                      \
  WW_ATOMIC_WHAT(int, Add##s, __iAtomicAdd##s, int)              \
  WW_ATOMIC_WHAT(int, And##s, __iAtomicAnd##s, int)              \
  WW_ATOMIC_WHAT(int, Or##s, __iAtomicOr##s, int)                \
  WW_ATOMIC_WHAT(int, Xor##s, __iAtomicXor##s, int)              \
  WW_ATOMIC_WHAT(int, Exch##s, __iAtomicExch##s, int)            \
  WW_ATOMIC_WHAT(int, Max##s, __iAtomicMax##s, int)              \
  WW_ATOMIC_WHAT(int, Min##s, __iAtomicMin##s, int)              \
  static __device__ __inline__ int atomicSub##s(int* p, int v) { \
    return __iAtomicAdd##s(p, (int)(0u - (unsigned)v));          \
  }                                                              \
  static __device__ __inline__ int atomicCAS##s(int* p, int c, int v) { return __iAtomicCAS##s(p, c, v); }
#define WW_ATOMIC_UNSIGNED(s)                                                               \
  WW_ATOMIC_WHAT(unsigned, Add##s, __uAtomicAdd##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, And##s, __uAtomicAnd##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, Or##s, __uAtomicOr##s, unsigned)                                 \
  WW_ATOMIC_WHAT(unsigned, Xor##s, __uAtomicXor##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, Exch##s, __uAtomicExch##s, unsigned)                             \
  WW_ATOMIC_WHAT(unsigned, Max##s, __uAtomicMax##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, Min##s, __uAtomicMin##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, Inc##s, __uAtomicInc##s, unsigned)                               \
  WW_ATOMIC_WHAT(unsigned, Dec##s, __uAtomicDec##s, unsigned)                               \
  static __device__ __inline__ unsigned atomicSub##s(unsigned* p, unsigned v) {             \
    return __uAtomicAdd##s(p, 0u - v);                                                      \
  }                                                                                         \
  static __device__ __inline__ unsigned atomicCAS##s(unsigned* p, unsigned c, unsigned v) { \
    return __uAtomicCAS##s(p, c, v);                                                        \
  }
#define WW_ATOMIC_LONG(s)                                                                                   \
  WW_ATOMIC_WHAT(unsigned long long, Add##s, __ullAtomicAdd##s, unsigned long long)                         \
  WW_ATOMIC_WHAT(unsigned long long, Exch##s, __ullAtomicExch##s, unsigned long long)                       \
  WW_ATOMIC_WHAT(unsigned long long, And##s, __ullAtomicAnd##s, unsigned long long)                         \
  WW_ATOMIC_WHAT(unsigned long long, Or##s, __ullAtomicOr##s, unsigned long long)                           \
  WW_ATOMIC_WHAT(unsigned long long, Xor##s, __ullAtomicXor##s, unsigned long long)                         \
  WW_ATOMIC_WHAT(unsigned long long, Max##s, __ullAtomicMax##s, unsigned long long)                         \
  WW_ATOMIC_WHAT(unsigned long long, Min##s, __ullAtomicMin##s, unsigned long long)                         \
  WW_ATOMIC_WHAT(long long, Max##s, __illAtomicMax##s, long long)                                           \
  WW_ATOMIC_WHAT(long long, Min##s, __illAtomicMin##s, long long)                                           \
  static __device__ __inline__ unsigned long long atomicCAS##s(unsigned long long* p, unsigned long long c, \
                                                               unsigned long long v) {                      \
    return __ullAtomicCAS##s(p, c, v);                                                                      \
  }
WW_ATOMIC()
WW_ATOMIC(_block)
WW_ATOMIC(_system)
#undef WW_ATOMIC
#undef WW_ATOMIC_WHAT
#undef WW_ATOMIC_SIGNED
#undef WW_ATOMIC_UNSIGNED
#undef WW_ATOMIC_LONG
