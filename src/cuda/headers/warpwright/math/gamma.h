// The gamma function and its logarithm.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/errors.h"

namespace ww_math {

/// ln Γ(x) for x >= 10: Stirling's series.
WW_MATH double stirling(double x) {
  double z = 1 / (x * x);
  double p = series(z, -3617.0 / 122400, 1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260,
                    -1.0 / 360, 1.0 / 12);
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

}  // namespace ww_math
