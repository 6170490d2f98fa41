// The functions that clang's own headers for CUDA expect of libdevice (__nv_NAME), in C++, so that no CUDA
// toolkit is needed. Those of a single instruction are that instruction; the others are in math_kernels.h.
// What they mean is in CUDA's documentation of libdevice.
#pragma once

#include "warpwright/math_kernels.h"

#define WW_LIB extern "C" __device__ inline __attribute__((always_inline))

// Functions of one number: double, and float by way of double where single precision has no code of its own.
#define WW_BOTH(name)                                              \
  WW_LIB double __nv_##name(double x) { return ww_math::name(x); } \
  WW_LIB float __nv_##name##f(float x) { return (float)ww_math::name((double)x); }
WW_BOTH(acos)
WW_BOTH(asin)
WW_BOTH(atan)
WW_BOTH(acosh)
WW_BOTH(asinh)
WW_BOTH(atanh)
WW_BOTH(sinh)
WW_BOTH(cosh)
WW_BOTH(tanh)
WW_BOTH(cbrt)
WW_BOTH(expm1)
WW_BOTH(log1p)
WW_BOTH(erf)
WW_BOTH(erfc)
WW_BOTH(erfcx)
WW_BOTH(erfinv)
WW_BOTH(erfcinv)
WW_BOTH(lgamma)
WW_BOTH(tgamma)
WW_BOTH(j0)
WW_BOTH(j1)
WW_BOTH(y0)
WW_BOTH(y1)
WW_BOTH(cyl_bessel_i0)
WW_BOTH(cyl_bessel_i1)
#undef WW_BOTH
WW_LIB double __nv_jn(int n, double x) { return ww_math::jn(n, x); }
WW_LIB float __nv_jnf(int n, float x) { return (float)ww_math::jn(n, (double)x); }
WW_LIB double __nv_yn(int n, double x) { return ww_math::yn(n, x); }
WW_LIB float __nv_ynf(int n, float x) { return (float)ww_math::yn(n, (double)x); }

WW_LIB double __nv_exp(double x) { return ww_math::exp(x); }
WW_LIB float __nv_expf(float x) { return ww_math::expf(x); }
WW_LIB double __nv_log(double x) { return ww_math::log(x); }
WW_LIB float __nv_logf(float x) { return ww_math::logf(x); }
WW_LIB double __nv_log2(double x) {
  return ww_math::log_to(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
}
WW_LIB double __nv_log10(double x) {
  return ww_math::log_to(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
}
WW_LIB float __nv_log2f(float x) { return (float)__nv_log2((double)x); }
WW_LIB float __nv_log10f(float x) { return (float)__nv_log10((double)x); }
WW_LIB double __nv_exp2(double x) {
  if (x != x || !(ww_math::abs(x) < 1100)) return x != x ? x : x > 0 ? ww_math::infinity() : 0;
  double k = ww_math::nearest(x);
  ww_math::Pair p = ww_math::times({x - k, 0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  return ww_math::scale(ww_math::exp_of(p.high, p.low), (int)k);
}
WW_LIB double __nv_exp10(double x) {
  if (x != x || !(ww_math::abs(x) < 330)) return x != x ? x : x > 0 ? ww_math::infinity() : 0;
  ww_math::Pair p = ww_math::times({x, 0}, {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53});
  return ww_math::exp_of(p.high, p.low);
}
WW_LIB float __nv_exp2f(float x) { return (float)__nv_exp2((double)x); }
WW_LIB float __nv_exp10f(float x) { return (float)__nv_exp10((double)x); }
WW_LIB double __nv_pow(double x, double y) { return ww_math::pow(x, y); }
WW_LIB float __nv_powf(float x, float y) { return (float)ww_math::pow((double)x, (double)y); }
WW_LIB double __nv_powi(double x, int y) { return ww_math::pow(x, (double)y); }
WW_LIB float __nv_powif(float x, int y) { return (float)ww_math::pow((double)x, (double)y); }

WW_LIB void __nv_sincos(double x, double* s, double* c) { ww_math::sincos(x, s, c); }
WW_LIB void __nv_sincosf(float x, float* s, float* c) { ww_math::sincosf(x, s, c); }
WW_LIB void __nv_sincospi(double x, double* s, double* c) { ww_math::sincospi(x, s, c); }
WW_LIB void __nv_sincospif(float x, float* s, float* c) {
  double a, b;
  ww_math::sincospi((double)x, &a, &b);
  *s = (float)a, *c = (float)b;
}
#define WW_OF_TWO(T, both, first, second) \
  WW_LIB T __nv_##first(T x) {            \
    T s, c;                               \
    __nv_##both(x, &s, &c);               \
    return s;                             \
  }                                       \
  WW_LIB T __nv_##second(T x) {           \
    T s, c;                               \
    __nv_##both(x, &s, &c);               \
    return c;                             \
  }
WW_OF_TWO(double, sincos, sin, cos)
WW_OF_TWO(float, sincosf, sinf, cosf)
WW_OF_TWO(double, sincospi, sinpi, cospi)
WW_OF_TWO(float, sincospif, sinpif, cospif)
#undef WW_OF_TWO
WW_LIB double __nv_tan(double x) {
  double s, c;
  ww_math::sincos(x, &s, &c);
  return s / c;
}
WW_LIB float __nv_tanf(float x) { return (float)__nv_tan((double)x); }
WW_LIB double __nv_atan2(double y, double x) { return ww_math::atan2(y, x); }
WW_LIB float __nv_atan2f(float y, float x) { return (float)ww_math::atan2((double)y, (double)x); }
WW_LIB double __nv_normcdf(double x) { return ww_math::normcdf(x); }
WW_LIB float __nv_normcdff(float x) { return (float)__nv_normcdf((double)x); }
WW_LIB double __nv_normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * ww_math::erfcinv(2 * p); }
WW_LIB float __nv_normcdfinvf(float p) { return (float)__nv_normcdfinv((double)p); }

// Roots and lengths.
WW_LIB double __nv_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
WW_LIB float __nv_sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
WW_LIB double __nv_rsqrt(double x) { return 1 / __nvvm_sqrt_rn_d(x); }
WW_LIB float __nv_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WW_LIB float __nv_frsqrt_rn(float x) { return (float)(1 / __nvvm_sqrt_rn_d((double)x)); }
WW_LIB double __nv_rcbrt(double x) { return 1 / ww_math::cbrt(x); }
WW_LIB float __nv_rcbrtf(float x) { return (float)(1 / ww_math::cbrt((double)x)); }
WW_LIB double __nv_hypot(double x, double y) { return ww_math::hypot(x, y); }
WW_LIB float __nv_hypotf(float x, float y) {
  if (ww_math::abs(x) == ww_math::infinity() || ww_math::abs(y) == ww_math::infinity())
    return (float)ww_math::infinity();
  return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y);
}
WW_LIB double __nv_norm(int n, const double* v) {
  double s = 0;
  for (int i = 0; i < n; i++) s = ww_math::hypot(s, v[i]);
  return s;
}
WW_LIB float __nv_normf(int n, const float* v) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (double)v[i] * v[i];
  return (float)__nvvm_sqrt_rn_d(s);
}
WW_LIB double __nv_norm3d(double x, double y, double z) { return ww_math::hypot(ww_math::hypot(x, y), z); }
WW_LIB double __nv_norm4d(double x, double y, double z, double t) {
  return ww_math::hypot(ww_math::hypot(x, y), ww_math::hypot(z, t));
}
WW_LIB float __nv_norm3df(float x, float y, float z) {
  return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z);
}
WW_LIB float __nv_norm4df(float x, float y, float z, float t) {
  return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z + (double)t * t);
}
WW_LIB double __nv_rhypot(double x, double y) { return 1 / __nv_hypot(x, y); }
WW_LIB float __nv_rhypotf(float x, float y) { return 1 / __nv_hypotf(x, y); }
WW_LIB double __nv_rnorm(int n, const double* v) { return 1 / __nv_norm(n, v); }
WW_LIB float __nv_rnormf(int n, const float* v) { return 1 / __nv_normf(n, v); }
WW_LIB double __nv_rnorm3d(double x, double y, double z) { return 1 / __nv_norm3d(x, y, z); }
WW_LIB float __nv_rnorm3df(float x, float y, float z) { return 1 / __nv_norm3df(x, y, z); }
WW_LIB double __nv_rnorm4d(double x, double y, double z, double t) { return 1 / __nv_norm4d(x, y, z, t); }
WW_LIB float __nv_rnorm4df(float x, float y, float z, float t) { return 1 / __nv_norm4df(x, y, z, t); }

// The fast ones: the special function unit and a multiplication, as the Programming Guide says.
WW_LIB float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
WW_LIB float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934fp+1f); }
WW_LIB float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
WW_LIB float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e43p-1f; }
WW_LIB float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
WW_LIB float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
WW_LIB float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
WW_LIB float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
WW_LIB void __nv_fast_sincosf(float x, float* s, float* c) {
  *s = __nvvm_sin_approx_f(x), *c = __nvvm_cos_approx_f(x);
}
WW_LIB float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
WW_LIB float __nv_fast_tanf(float x) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x));
}

// Parts and neighbours of numbers, and whole ones.
#define WW_TWICE(T, F, f, s, Bits, Signed, kExponentBits, kFractionBits)                                     \
  WW_LIB T __nv_fabs##f(T x) { return __nvvm_fabs_##s(x); }                                                  \
  WW_LIB T __nv_ceil##f(T x) { return __nvvm_ceil_##s(x); }                                                  \
  WW_LIB T __nv_floor##f(T x) { return __nvvm_floor_##s(x); }                                                \
  WW_LIB T __nv_trunc##f(T x) { return __nvvm_trunc_##s(x); }                                                \
  WW_LIB T __nv_rint##f(T x) { return ww_math::nearest(x); }                                                 \
  WW_LIB T __nv_nearbyint##f(T x) { return ww_math::nearest(x); }                                            \
  WW_LIB long long __nv_llrint##f(T x) { return __nvvm_##s##2ll_rn(x); }                                     \
  WW_LIB T __nv_copysign##f(T x, T sign) {                                                                   \
    const Bits top = (Bits)1 << (8 * sizeof(T) - 1);                                                         \
    return __builtin_bit_cast(                                                                               \
        T, (Bits)((__builtin_bit_cast(Bits, x) & ~top) | (__builtin_bit_cast(Bits, sign) & top)));           \
  }                                                                                                          \
  WW_LIB T __nv_round##f(T x) { /* halves away from 0 */                                                     \
    T t = __nvvm_trunc_##s(x), left = x - t;                                                                 \
    return __nv_copysign##f(left >= (T)0.5 ? t + 1 : left <= (T)-0.5 ? t - 1 : t, x);                        \
  }                                                                                                          \
  WW_LIB long long __nv_llround##f(T x) { return __nvvm_##s##2ll_rz(__nv_round##f(x)); }                     \
  WW_LIB T __nv_modf##f(T x, T* whole) {                                                                     \
    T t = __nvvm_trunc_##s(x);                                                                               \
    *whole = t;                                                                                              \
    return __nv_copysign##f(x == t ? (T)0 : x - t, x);                                                       \
  }                                                                                                          \
  WW_LIB T __nv_frexp##f(T x, int* k) { return (T)ww_math::split((double)x, *k); }                           \
  WW_LIB T __nv_ldexp##f(T x, int k) { return (T)ww_math::scale((double)x, k); }                             \
  WW_LIB T __nv_scalbn##f(T x, int k) { return (T)ww_math::scale((double)x, k); }                            \
  WW_LIB int __nv_ilogb##f(T x) {                                                                            \
    int k;                                                                                                   \
    ww_math::split((double)x, k);                                                                            \
    return x != x || x == 0 ? -2147483647 - 1 : ww_math::abs(x) == ww_math::infinity() ? 2147483647 : k - 1; \
  }                                                                                                          \
  WW_LIB T __nv_logb##f(T x) {                                                                               \
    return x == 0                                             ? (T)-ww_math::infinity()                      \
           : x != x || ww_math::abs(x) == ww_math::infinity() ? x * x                                        \
                                                              : (T)__nv_ilogb##f(x);                         \
  }                                                                                                          \
  WW_LIB T __nv_nextafter##f(T x, T to) {                                                                    \
    if (x != x || to != to) return x + to;                                                                   \
    if (x == to) return to;                                                                                  \
    if (x == 0) return __nv_copysign##f(__builtin_bit_cast(T, (Bits)1), to);                                 \
    return __builtin_bit_cast(T, (Bits)(__builtin_bit_cast(Bits, x) + ((x < to) == (x > 0) ? 1 : -1)));      \
  }                                                                                                          \
  WW_LIB T __nv_fdim##f(T x, T y) { return x != x || y != y ? x + y : x > y ? x - y : (T)0; }                \
  WW_LIB T __nv_fmin##f(T x, T y) { return __nvvm_fmin_##s(x, y); }                                          \
  WW_LIB T __nv_fmax##f(T x, T y) { return __nvvm_fmax_##s(x, y); }                                          \
  WW_LIB T __nv_fma##f(T x, T y, T z) { return __nvvm_fma_rn_##s(x, y, z); }                                 \
  WW_LIB T __nv_fmod##f(T x, T y) { return (T)ww_math::fmod((double)x, (double)y); }                         \
  WW_LIB T __nv_remquo##f(T x, T y, int* q) { return (T)ww_math::remquo((double)x, (double)y, q); }          \
  WW_LIB T __nv_remainder##f(T x, T y) {                                                                     \
    int q;                                                                                                   \
    return (T)ww_math::remquo((double)x, (double)y, &q);                                                     \
  }                                                                                                          \
  WW_LIB T __nv_nan##f(const signed char*) { return (T)ww_math::nan(); }                                     \
  WW_LIB int __nv_signbit##F(T x) { return __builtin_bit_cast(Signed, x) < 0; }                              \
  WW_LIB int __nv_isnan##F(T x) { return x != x; }                                                           \
  WW_LIB int __nv_isinf##F(T x) { return ww_math::abs(x) == ww_math::infinity(); }
WW_TWICE(double, d, , d, unsigned long long, long long, 11, 52)
WW_TWICE(float, f, f, f, unsigned, int, 8, 23)
#undef WW_TWICE
WW_LIB int __nv_isfinited(double x) { return ww_math::abs(x) < ww_math::infinity(); }
WW_LIB int __nv_finitef(float x) { return ww_math::abs(x) < ww_math::infinity(); }
WW_LIB float __nv_saturatef(float x) { return __nvvm_saturate_f(x); }

// Arithmetic with a direction of rounding: rn, rz, rd (PTX: rm), ru (rp).
#define WW_ROUNDED(r, p)                                                                             \
  WW_LIB double __nv_dadd_##r(double x, double y) { return __nvvm_add_##p##_d(x, y); }               \
  WW_LIB double __nv_dsub_##r(double x, double y) { return __nvvm_add_##p##_d(x, -y); }              \
  WW_LIB double __nv_dmul_##r(double x, double y) { return __nvvm_mul_##p##_d(x, y); }               \
  WW_LIB double __nv_ddiv_##r(double x, double y) { return __nvvm_div_##p##_d(x, y); }               \
  WW_LIB double __nv_drcp_##r(double x) { return __nvvm_rcp_##p##_d(x); }                            \
  WW_LIB double __nv_dsqrt_##r(double x) { return __nvvm_sqrt_##p##_d(x); }                          \
  WW_LIB double __nv_fma_##r(double x, double y, double z) { return __nvvm_fma_##p##_d(x, y, z); }   \
  WW_LIB float __nv_fadd_##r(float x, float y) { return __nvvm_add_##p##_f(x, y); }                  \
  WW_LIB float __nv_fsub_##r(float x, float y) { return __nvvm_add_##p##_f(x, -y); }                 \
  WW_LIB float __nv_fmul_##r(float x, float y) { return __nvvm_mul_##p##_f(x, y); }                  \
  WW_LIB float __nv_fdiv_##r(float x, float y) { return __nvvm_div_##p##_f(x, y); }                  \
  WW_LIB float __nv_frcp_##r(float x) { return __nvvm_rcp_##p##_f(x); }                              \
  WW_LIB float __nv_fsqrt_##r(float x) { return __nvvm_sqrt_##p##_f(x); }                            \
  WW_LIB float __nv_fmaf_##r(float x, float y, float z) { return __nvvm_fma_##p##_f(x, y, z); }      \
  WW_LIB float __nv_fmaf_ieee_##r(float x, float y, float z) { return __nvvm_fma_##p##_f(x, y, z); } \
  WW_LIB float __nv_double2float_##r(double x) { return __nvvm_d2f_##p(x); }                         \
  WW_LIB int __nv_double2int_##r(double x) { return __nvvm_d2i_##p(x); }                             \
  WW_LIB unsigned __nv_double2uint_##r(double x) { return __nvvm_d2ui_##p(x); }                      \
  WW_LIB long long __nv_double2ll_##r(double x) { return __nvvm_d2ll_##p(x); }                       \
  WW_LIB unsigned long long __nv_double2ull_##r(double x) { return __nvvm_d2ull_##p(x); }            \
  WW_LIB int __nv_float2int_##r(float x) { return __nvvm_f2i_##p(x); }                               \
  WW_LIB unsigned __nv_float2uint_##r(float x) { return __nvvm_f2ui_##p(x); }                        \
  WW_LIB long long __nv_float2ll_##r(float x) { return __nvvm_f2ll_##p(x); }                         \
  WW_LIB unsigned long long __nv_float2ull_##r(float x) { return __nvvm_f2ull_##p(x); }              \
  WW_LIB float __nv_int2float_##r(int x) { return __nvvm_i2f_##p(x); }                               \
  WW_LIB float __nv_uint2float_##r(unsigned x) { return __nvvm_ui2f_##p(x); }                        \
  WW_LIB float __nv_ll2float_##r(long long x) { return __nvvm_ll2f_##p(x); }                         \
  WW_LIB float __nv_ull2float_##r(unsigned long long x) { return __nvvm_ull2f_##p(x); }              \
  WW_LIB double __nv_ll2double_##r(long long x) { return __nvvm_ll2d_##p(x); }                       \
  WW_LIB double __nv_ull2double_##r(unsigned long long x) { return __nvvm_ull2d_##p(x); }
WW_ROUNDED(rn, rn)
WW_ROUNDED(rz, rz)
WW_ROUNDED(rd, rm)
WW_ROUNDED(ru, rp)
#undef WW_ROUNDED
WW_LIB double __nv_int2double_rn(int x) { return x; }
WW_LIB double __nv_uint2double_rn(unsigned x) { return x; }
WW_LIB double __nv_rcp64h(double x) { return __nvvm_rcp_approx_ftz_d(x); }
WW_LIB unsigned short __nv_float2half_rn(float x) { return (unsigned short)__nvvm_f2h_rn(x); }
WW_LIB float __nv_half2float(unsigned short x) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x));
  return f;
}

// Bits.
WW_LIB int __nv_double2hiint(double x) { return (int)(ww_math::bits(x) >> 32); }
WW_LIB int __nv_double2loint(double x) { return (int)ww_math::bits(x); }
WW_LIB double __nv_hiloint2double(int high, int low) {
  return ww_math::number(((unsigned long long)(unsigned)high << 32) | (unsigned)low);
}
WW_LIB long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WW_LIB double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WW_LIB int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
WW_LIB unsigned __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WW_LIB float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
WW_LIB float __nv_uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WW_LIB int __nv_brev(int x) { return (int)__builtin_bitreverse32((unsigned)x); }
WW_LIB long long __nv_brevll(long long x) { return (long long)__builtin_bitreverse64((unsigned long long)x); }
WW_LIB int __nv_clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
WW_LIB int __nv_clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
WW_LIB int __nv_ffs(int x) { return __builtin_ffs(x); }
WW_LIB int __nv_ffsll(long long x) { return __builtin_ffsll(x); }
WW_LIB int __nv_popc(int x) { return __builtin_popcount((unsigned)x); }
WW_LIB int __nv_popcll(long long x) { return __builtin_popcountll((unsigned long long)x); }
WW_LIB int __nv_byte_perm(int a, int b, int selector) {
  int d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
  return d;
}

// Integers.
WW_LIB int __nv_abs(int x) { return x < 0 ? -x : x; }
WW_LIB long long __nv_llabs(long long x) { return x < 0 ? -x : x; }
WW_LIB int __nv_min(int a, int b) { return b < a ? b : a; }
WW_LIB int __nv_max(int a, int b) { return a < b ? b : a; }
WW_LIB unsigned __nv_umin(unsigned a, unsigned b) { return b < a ? b : a; }
WW_LIB unsigned __nv_umax(unsigned a, unsigned b) { return a < b ? b : a; }
WW_LIB long long __nv_llmin(long long a, long long b) { return b < a ? b : a; }
WW_LIB long long __nv_llmax(long long a, long long b) { return a < b ? b : a; }
WW_LIB unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
WW_LIB unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
WW_LIB int __nv_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WW_LIB unsigned __nv_umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
WW_LIB long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WW_LIB unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
WW_LIB int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WW_LIB unsigned __nv_umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
WW_LIB int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WW_LIB int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WW_LIB unsigned __nv_uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
WW_LIB unsigned __nv_urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
WW_LIB unsigned __nv_sad(int a, int b, unsigned c) {
  return c + (unsigned)(a < b ? (long long)b - a : (long long)a - b);
}
WW_LIB unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }

#include "warpwright/video.h"

#undef WW_LIB
