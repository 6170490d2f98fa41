// Complex numbers of CUDA: float2 and double2 with the real part in x (cuComplex.h of the toolkit).
#pragma once

#include "cuda_runtime.h"

#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WW_COMPLEX static __host__ __device__ __inline__
// Quotients and absolute values scale first, so that squares stay in range.
#define WW_COMPLEX_ALL(F, T, S, fabs_of, sqrt_of)                                                     \
  WW_COMPLEX T make_##T(F re, F im) {                                                                 \
    T z;                                                                                              \
    z.x = re, z.y = im;                                                                               \
    return z;                                                                                         \
  }                                                                                                   \
  WW_COMPLEX F cuCreal##S(T z) { return z.x; }                                                        \
  WW_COMPLEX F cuCimag##S(T z) { return z.y; }                                                        \
  WW_COMPLEX T cuConj##S(T z) { return make_##T(z.x, -z.y); }                                         \
  WW_COMPLEX T cuCadd##S(T a, T b) { return make_##T(a.x + b.x, a.y + b.y); }                         \
  WW_COMPLEX T cuCsub##S(T a, T b) { return make_##T(a.x - b.x, a.y - b.y); }                         \
  WW_COMPLEX T cuCmul##S(T a, T b) { return make_##T(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  WW_COMPLEX T cuCdiv##S(T a, T b) {                                                                  \
    const F s = 1 / (fabs_of(b.x) + fabs_of(b.y));                                                    \
    const F ar = a.x * s, ai = a.y * s, br = b.x * s, bi = b.y * s, n = 1 / (br * br + bi * bi);      \
    return make_##T((ar * br + ai * bi) * n, (ai * br - ar * bi) * n);                                \
  }                                                                                                   \
  WW_COMPLEX F cuCabs##S(T z) {                                                                       \
    const F a = fabs_of(z.x), b = fabs_of(z.y), big = a > b ? a : b, small = a > b ? b : a;           \
    if (big == 0 || isinf(big)) return big + small;                                                   \
    const F t = small / big;                                                                          \
    return big * sqrt_of(1 + t * t);                                                                  \
  }                                                                                                   \
  WW_COMPLEX T cuCfma##S(T a, T b, T c) { return cuCadd##S(cuCmul##S(a, b), c); }
WW_COMPLEX_ALL(float, cuFloatComplex, f, fabsf, sqrtf)
WW_COMPLEX_ALL(double, cuDoubleComplex, , fabs, sqrt)
WW_COMPLEX cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
WW_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
WW_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
#undef WW_COMPLEX_ALL
#undef WW_COMPLEX
