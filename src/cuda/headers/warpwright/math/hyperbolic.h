// Hyperbolic functions and their inverses.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/exponential.h"

namespace ww_math {

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

}  // namespace ww_math
