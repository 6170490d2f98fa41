// Half precision (CUDA Math API): __half and __half2, conversions, arithmetic, comparisons and the common
// functions. Kernels use the instructions of half precision, the host computes in float and rounds.
#pragma once

#include "cuda_runtime.h"

#define WW_HALF static __host__ __device__ __inline__

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

namespace ww_half {
WW_HALF float to_float(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  unsigned sign = (unsigned)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  unsigned bits =
      sign | (exponent == 31 ? 0x7f800000u | fraction << 13 : (exponent + 112) << 23 | fraction << 13);
  float f;
  __builtin_memcpy(&f, &bits, 4);
  if (exponent == 0) f = (sign ? -1.f : 1.f) * (float)fraction * 0x1p-24f;
  return f;
#endif
}
WW_HALF unsigned short from_float(float f) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  unsigned bits, sign;
  __builtin_memcpy(&bits, &f, 4);
  sign = bits >> 16 & 0x8000, bits &= 0x7fffffff;
  if (bits > 0x7f800000) return 0x7fff;
  if (bits >= 0x47800000) return (unsigned short)(sign | 0x7c00);
  if (bits < 0x38800000) {  // below 2^-14: a multiple of 2^-24
    float a;
    __builtin_memcpy(&a, &bits, 4);
    return (unsigned short)(sign | (unsigned)__builtin_rintf(a * 0x1p24f));
  }
  bits += 0xfff + (bits >> 13 & 1);  // halves to even
  return (unsigned short)(sign | (bits - 0x38000000) >> 13);
#endif
}
}  // namespace ww_half

struct __align__(2) __half {
  unsigned short bits;
  __half() = default;
  WW_HALF __half of_bits(unsigned short b) {
    __half h;
    h.bits = b;
    return h;
  }
  __host__ __device__ __half(float f) : bits(ww_half::from_float(f)) {}
  __host__ __device__ __half(double f) : bits(ww_half::from_float((float)f)) {}
  __host__ __device__ __half(int v) : bits(ww_half::from_float((float)v)) {}
  __host__ __device__ __half(unsigned v) : bits(ww_half::from_float((float)v)) {}
  __host__ __device__ __half(__half_raw raw) : bits(raw.x) {}
  __host__ __device__ operator float() const { return ww_half::to_float(bits); }
  __host__ __device__ operator __half_raw() const { return __half_raw{bits}; }
};
typedef __half half;
typedef __half __nv_half;
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;

WW_HALF __half __float2half(float f) { return __half(f); }
WW_HALF __half __float2half_rn(float f) { return __half(f); }
WW_HALF __half __double2half(double f) { return __half(f); }
WW_HALF float __half2float(__half h) { return (float)h; }
WW_HALF __half __int2half_rn(int v) { return __half(v); }
WW_HALF int __half2int_rn(__half h) { return (int)__builtin_rintf((float)h); }
WW_HALF int __half2int_rz(__half h) { return (int)(float)h; }
WW_HALF __half __ushort_as_half(unsigned short b) { return __half::of_bits(b); }
WW_HALF unsigned short __half_as_ushort(__half h) { return h.bits; }
WW_HALF __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WW_HALF __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WW_HALF __half2 __half2half2(__half a) { return __half2(a, a); }
WW_HALF __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
WW_HALF __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WW_HALF __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
WW_HALF float2 __half22float2(__half2 v) { return float2{(float)v.x, (float)v.y}; }
WW_HALF float __low2float(__half2 v) { return (float)v.x; }
WW_HALF float __high2float(__half2 v) { return (float)v.y; }
WW_HALF __half __low2half(__half2 v) { return v.x; }
WW_HALF __half __high2half(__half2 v) { return v.y; }
WW_HALF __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
WW_HALF __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
WW_HALF __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

namespace ww_half {
#if defined(__CUDA_ARCH__)
#define WW_INSTRUCTION(name, instruction)                                      \
  static __device__ __inline__ __half name(__half a, __half b) {               \
    __half r;                                                                  \
    asm(instruction " %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); \
    return r;                                                                  \
  }
WW_INSTRUCTION(add, "add.rn.f16")
WW_INSTRUCTION(sub, "sub.rn.f16")
WW_INSTRUCTION(mul, "mul.rn.f16")
#undef WW_INSTRUCTION
static __device__ __inline__ __half fma(__half a, __half b, __half c) {
  __half r;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return r;
}
#else
static inline __half add(__half a, __half b) { return __half((float)a + (float)b); }
static inline __half sub(__half a, __half b) { return __half((float)a - (float)b); }
static inline __half mul(__half a, __half b) { return __half((float)a * (float)b); }
static inline __half fma(__half a, __half b, __half c) {
  return __half((double)(float)a * (float)b + (float)c);
}
#if defined(__CUDA__)
static __device__ __half add(__half a, __half b);
static __device__ __half sub(__half a, __half b);
static __device__ __half mul(__half a, __half b);
static __device__ __half fma(__half a, __half b, __half c);
#endif
#endif
}  // namespace ww_half

WW_HALF __half __hadd(__half a, __half b) { return ww_half::add(a, b); }
WW_HALF __half __hsub(__half a, __half b) { return ww_half::sub(a, b); }
WW_HALF __half __hmul(__half a, __half b) { return ww_half::mul(a, b); }
WW_HALF __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
WW_HALF __half __hfma(__half a, __half b, __half c) { return ww_half::fma(a, b, c); }
WW_HALF __half __hneg(__half a) { return __half::of_bits((unsigned short)(a.bits ^ 0x8000)); }
WW_HALF __half __habs(__half a) { return __half::of_bits((unsigned short)(a.bits & 0x7fff)); }
WW_HALF bool __heq(__half a, __half b) { return (float)a == (float)b; }
WW_HALF bool __hne(__half a, __half b) { return (float)a != (float)b; }
WW_HALF bool __hlt(__half a, __half b) { return (float)a < (float)b; }
WW_HALF bool __hle(__half a, __half b) { return (float)a <= (float)b; }
WW_HALF bool __hgt(__half a, __half b) { return (float)a > (float)b; }
WW_HALF bool __hge(__half a, __half b) { return (float)a >= (float)b; }
WW_HALF bool __hisnan(__half a) { return (a.bits & 0x7fff) > 0x7c00; }
WW_HALF __half __hmax(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) || __hge(a, b) ? a : b; }
WW_HALF __half __hmin(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) || __hle(a, b) ? a : b; }

WW_HALF __half operator+(__half a, __half b) { return __hadd(a, b); }
WW_HALF __half operator-(__half a, __half b) { return __hsub(a, b); }
WW_HALF __half operator*(__half a, __half b) { return __hmul(a, b); }
WW_HALF __half operator/(__half a, __half b) { return __hdiv(a, b); }
WW_HALF __half operator-(__half a) { return __hneg(a); }
WW_HALF __half& operator+=(__half& a, __half b) { return a = a + b; }
WW_HALF __half& operator-=(__half& a, __half b) { return a = a - b; }
WW_HALF __half& operator*=(__half& a, __half b) { return a = a * b; }
WW_HALF __half& operator/=(__half& a, __half b) { return a = a / b; }
WW_HALF bool operator==(__half a, __half b) { return __heq(a, b); }
WW_HALF bool operator!=(__half a, __half b) { return __hne(a, b); }
WW_HALF bool operator<(__half a, __half b) { return __hlt(a, b); }
WW_HALF bool operator<=(__half a, __half b) { return __hle(a, b); }
WW_HALF bool operator>(__half a, __half b) { return __hgt(a, b); }
WW_HALF bool operator>=(__half a, __half b) { return __hge(a, b); }

#define WW_PAIR(name, one) \
  WW_HALF __half2 name(__half2 a, __half2 b) { return __half2(one(a.x, b.x), one(a.y, b.y)); }
WW_PAIR(__hadd2, __hadd)
WW_PAIR(__hsub2, __hsub)
WW_PAIR(__hmul2, __hmul)
WW_PAIR(__h2div, __hdiv)
WW_PAIR(__hmax2, __hmax)
WW_PAIR(__hmin2, __hmin)
WW_PAIR(operator+, __hadd)
WW_PAIR(operator-, __hsub)
WW_PAIR(operator*, __hmul)
WW_PAIR(operator/, __hdiv)
#undef WW_PAIR
WW_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WW_HALF __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
WW_HALF __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
WW_HALF __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }

#define WW_FUNCTION(name, f)                                       \
  WW_HALF __half h##name(__half a) { return __half(f((float)a)); } \
  WW_HALF __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
WW_FUNCTION(exp, expf)
WW_FUNCTION(log, logf)
WW_FUNCTION(sqrt, sqrtf)
WW_FUNCTION(rsqrt, 1.f / sqrtf)
WW_FUNCTION(sin, sinf)
WW_FUNCTION(cos, cosf)
WW_FUNCTION(rcp, 1.f /)
WW_FUNCTION(floor, floorf)
WW_FUNCTION(ceil, ceilf)
WW_FUNCTION(exp2, exp2f)
WW_FUNCTION(log2, log2f)
WW_FUNCTION(rint, rintf)
WW_FUNCTION(trunc, truncf)
#undef WW_FUNCTION

#if defined(__CUDA__)
static __device__ __inline__ __half __ldg(const __half* p) { return __half::of_bits(__ldg(&p->bits)); }
static __device__ __inline__ __half atomicAdd(__half* p, __half v) {
  __half before;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(before.bits) : "l"(p), "h"(v.bits) : "memory");
  return before;
}
static __device__ __inline__ __half2 atomicAdd(__half2* p, __half2 v) {
  unsigned bits, before;
  __builtin_memcpy(&bits, &v, 4);
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(bits) : "memory");
  __builtin_memcpy(&v, &before, 4);
  return v;
}
#define WW_SHUFFLED(name, T)                                                                    \
  static __device__ __inline__ __half name(unsigned mask, __half v, T what, int width = 32) {   \
    return __half::of_bits((unsigned short)name(mask, (int)v.bits, what, width));               \
  }                                                                                             \
  static __device__ __inline__ __half2 name(unsigned mask, __half2 v, T what, int width = 32) { \
    int bits;                                                                                   \
    __builtin_memcpy(&bits, &v, 4);                                                             \
    bits = name(mask, bits, what, width);                                                       \
    __builtin_memcpy(&v, &bits, 4);                                                             \
    return v;                                                                                   \
  }
WW_SHUFFLED(__shfl_sync, int)
WW_SHUFFLED(__shfl_up_sync, unsigned)
WW_SHUFFLED(__shfl_down_sync, unsigned)
WW_SHUFFLED(__shfl_xor_sync, int)
#undef WW_SHUFFLED
#endif
#undef WW_HALF
