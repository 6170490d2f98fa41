// cbrt, hypot, fmod, remquo.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/exponential.h"

namespace ww_math {

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

}  // namespace ww_math
