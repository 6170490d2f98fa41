// exp, log, pow and theirs: series after the usual reductions of the argument.
#pragma once

#include "warpwright/math/parts.h"

namespace ww_math {

/// e^(x + low), x finite.
WW_MATH_CALL double exp_of(double x, double low) {
  if (x > 710) return infinity();
  if (x < -746) return 0;
  double k = nearest(x * 0x1.71547652b82fep+0);
  Pair r = sum(fma(-k, 0x1.62e42fefa39efp-1, x), -k * 0x1.abc9e3b39803fp-56 + low);
  double a = r.high;
  double p = series(a, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                    1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);  // 1/13!
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
  double a = z.high;
  double q = series(a, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                    1.0 / 9, 1.0 / 7, 1.0 / 5);
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
  double a = r.high;
  double p = series(a, 1.0 / 1307674368000, 1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600,
                    1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                    1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);  // 1/15!
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

}  // namespace ww_math
