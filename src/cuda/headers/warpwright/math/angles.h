// sin, cos, the reduction of large arguments, and angles of points.
#pragma once

#include "warpwright/math/parts.h"

namespace ww_math {

/// x = n · pi/2 + r, |r| <= pi/4; gives n mod 4. Far from 0, by the bits of 2/pi that matter.
WW_MATH_CALL int reduce_far(double x, Pair& r) {
  static const __device__ unsigned long long kTwoOverPi[20] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
      0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  typedef unsigned __int128 Wide;
  int exponent = (int)((bits(x) >> 52) & 2047) - 1075;  // |x| = m · 2^exponent
  unsigned long long m = (bits(x) & ((1ull << 52) - 1)) | (1ull << 52), t[3];
  // 192 bits of 2/pi from weight 2^-first on (there are none before 2^-1); those before give multiples of 4.
  int first = exponent - 1, word = first > 0 ? (first - 1) / 64 : 0,
      shift = first > 0 ? (first - 1) % 64 : 1 - first;
  for (int i = 0; i < 3; i++) {
    unsigned long long here = kTwoOverPi[word + i];
    if (first > 0)
      t[i] = shift ? (here << shift) | (kTwoOverPi[word + i + 1] >> (64 - shift)) : here;
    else
      t[i] = (here >> shift) | (i ? kTwoOverPi[i - 1] << (64 - shift) : 0);
  }
  // m · t modulo 2^192: two bits before the point.
  Wide low = (Wide)m * t[2], middle = (Wide)m * t[1] + (unsigned long long)(low >> 64);
  unsigned long long high = m * t[0] + (unsigned long long)(middle >> 64);
  Wide top = ((Wide)high << 64) | (unsigned long long)middle;
  unsigned long long bottom = (unsigned long long)low;
  int quadrant = (int)(top >> 126);
  top = (top << 2) | (bottom >> 62);
  if (top >> 127) quadrant++;
  // The rest is in [-1/2, 1/2) of 2^128: four parts, each of which a double holds.
  long long upper = (long long)(unsigned long long)(top >> 64);
  unsigned long long lower = (unsigned long long)top;
  Pair whole = sum((double)(upper >> 32) * 0x1p-32, (double)(unsigned)upper * 0x1p-64);
  whole = plus(whole, {(double)(unsigned)(lower >> 32) * 0x1p-96, (double)(unsigned)lower * 0x1p-128});
  r = times(whole, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (negative(x)) quadrant = -quadrant, r = {-r.high, -r.low};
  return quadrant & 3;
}
WW_MATH int reduce(double x, Pair& r) {
  if (abs(x) <= 0x1.921fb54442d18p-1) {
    r = {x, 0};
    return 0;
  }
  if (!(abs(x) < 1e6)) return reduce_far(x, r);
  double n = nearest(x * 0x1.45f306dc9c883p-1);
  double a = fma(-n, 0x1.921fb54442d18p+0, x);  // exact: both are multiples of 2^-53
  Pair b = product(-n, 0x1.1a62633145c07p-54);
  Pair s = sum(a, b.high);
  r = sum(s.high, s.low + (b.low + n * 0x1.f1976b7ed8fbcp-110));
  return (int)(long long)n & 3;
}
WW_MATH double sine(Pair r) {
  double a = r.high, z = a * a;
  double p =
      series(z, -1.0 / 121645100408832000, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800,
             -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);  // 1/19!
  return a + fma(z * a, p, r.low * (1 - 0.5 * z));
}
WW_MATH double cosine(Pair r) {
  double a = r.high, z = a * a;
  double p =
      series(z, 1.0 / 2432902008176640000, -1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200,
             1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24);  // 1/20!
  double half = 0.5 * z, one = 1 - half;
  return one + (((1 - one) - half) + (z * z * p - a * r.low));
}
WW_MATH void sincos_of(int quadrant, Pair r, double* s, double* c) {
  double a = sine(r), b = cosine(r);
  if (quadrant & 1) {
    double t = a;
    a = b, b = -t;
  }
  *s = quadrant & 2 ? -a : a;
  *c = quadrant & 2 ? -b : b;
}
WW_MATH_CALL void sincos(double x, double* s, double* c) {
  if (!(abs(x) < infinity())) {
    *s = *c = nan();
    return;
  }
  Pair r;
  int quadrant = reduce(x, r);
  sincos_of(quadrant, r, s, c);
  if (x == 0) *s = x;
}
/// Of pi · x.
WW_MATH_CALL void sincospi(double x, double* s, double* c) {
  if (!(abs(x) < infinity())) {
    *s = *c = nan();
    return;
  }
  double n = nearest(2 * x), f = fma(n, -0.5, x);
  Pair r = times({f, 0}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53});
  double turns = n - 4 * __nvvm_floor_d(n / 4);
  sincos_of((int)turns, r, s, c);
  if (x == __nvvm_trunc_d(x)) *s = with_sign(0, x);
}

/// The angle of the point (x, y), both not negative, not NaN.
WW_MATH_CALL double angle(double y, double x) {
  if (y == 0) return 0;  // x is not negative
  bool swapped = y > x;
  double small = swapped ? x : y, great = swapped ? y : x;
  double t = great == infinity() ? (small == infinity() ? 1 : 0) : small / great;
  double low = great == infinity() || t == 0 ? 0 : fma(-t, great, small) / great;
  // atan t = atan c + atan((t - c) / (1 + t c)) for the nearest quarter c.
  double c = nearest(4 * t) / 4, d = fma(t, c, 1.0), u = (t - c) / d;
  double u_low = (fma(-u, d, t - c) + low) / d;
  double z = u * u;
  double p = series(z, 1.0 / 21, -1.0 / 19, 1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7,
                    1.0 / 5, -1.0 / 3);
  Pair base = {0, 0};
  if (c == 0.25) base = {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57};
  if (c == 0.5) base = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
  if (c == 0.75) base = {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56};
  if (c == 1) base = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  Pair a = plus(base, {u, fma(z * u, p, u_low)});
  if (swapped) a = plus({0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, {-a.high, -a.low});
  return a.high + a.low;
}
WW_MATH double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double a = angle(abs(y), abs(x));
  if (negative(x)) a = (0x1.921fb54442d18p+1 - a) + 0x1.1a62633145c07p-53;
  return with_sign(a, y);
}
WW_MATH double atan(double x) { return x != x ? x : with_sign(angle(abs(x), 1), x); }
WW_MATH double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
WW_MATH double asin(double x) {
  return abs(x) <= 1 ? with_sign(angle(abs(x), sqrt((1 - abs(x)) * (1 + abs(x)))), x) : nan();
}
WW_MATH double acos(double x) { return abs(x) <= 1 ? atan2(sqrt((1 - x) * (1 + x)), x) : nan(); }

}  // namespace ww_math
