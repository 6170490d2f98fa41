// The mathematical functions of kernels in double precision, for compilers without a CUDA toolkit (math.h
// gives them CUDA's names). Series after the usual reductions of the argument; constants are those of the
// function in two or three parts, the first a double, each next what is left. Errors are measured by
// tests/source/mathematics.cu.
#pragma once

#define WW_MATH static __device__ __inline__ __attribute__((always_inline))
#define WW_MATH_CALL static __device__ __inline__ __attribute__((noinline))

namespace ww_math {

/// A number in two parts: high is the double next to it.
struct Pair {
  double high, low;
};
WW_MATH double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
/// The next integer, halves to the even one.
WW_MATH double nearest(double x) { return __builtin_rint(x); }
WW_MATH float nearest(float x) { return __builtin_rintf(x); }
// Where each step has to be rounded, the compiler must not make one fma of two: older ones do even of
// intrinsics.
WW_MATH double add(double a, double b) {
  double s;
  asm("add.rn.f64 %0, %1, %2;" : "=d"(s) : "d"(a), "d"(b));
  return s;
}
WW_MATH double multiply(double a, double b) {
  double p;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(a), "d"(b));
  return p;
}
WW_MATH Pair sum(double a, double b) {
  double s = add(a, b), t = add(s, -a);
  return {s, add(add(a, -add(s, -t)), add(b, -t))};
}
WW_MATH Pair product(double a, double b) {
  double p = multiply(a, b);
  return {p, fma(a, b, -p)};
}
WW_MATH Pair times(Pair a, Pair b) {
  Pair p = product(a.high, b.high);
  return sum(p.high, add(p.low, fma(a.high, b.low, a.low * b.high)));
}
WW_MATH Pair plus(Pair a, Pair b) {
  Pair s = sum(a.high, b.high);
  return sum(s.high, add(s.low, add(a.low, b.low)));
}

WW_MATH unsigned long long bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
WW_MATH double number(unsigned long long b) { return __builtin_bit_cast(double, b); }
WW_MATH double infinity() { return number(0x7ffull << 52); }
WW_MATH double nan() { return number(0x7ff8ull << 48); }
WW_MATH double abs(double x) { return __nvvm_fabs_d(x); }
WW_MATH bool negative(double x) { return (bits(x) >> 63) != 0; }
WW_MATH double with_sign(double x, double sign) {
  return number((bits(x) & ~(1ull << 63)) | (bits(sign) & (1ull << 63)));
}
WW_MATH double power_of_two(int k) { return number((unsigned long long)(k + 1023) << 52); }
/// x · 2^k, rounded once.
WW_MATH double scale(double x, int k) {
  if (k > -1022 && k < 1024) return x * power_of_two(k);
  k = k < -2200 ? -2200 : k > 2200 ? 2200 : k;
  if (k > 0) return x * power_of_two(1023) * power_of_two(k / 2 - 511) * power_of_two(k - k / 2 - 512);
  if (k >= -2044) {  // first up to a size where nothing is lost, then down once
    if (bits(x) << 1 >> 53 == 0)
      return x * power_of_two(-1000) * power_of_two(k + 1000 < -1022 ? -1022 : k + 1000);
    int first = (int)((bits(x) >> 52) & 2047) - 1023;  // x = m · 2^first
    double m = x * power_of_two(-first / 2) * power_of_two(-first + first / 2);
    int rest = first + k;
    if (rest < -1100) return with_sign(0, x);
    return rest >= -1022 ? m * power_of_two(rest)
                         : m * power_of_two(-100) * power_of_two(rest + 100 < -1022 ? -1022 : rest + 100);
  }
  return with_sign(0, x);
}
/// x = m · 2^k with m in [1/2, 1); 0, infinities and NaN as they are with k = 0.
WW_MATH double split(double x, int& k) {
  k = 0;
  if (x == 0 || !(abs(x) < infinity())) return x;
  if (abs(x) < 0x1p-1022) x *= 0x1p54, k = -54;
  k += (int)((bits(x) >> 52) & 2047) - 1022;
  return number((bits(x) & ~(2047ull << 52)) | (1022ull << 52));
}

/// e^(x + low), x finite.
WW_MATH_CALL double exp_of(double x, double low) {
  if (x > 710) return infinity();
  if (x < -746) return 0;
  double k = nearest(x * 0x1.71547652b82fep+0);
  Pair r = sum(fma(-k, 0x1.62e42fefa39efp-1, x), -k * 0x1.abc9e3b39803fp-56 + low);
  double a = r.high, p = 1.0 / 6227020800;  // 1/13!
  p = fma(p, a, 1.0 / 479001600);
  p = fma(p, a, 1.0 / 39916800);
  p = fma(p, a, 1.0 / 3628800);
  p = fma(p, a, 1.0 / 362880);
  p = fma(p, a, 1.0 / 40320);
  p = fma(p, a, 1.0 / 5040);
  p = fma(p, a, 1.0 / 720);
  p = fma(p, a, 1.0 / 120);
  p = fma(p, a, 1.0 / 24);
  p = fma(p, a, 1.0 / 6);
  p = fma(p, a, 0.5);
  return scale(1 + (a + fma(a * a, p, r.low)), (int)k);
}
WW_MATH double exp(double x) {
  if (x != x) return x;
  return exp_of(x, 0);
}

/// ln x in two parts, x > 0 and finite.
WW_MATH_CALL Pair log_of(double x) {
  int k;
  double m = split(x, k);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, k--;  // sqrt(1/2) <= m < sqrt(2)
  double f = m - 1, top = 2 + f, rest = f - (top - 2);
  double high = f / top;
  Pair s = {high, (fma(-high, top, f) - high * rest) / top};  // atanh s = (ln m) / 2
  Pair z = times(s, s);
  double a = z.high, q = 1.0 / 25;
  q = fma(q, a, 1.0 / 23);
  q = fma(q, a, 1.0 / 21);
  q = fma(q, a, 1.0 / 19);
  q = fma(q, a, 1.0 / 17);
  q = fma(q, a, 1.0 / 15);
  q = fma(q, a, 1.0 / 13);
  q = fma(q, a, 1.0 / 11);
  q = fma(q, a, 1.0 / 9);
  q = fma(q, a, 1.0 / 7);
  q = fma(q, a, 1.0 / 5);
  Pair third = times(z, {0x1.5555555555555p-2, 0x1.5555555555555p-56});
  Pair series = plus({1, 0}, {third.high, fma(a * a, q, third.low)});
  Pair log_m = times({2 * s.high, 2 * s.low}, series);
  if (k == 0) return log_m;
  Pair of_k = product(k, 0x1.62e42fefa39efp-1);
  of_k.low += k * 0x1.abc9e3b39803fp-56;
  return plus(of_k, log_m);
}
/// log to another base: factor = 1 / ln(base).
WW_MATH double log_to(double x, Pair factor) {
  if (!(x > 0)) return x == 0 ? -infinity() : x != x ? x : nan();
  if (x == infinity()) return x;
  Pair l = times(log_of(x), factor);
  return l.high + l.low;
}
WW_MATH double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity() : x != x ? x : nan();
  return x == infinity() ? x : log_of(x).high;
}
WW_MATH double log1p(double x) {
  double u = 1 + x;
  if (u == 1) return x;
  if (!(u > 0) || u == infinity()) return log(u);
  Pair l = log_of(u);
  return l.high + (l.low + (x - (u - 1)) / u);  // first order in what 1 + x lost
}
WW_MATH double expm1(double x) {
  if (!(x < 710)) return x == x ? infinity() : x;
  if (x < -40) return -1;
  // 2^k (e^r - 1) + (2^k - 1)
  double k = abs(x) < 0.34 ? 0 : nearest(x * 0x1.71547652b82fep+0);
  Pair r = sum(fma(-k, 0x1.62e42fefa39efp-1, x), -k * 0x1.abc9e3b39803fp-56);
  double a = r.high, p = 1.0 / 1307674368000;  // 1/15!
  p = fma(p, a, 1.0 / 87178291200);
  p = fma(p, a, 1.0 / 6227020800);
  p = fma(p, a, 1.0 / 479001600);
  p = fma(p, a, 1.0 / 39916800);
  p = fma(p, a, 1.0 / 3628800);
  p = fma(p, a, 1.0 / 362880);
  p = fma(p, a, 1.0 / 40320);
  p = fma(p, a, 1.0 / 5040);
  p = fma(p, a, 1.0 / 720);
  p = fma(p, a, 1.0 / 120);
  p = fma(p, a, 1.0 / 24);
  p = fma(p, a, 1.0 / 6);
  p = fma(p, a, 0.5);
  p = fma(a * a, p, r.low);
  if (k == 0) return a + p;
  if (k > 1000) return scale(a + p + 1, (int)k);
  double two_k = scale(1, (int)k);
  Pair s = sum(two_k - 1, two_k * a);
  return s.high + (s.low + two_k * p);
}
/// C's pow, special cases as in C17, annex F.10.4.4.
WW_MATH_CALL double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  double whole = __nvvm_trunc_d(y);
  bool integer = whole == y, odd = integer && abs(y) < 0x1p53 && __nvvm_trunc_d(y / 2) * 2 != y;
  double size = abs(x), sign = odd && negative(x) ? -1 : 1;
  if (abs(y) == infinity()) return size == 1 ? 1 : (size > 1) == (y > 0) ? infinity() : 0;
  if (size == 0 || size == infinity()) return sign * ((size == 0) == (y < 0) ? infinity() : 0);
  if (x < 0 && !integer) return nan();
  Pair l = log_of(size), p = product(l.high, y);
  if (!(abs(p.high) < 1000)) return sign * (p.high > 0 ? infinity() : 0);
  Pair e = sum(p.high, p.low + l.low * y);
  return sign * exp_of(e.high, e.low);
}

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
  double a = r.high, z = a * a, p = -1.0 / 121645100408832000;  // 1/19!
  p = fma(p, z, 1.0 / 355687428096000);
  p = fma(p, z, -1.0 / 1307674368000);
  p = fma(p, z, 1.0 / 6227020800);
  p = fma(p, z, -1.0 / 39916800);
  p = fma(p, z, 1.0 / 362880);
  p = fma(p, z, -1.0 / 5040);
  p = fma(p, z, 1.0 / 120);
  p = fma(p, z, -1.0 / 6);
  return a + fma(z * a, p, r.low * (1 - 0.5 * z));
}
WW_MATH double cosine(Pair r) {
  double a = r.high, z = a * a, p = 1.0 / 2432902008176640000;  // 1/20!
  p = fma(p, z, -1.0 / 6402373705728000);
  p = fma(p, z, 1.0 / 20922789888000);
  p = fma(p, z, -1.0 / 87178291200);
  p = fma(p, z, 1.0 / 479001600);
  p = fma(p, z, -1.0 / 3628800);
  p = fma(p, z, 1.0 / 40320);
  p = fma(p, z, -1.0 / 720);
  p = fma(p, z, 1.0 / 24);
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
  double z = u * u, p = 1.0 / 21;
  p = fma(p, z, -1.0 / 19);
  p = fma(p, z, 1.0 / 17);
  p = fma(p, z, -1.0 / 15);
  p = fma(p, z, 1.0 / 13);
  p = fma(p, z, -1.0 / 11);
  p = fma(p, z, 1.0 / 9);
  p = fma(p, z, -1.0 / 7);
  p = fma(p, z, 1.0 / 5);
  p = fma(p, z, -1.0 / 3);
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

WW_MATH double sinh(double x) {
  double a = abs(x);
  if (!(a < 709)) return a == a && a < 720 ? with_sign(exp(a / 2) * 0.5 * exp(a / 2), x) : x;
  double e = expm1(a);
  return with_sign(0.5 * (e + e / (e + 1)), x);
}
WW_MATH double cosh(double x) {
  double a = abs(x);
  if (a > 709) return exp(a / 2) * 0.5 * exp(a / 2);
  double e = exp(a);
  return 0.5 * e + 0.5 / e;
}
WW_MATH double tanh(double x) {
  double a = abs(x);
  if (a > 22) return with_sign(1, x);
  double e = expm1(2 * a);
  return x != x ? x : with_sign(e / (e + 2), x);
}
WW_MATH double asinh(double x) {
  double a = abs(x);
  if (!(a < 0x1p28)) return with_sign(log(a) + 0x1.62e42fefa39efp-1, x);
  return with_sign(log1p(a + a * a / (1 + sqrt(a * a + 1))), x);
}
WW_MATH double acosh(double x) {
  if (!(x >= 1)) return nan();
  if (x > 0x1p28) return log(x) + 0x1.62e42fefa39efp-1;
  double t = x - 1;
  return log1p(t + sqrt(2 * t + t * t));
}
WW_MATH double atanh(double x) {
  double a = abs(x);
  return with_sign(0.5 * log1p(2 * a / (1 - a)), x);
}
WW_MATH double cbrt(double x) {
  if (x == 0 || !(abs(x) < infinity())) return x;
  int k;
  double m = split(abs(x), k);
  int third = (k + 3000) / 3 - 1000;
  m = scale(m, k - 3 * third);  // in [1/2, 4)
  double c = exp_of(log_of(m).high / 3, 0);
  Pair square = product(c, c);
  double rest = fma(-square.high, c, m) - square.low * c;
  return with_sign(scale(c + rest / (3 * square.high), third), x);
}
/// sqrt(x² + y² …) without overflow: of the sum of squares of the parts divided by the greatest.
WW_MATH double hypot(double x, double y) {
  double a = abs(x), b = abs(y);
  if (a == infinity() || b == infinity()) return infinity();
  double great = a > b ? a : b, small = a > b ? b : a;
  if (a != a || b != b) return a + b;
  if (great == 0) return 0;
  int k;
  split(great, k);
  great = scale(great, -k), small = scale(small, -k);
  Pair g = product(great, great);
  double s = fma(small, small, g.high), root = sqrt(s);
  double rest = (g.high - s + small * small) + g.low;
  return scale(root + rest / (2 * root) * (s < 2 ? 1 : 1), k);
}
/// C's fmod for finite x and y != 0, by long division.
WW_MATH_CALL double remainder_of(double x, double y, unsigned* quotient) {
  unsigned q = 0;
  double a = abs(x), b = abs(y);
  if (a >= b) {
    int ka, kb;
    unsigned long long ma = (unsigned long long)(split(a, ka) * 0x1p53),
                       mb = (unsigned long long)(split(b, kb) * 0x1p53);
    for (int k = ka - kb;; k--) {
      q <<= 1;
      if (ma >= mb) ma -= mb, q |= 1;
      if (k == 0 || ma == 0) {
        q = k > 31 ? 0 : q << k;
        break;
      }
      ma <<= 1;
    }
    a = scale((double)ma, kb - 53);
  }
  *quotient = q;
  return a;
}
WW_MATH double fmod(double x, double y) {
  if (x != x || y != y || abs(x) == infinity() || y == 0) return nan();
  unsigned q;
  return abs(y) == infinity() ? x : with_sign(remainder_of(x, y, &q), x);
}
WW_MATH double remquo(double x, double y, int* quotient) {
  *quotient = 0;
  if (x != x || y != y || abs(x) == infinity() || y == 0) return nan();
  if (abs(y) == infinity()) return x;
  unsigned q;
  double b = abs(y), r = remainder_of(x, y, &q);
  if (r > b - r || (r == b - r && (q & 1))) r -= b, q++;
  *quotient = negative(x) == negative(y) ? (int)(q & 0x7fffffff) : -(int)(q & 0x7fffffff);
  return negative(x) ? -r : r;
}

/// e^(-x²).
WW_MATH double gauss(double x) {
  Pair square = product(x, x);
  return square.high > 800 ? 0 : exp_of(-square.high, -square.low);
}
/// erfc(x) e^(x²) for x >= 1, by its continued fraction.
WW_MATH_CALL double erfcx_far(double x) {
  double t = x;
  for (int k = x < 1.5 ? 220 : x < 4 ? 90 : 30; k > 0; k--) t = x + 0.5 * k / t;
  return 0x1.20dd750429b6dp-1 / t;
}
/// erf for |x| < 1: 2/sqrt(pi) e^(-x²) x (1 + 2x²/3 + (2x²)²/15 …).
WW_MATH_CALL double erf_near(double x) {
  double z = 2 * x * x, term = 1, rest = 0;
  for (int k = 1; k < 24; k++) term *= z / (2 * k + 1), rest += term;
  double lead = 0x1.20dd750429b6dp+0 * gauss(x) * x;
  return lead + lead * rest;
}
WW_MATH double erf(double x) {
  double a = abs(x);
  if (a < 1) return x == 0 ? x : erf_near(x);
  return x != x ? x : with_sign(a > 6 ? 1 : 1 - gauss(a) * erfcx_far(a), x);
}
WW_MATH double erfc(double x) {
  if (abs(x) < 1) return 1 - erf_near(x);
  double tail = abs(x) > 28 ? 0 : gauss(x) * erfcx_far(abs(x));
  return x != x ? x : x < 0 ? 2 - tail : tail;
}
WW_MATH double erfcx(double x) {
  if (x >= 1) return erfcx_far(x);
  Pair square = product(x, x);
  return square.high > 710 ? infinity() : exp_of(square.high, square.low) * erfc(x);
}
/// The area below the bell up to x: erfc(-x / sqrt 2) / 2, with what is lost of the argument.
WW_MATH double normcdf(double x) {
  if (!(abs(x) < 60)) return x != x ? x : x > 0 ? 1 : 0;
  Pair a = times({-x, 0}, {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55});
  double tail = erfc(a.high);
  return 0.5 * (tail - 0x1.20dd750429b6dp+0 * gauss(a.high) * a.low);
}
/// x with erfc(x) = p, 0 < p < 2, from a start (Abramowitz and Stegun 26.2.23) by Halley's steps.
WW_MATH_CALL double erfcinv(double p) {
  if (!(p >= 0 && p <= 2)) return nan();
  if (p == 0 || p == 2) return p == 0 ? infinity() : -infinity();
  double q = p < 1 ? p : 2 - p, t = sqrt(-2 * log(q / 2));
  double x = (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) *
             0x1.6a09e667f3bcdp-1;
  for (int i = 0; i < 3; i++) {
    double e = (erfc(x) - q) / (0x1.20dd750429b6dp+0 * gauss(x));
    x += e / (1 + x * e);
  }
  return p < 1 ? x : -x;
}
WW_MATH double erfinv(double y) {
  if (!(abs(y) < 0.5)) return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
  double x = y * 0x1.c5bf891b4ef6bp-1;
  for (int i = 0; i < 4; i++) {
    double e = (erf(x) - y) / (0x1.20dd750429b6dp+0 * gauss(x));
    x -= e / (1 + x * e);
  }
  return x;
}

/// ln Γ(x) for x >= 10: Stirling's series.
WW_MATH double stirling(double x) {
  double z = 1 / (x * x), p = -3617.0 / 122400;
  p = fma(p, z, 1.0 / 156);
  p = fma(p, z, -691.0 / 360360);
  p = fma(p, z, 1.0 / 1188);
  p = fma(p, z, -1.0 / 1680);
  p = fma(p, z, 1.0 / 1260);
  p = fma(p, z, -1.0 / 360);
  p = fma(p, z, 1.0 / 12);
  return p / x;  // what is left beside (x - 1/2) ln x - x + ln sqrt(2 pi)
}
WW_MATH_CALL double tgamma(double x) {
  if (x != x || x == infinity()) return x;
  if (x == 0) return with_sign(infinity(), x);
  if (x < 0 && x == __nvvm_trunc_d(x)) return nan();
  if (x > 172) return infinity();
  if (x < -184) return 0;
  if (x < 0) {
    double s, c, whole = __nvvm_floor_d(x);
    sincospi(x - whole, &s, &c);
    if (__nvvm_floor_d(whole / 2) * 2 != whole) s = -s;
    double a = -x;  // Γ(x) = -pi / (a sin(pi a) Γ(a)), Γ(1 + a) = a Γ(a)
    return 0x1.921fb54442d18p+1 / (s * tgamma(1 + a));
  }
  double factor = 1, n = 0;
  for (; x + n < 10; n += 1) factor *= x + n;
  Pair far = sum(x, n);
  x = far.high;
  if (x == __nvvm_trunc_d(x) && x < 24) {
    double whole = 1;
    for (double k = 2; k < x; k += 1) whole *= k;
    return whole / factor;
  }
  Pair l = log_of(x), e = times(l, {x - 0.5, far.low});
  e = plus(e, {-x, 0});
  e = plus(e, {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
  e = plus(e, {stirling(x), 0});
  return e.high > 709 ? exp_of(e.high - 1, e.low) / factor * 0x1.5bf0a8b145769p+1
                      : exp_of(e.high, e.low) / factor;
}
WW_MATH_CALL double lgamma(double x) {
  if (x != x) return x;
  if (abs(x) == infinity()) return infinity();
  if (x <= 0) {
    if (x == __nvvm_trunc_d(x)) return infinity();
    double s, c;
    sincospi(x, &s, &c);
    return 0x1.250d048e7a1bdp+0 - log(abs(s)) - lgamma(1 - x);  // ln pi
  }
  if (x < 20) return log(tgamma(x));
  return (x - 0.5) * log(x) - x + 0x1.d67f1c864beb5p-1 + stirling(x);
}
// The common ones in single precision.
WW_MATH float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WW_MATH float power_of_two_f(int k) { return __builtin_bit_cast(float, (unsigned)(k + 127) << 23); }
WW_MATH float expf(float x) {
  if (x > 89.f) return __builtin_bit_cast(float, 0x7f800000u);
  if (x < -104.f) return 0.f;
  float k = nearest(x * 0x1.715476p+0f);
  float r = fmaf(-k, 0x1.62e43p-1f, x);
  r = fmaf(k, 0x1.05c61p-29f, r);
  float p = 1.f / 5040;
  p = fmaf(p, r, 1.f / 720);
  p = fmaf(p, r, 1.f / 120);
  p = fmaf(p, r, 1.f / 24);
  p = fmaf(p, r, 1.f / 6);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p * r, r, r) + 1.f;
  int n = (int)k, half = n / 2;
  return p * power_of_two_f(half) * power_of_two_f(n - half);
}
WW_MATH float logf(float x) {
  if (!(x > 0.f)) return x == 0.f ? -(float)infinity() : x != x ? x : (float)nan();
  if (x == (float)infinity()) return x;
  int k = 0;
  if (x < 0x1p-126f) x *= 0x1p24f, k = -24;
  unsigned b = __builtin_bit_cast(unsigned, x);
  k += (int)(b >> 23) - 126;
  float m = __builtin_bit_cast(float, (b & 0x7fffffu) | 0x3f000000u);
  if (m < 0x1.6a09e6p-1f) m *= 2, k--;
  float f = m - 1, s = f / (2 + f), z = s * s, p = 1.f / 11;
  p = fmaf(p, z, 1.f / 9);
  p = fmaf(p, z, 1.f / 7);
  p = fmaf(p, z, 1.f / 5);
  p = fmaf(p, z, 1.f / 3);
  // 2s = f - s f: what s lost is small beside f.
  float half = 0.5f * f * f, tail = fmaf(s, half + 2 * z * p, fmaf((float)k, -0x1.05c61p-29f, 0.f)) - half;
  return fmaf((float)k, 0x1.62e43p-1f, f + tail);
}
WW_MATH void sincosf(float x, float* s, float* c) {
  float size = __nvvm_fabs_f(x);
  if (!(size < 48000.f)) {
    double a, b;
    sincos((double)x, &a, &b);
    *s = (float)a, *c = (float)b;
    return;
  }
  float n = nearest(x * 0x1.45f306p-1f);
  float r = fmaf(-n, 0x1.921fb6p+0f, x);
  r = fmaf(n, 0x1.777a5cp-25f, r);
  r = fmaf(n, 0x1.ee59dap-50f, r);
  float z = r * r, p = 1.f / 362880, q = 1.f / 40320;
  p = fmaf(p, z, -1.f / 5040);
  p = fmaf(p, z, 1.f / 120);
  p = fmaf(p, z, -1.f / 6);
  float a = fmaf(z * r, p, r);
  q = fmaf(q, z, -1.f / 720);
  q = fmaf(q, z, 1.f / 24);
  q = fmaf(q, z, -0.5f);
  float b = fmaf(q, z, 1.f);
  int quadrant = (int)n & 3;
  float t = quadrant & 1 ? b : a, u = quadrant & 1 ? -a : b;
  *s = quadrant & 2 ? -t : t;
  *c = quadrant & 2 ? -u : u;
}

}  // namespace ww_math
