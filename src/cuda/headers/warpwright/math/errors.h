// The error function, its relatives and inverses.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/exponential.h"

namespace ww_math {

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

}  // namespace ww_math
