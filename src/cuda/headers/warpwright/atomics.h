// Atomic functions (Programming Guide, Atomic Functions), each also as NAME_block and NAME_system. The names
// behind them are clang's: __iAtomicAdd and so on, a letter or more for the type.
#pragma once

#define WW_ATOMIC(T, letter, what, scope)                         \
  static __device__ __inline__ T atomic##what##scope(T* p, T v) { \
    return (T)__##letter##Atomic##what##scope(p, v);              \
  }
#define WW_ATOMIC_EXTREMES(T, letter, scope) \
  WW_ATOMIC(T, letter, Max, scope)           \
  WW_ATOMIC(T, letter, Min, scope)
#define WW_ATOMIC_WHOLE(T, letter, scope)                                  \
  WW_ATOMIC(T, letter, Add, scope)                                         \
  WW_ATOMIC(T, letter, And, scope)                                         \
  WW_ATOMIC(T, letter, Or, scope)                                          \
  WW_ATOMIC(T, letter, Xor, scope)                                         \
  WW_ATOMIC(T, letter, Exch, scope)                                        \
  WW_ATOMIC_EXTREMES(T, letter, scope)                                     \
  static __device__ __inline__ T atomicCAS##scope(T* p, T compared, T v) { \
    return __##letter##AtomicCAS##scope(p, compared, v);                   \
  }
#define WW_ATOMIC_SUB(T, letter, scope)                            \
  static __device__ __inline__ T atomicSub##scope(T* p, T v) {     \
    return __##letter##AtomicAdd##scope(p, (T)(0u - (unsigned)v)); \
  }
#define WW_ATOMIC_ALL(scope)                      \
  WW_ATOMIC_WHOLE(int, i, scope)                  \
  WW_ATOMIC_WHOLE(unsigned, u, scope)             \
  WW_ATOMIC_WHOLE(unsigned long long, ull, scope) \
  WW_ATOMIC_EXTREMES(long long, ill, scope)       \
  WW_ATOMIC_SUB(int, i, scope)                    \
  WW_ATOMIC_SUB(unsigned, u, scope)               \
  WW_ATOMIC(unsigned, u, Inc, scope)              \
  WW_ATOMIC(unsigned, u, Dec, scope)              \
  WW_ATOMIC(float, f, Add, scope)                 \
  WW_ATOMIC(double, d, Add, scope)                \
  WW_ATOMIC(float, f, Exch, scope)
WW_ATOMIC_ALL()
WW_ATOMIC_ALL(_block)
WW_ATOMIC_ALL(_system)
#undef WW_ATOMIC_ALL
#undef WW_ATOMIC_SUB
#undef WW_ATOMIC_WHOLE
#undef WW_ATOMIC_EXTREMES
#undef WW_ATOMIC
