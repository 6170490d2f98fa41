// One of the two formats of 16 bits, whichever cuda_fp16.h and cuda_bf16.h ask for: numbers, pairs,
// conversions, arithmetic, comparisons, functions. They say, by macros: WW_KIND and WW_KIND2 (the types),
// WW_NAME (half, bfloat16: what conversions are called by), WW_INSIDE (a namespace with to_float and
// from_float on bits, and add, sub, mul, fma), WW_RAW and WW_RAW2, WW_ADD_F (the atomic sum's type). No
// guard: it is included once for each.
#define WW_BOTH static __host__ __device__ __inline__
#define WW_PASTE_(a, b, c) a##b##c
#define WW_PASTE(a, b, c) WW_PASTE_(a, b, c)

struct WW_RAW {
  unsigned short x;
};
struct WW_RAW2 {
  unsigned short x, y;
};

struct __align__(2) WW_KIND {
  unsigned short bits;
  WW_KIND() = default;
  WW_BOTH WW_KIND of_bits(unsigned short b) {
    WW_KIND h;
    h.bits = b;
    return h;
  }
  __host__ __device__ WW_KIND(float f) : bits(WW_INSIDE::from_float(f)) {}
  __host__ __device__ WW_KIND(double f) : bits(WW_INSIDE::from_float((float)f)) {}
  __host__ __device__ WW_KIND(int v) : bits(WW_INSIDE::from_float((float)v)) {}
  __host__ __device__ WW_KIND(unsigned v) : bits(WW_INSIDE::from_float((float)v)) {}
  __host__ __device__ WW_KIND(WW_RAW raw) : bits(raw.x) {}
  __host__ __device__ operator float() const { return WW_INSIDE::to_float(bits); }
  __host__ __device__ operator WW_RAW() const { return WW_RAW{bits}; }
};
struct __align__(4) WW_KIND2 {
  WW_KIND x, y;
  WW_KIND2() = default;
  __host__ __device__ WW_KIND2(WW_KIND a, WW_KIND b) : x(a), y(b) {}
};

// Conversions.
WW_BOTH WW_KIND WW_PASTE(__float2, WW_NAME, )(float f) { return WW_KIND(f); }
WW_BOTH WW_KIND WW_PASTE(__float2, WW_NAME, _rn)(float f) { return WW_KIND(f); }
WW_BOTH WW_KIND WW_PASTE(__double2, WW_NAME, )(double f) { return WW_KIND(f); }
WW_BOTH float WW_PASTE(__, WW_NAME, 2float)(WW_KIND h) { return (float)h; }
WW_BOTH WW_KIND WW_PASTE(__int2, WW_NAME, _rn)(int v) { return WW_KIND(v); }
WW_BOTH int WW_PASTE(__, WW_NAME, 2int_rn)(WW_KIND h) { return (int)__builtin_rintf((float)h); }
WW_BOTH int WW_PASTE(__, WW_NAME, 2int_rz)(WW_KIND h) { return (int)(float)h; }
WW_BOTH WW_KIND WW_PASTE(__ushort_as_, WW_NAME, )(unsigned short b) { return WW_KIND::of_bits(b); }
WW_BOTH WW_KIND WW_PASTE(__short_as_, WW_NAME, )(short b) { return WW_KIND::of_bits((unsigned short)b); }
WW_BOTH unsigned short WW_PASTE(__, WW_NAME, _as_ushort)(WW_KIND h) { return h.bits; }
WW_BOTH short WW_PASTE(__, WW_NAME, _as_short)(WW_KIND h) { return (short)h.bits; }
WW_BOTH WW_KIND2 WW_PASTE(__float2, WW_NAME, 2_rn)(float f) { return WW_KIND2(WW_KIND(f), WW_KIND(f)); }
WW_BOTH WW_KIND2 WW_PASTE(__floats2, WW_NAME, 2_rn)(float a, float b) {
  return WW_KIND2(WW_KIND(a), WW_KIND(b));
}
WW_BOTH WW_KIND2 WW_PASTE(__float22, WW_NAME, 2_rn)(float2 v) { return WW_KIND2(WW_KIND(v.x), WW_KIND(v.y)); }
WW_BOTH float2 WW_PASTE(__, WW_NAME, 22float2)(WW_KIND2 v) { return float2{(float)v.x, (float)v.y}; }
WW_BOTH WW_KIND2 WW_PAIR_OF(WW_KIND a) { return WW_KIND2(a, a); }
WW_BOTH WW_KIND2 WW_PAIR_OF2(WW_KIND a, WW_KIND b) { return WW_KIND2(a, b); }
WW_BOTH WW_KIND2 WW_PASTE(make_, WW_NAME, 2)(WW_KIND a, WW_KIND b) { return WW_KIND2(a, b); }
WW_BOTH float __low2float(WW_KIND2 v) { return (float)v.x; }
WW_BOTH float __high2float(WW_KIND2 v) { return (float)v.y; }
WW_BOTH WW_KIND WW_PASTE(__low2, WW_NAME, )(WW_KIND2 v) { return v.x; }
WW_BOTH WW_KIND WW_PASTE(__high2, WW_NAME, )(WW_KIND2 v) { return v.y; }
WW_BOTH WW_KIND2 WW_PASTE(__low2, WW_NAME, 2)(WW_KIND2 v) { return WW_KIND2(v.x, v.x); }
WW_BOTH WW_KIND2 WW_PASTE(__high2, WW_NAME, 2)(WW_KIND2 v) { return WW_KIND2(v.y, v.y); }
WW_BOTH WW_KIND2 __lowhigh2highlow(WW_KIND2 v) { return WW_KIND2(v.y, v.x); }

namespace WW_INSIDE {
#if !defined(__CUDA_ARCH__)
static inline WW_KIND add(WW_KIND a, WW_KIND b) { return WW_KIND((float)a + (float)b); }
static inline WW_KIND sub(WW_KIND a, WW_KIND b) { return WW_KIND((float)a - (float)b); }
static inline WW_KIND mul(WW_KIND a, WW_KIND b) { return WW_KIND((float)a * (float)b); }
static inline WW_KIND fma(WW_KIND a, WW_KIND b, WW_KIND c) {
  return WW_KIND((double)(float)a * (float)b + (float)c);
}
#if defined(__CUDA__)
static __device__ WW_KIND add(WW_KIND a, WW_KIND b);
static __device__ WW_KIND sub(WW_KIND a, WW_KIND b);
static __device__ WW_KIND mul(WW_KIND a, WW_KIND b);
static __device__ WW_KIND fma(WW_KIND a, WW_KIND b, WW_KIND c);
#endif
#elif defined(WW_SOFT)
static __device__ __inline__ WW_KIND add(WW_KIND a, WW_KIND b) { return WW_KIND((float)a + (float)b); }
static __device__ __inline__ WW_KIND sub(WW_KIND a, WW_KIND b) { return WW_KIND((float)a - (float)b); }
static __device__ __inline__ WW_KIND mul(WW_KIND a, WW_KIND b) { return WW_KIND((float)a * (float)b); }
static __device__ __inline__ WW_KIND fma(WW_KIND a, WW_KIND b, WW_KIND c) {
  return WW_KIND((double)(float)a * (float)b + (float)c);
}
#else
#define WW_INSTRUCTION(name)                                                           \
  static __device__ __inline__ WW_KIND name(WW_KIND a, WW_KIND b) {                    \
    WW_KIND r;                                                                         \
    asm(#name ".rn." WW_PTX " %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); \
    return r;                                                                          \
  }
WW_INSTRUCTION(add)
WW_INSTRUCTION(sub)
WW_INSTRUCTION(mul)
#undef WW_INSTRUCTION
static __device__ __inline__ WW_KIND fma(WW_KIND a, WW_KIND b, WW_KIND c) {
  WW_KIND r;
  asm("fma.rn." WW_PTX " %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return r;
}
#endif
}  // namespace WW_INSIDE

WW_BOTH WW_KIND __hadd(WW_KIND a, WW_KIND b) { return WW_INSIDE::add(a, b); }
WW_BOTH WW_KIND __hsub(WW_KIND a, WW_KIND b) { return WW_INSIDE::sub(a, b); }
WW_BOTH WW_KIND __hmul(WW_KIND a, WW_KIND b) { return WW_INSIDE::mul(a, b); }
WW_BOTH WW_KIND __hdiv(WW_KIND a, WW_KIND b) { return WW_KIND((float)a / (float)b); }
WW_BOTH WW_KIND __hfma(WW_KIND a, WW_KIND b, WW_KIND c) { return WW_INSIDE::fma(a, b, c); }
WW_BOTH WW_KIND __hneg(WW_KIND a) { return WW_KIND::of_bits((unsigned short)(a.bits ^ 0x8000)); }
WW_BOTH WW_KIND __habs(WW_KIND a) { return WW_KIND::of_bits((unsigned short)(a.bits & 0x7fff)); }
WW_BOTH bool __heq(WW_KIND a, WW_KIND b) { return (float)a == (float)b; }
WW_BOTH bool __hne(WW_KIND a, WW_KIND b) { return (float)a != (float)b; }
WW_BOTH bool __hlt(WW_KIND a, WW_KIND b) { return (float)a < (float)b; }
WW_BOTH bool __hle(WW_KIND a, WW_KIND b) { return (float)a <= (float)b; }
WW_BOTH bool __hgt(WW_KIND a, WW_KIND b) { return (float)a > (float)b; }
WW_BOTH bool __hge(WW_KIND a, WW_KIND b) { return (float)a >= (float)b; }
WW_BOTH bool __hisnan(WW_KIND a) { return (a.bits & 0x7fff) > WW_INFINITE; }
WW_BOTH WW_KIND __hmax(WW_KIND a, WW_KIND b) { return __hisnan(a) ? b : __hisnan(b) || __hge(a, b) ? a : b; }
WW_BOTH WW_KIND __hmin(WW_KIND a, WW_KIND b) { return __hisnan(a) ? b : __hisnan(b) || __hle(a, b) ? a : b; }

WW_BOTH WW_KIND operator+(WW_KIND a, WW_KIND b) { return __hadd(a, b); }
WW_BOTH WW_KIND operator-(WW_KIND a, WW_KIND b) { return __hsub(a, b); }
WW_BOTH WW_KIND operator*(WW_KIND a, WW_KIND b) { return __hmul(a, b); }
WW_BOTH WW_KIND operator/(WW_KIND a, WW_KIND b) { return __hdiv(a, b); }
WW_BOTH WW_KIND operator-(WW_KIND a) { return __hneg(a); }
WW_BOTH WW_KIND& operator+=(WW_KIND& a, WW_KIND b) { return a = a + b; }
WW_BOTH WW_KIND& operator-=(WW_KIND& a, WW_KIND b) { return a = a - b; }
WW_BOTH WW_KIND& operator*=(WW_KIND& a, WW_KIND b) { return a = a * b; }
WW_BOTH WW_KIND& operator/=(WW_KIND& a, WW_KIND b) { return a = a / b; }
WW_BOTH bool operator==(WW_KIND a, WW_KIND b) { return __heq(a, b); }
WW_BOTH bool operator!=(WW_KIND a, WW_KIND b) { return __hne(a, b); }
WW_BOTH bool operator<(WW_KIND a, WW_KIND b) { return __hlt(a, b); }
WW_BOTH bool operator<=(WW_KIND a, WW_KIND b) { return __hle(a, b); }
WW_BOTH bool operator>(WW_KIND a, WW_KIND b) { return __hgt(a, b); }
WW_BOTH bool operator>=(WW_KIND a, WW_KIND b) { return __hge(a, b); }

#define WW_PAIR(name, one) \
  WW_BOTH WW_KIND2 name(WW_KIND2 a, WW_KIND2 b) { return WW_KIND2(one(a.x, b.x), one(a.y, b.y)); }
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
WW_BOTH WW_KIND2 __hfma2(WW_KIND2 a, WW_KIND2 b, WW_KIND2 c) {
  return WW_KIND2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WW_BOTH WW_KIND2 __hneg2(WW_KIND2 a) { return WW_KIND2(__hneg(a.x), __hneg(a.y)); }
WW_BOTH WW_KIND2 __habs2(WW_KIND2 a) { return WW_KIND2(__habs(a.x), __habs(a.y)); }
WW_BOTH WW_KIND2& operator+=(WW_KIND2& a, WW_KIND2 b) { return a = a + b; }

#define WW_FUNCTION(name, f)                                          \
  WW_BOTH WW_KIND h##name(WW_KIND a) { return WW_KIND(f((float)a)); } \
  WW_BOTH WW_KIND2 h2##name(WW_KIND2 a) { return WW_KIND2(h##name(a.x), h##name(a.y)); }
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
static __device__ __inline__ WW_KIND __ldg(const WW_KIND* p) { return WW_KIND::of_bits(__ldg(&p->bits)); }
static __device__ __inline__ WW_KIND atomicAdd(WW_KIND* p, WW_KIND v) {
  WW_KIND before;
  asm volatile("atom.add.noftz." WW_PTX " %0, [%1], %2;"
               : "=h"(before.bits)
               : "l"(p), "h"(v.bits)
               : "memory");
  return before;
}
static __device__ __inline__ WW_KIND2 atomicAdd(WW_KIND2* p, WW_KIND2 v) {
  unsigned bits, before;
  __builtin_memcpy(&bits, &v, 4);
  asm volatile("atom.add.noftz." WW_PTX "x2 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(bits) : "memory");
  __builtin_memcpy(&v, &before, 4);
  return v;
}
#define WW_SHUFFLED(name, T)                                                                      \
  static __device__ __inline__ WW_KIND name(unsigned mask, WW_KIND v, T what, int width = 32) {   \
    return WW_KIND::of_bits((unsigned short)name(mask, (int)v.bits, what, width));                \
  }                                                                                               \
  static __device__ __inline__ WW_KIND2 name(unsigned mask, WW_KIND2 v, T what, int width = 32) { \
    int bits;                                                                                     \
    __builtin_memcpy(&bits, &v, 4);                                                               \
    bits = name(mask, bits, what, width);                                                         \
    __builtin_memcpy(&v, &bits, 4);                                                               \
    return v;                                                                                     \
  }
WW_SHUFFLED(__shfl_sync, int)
WW_SHUFFLED(__shfl_up_sync, unsigned)
WW_SHUFFLED(__shfl_down_sync, unsigned)
WW_SHUFFLED(__shfl_xor_sync, int)
#undef WW_SHUFFLED
#endif
#undef WW_BOTH
#undef WW_PASTE
#undef WW_PASTE_
