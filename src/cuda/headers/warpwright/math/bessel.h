// Bessel functions of whole order. Near 0 by recurrence from high orders down, which is stable, and the sums
// that give the scale and the second kind (Abramowitz and Stegun 9.1.46, 9.1.89, 9.6.36); far from 0 by
// Hankel's expansion (9.2.5, 9.7.1). Beside their zeros the error is absolute, as it is of CUDA's.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/exponential.h"

namespace ww_math {

constexpr double kFar = 30;  // from here on the expansion has all digits for orders 0 and 1

/// J0, J1, Y0, Y1 at x >= kFar: sqrt(1 / (pi x)) times sums of P, Q, sin x and cos x.
struct Hankel {
  double j, y;
};
WW_MATH_CALL Hankel hankel(int order, double x) {
  const double mu = 4.0 * order * order;
  double p = 1, q = 0, term = 1;
  for (int k = 1; k < 30; k++) {
    double odd = 2 * k - 1;
    term *= (mu - odd * odd) / (k * 8 * x);
    if (k & 1)
      q += k & 2 ? -term : term;
    else
      p += k & 2 ? -term : term;
    if (abs(term) < 1e-18) break;
  }
  double s, c;
  sincos(x, &s, &c);
  // cos and sin of x - pi/4, times sqrt 2; a quarter turn further for order 1.
  double across = c + s, along = s - c;
  if (order == 1) {
    double t = across;
    across = along, along = -t;
  }
  const double scale = __nvvm_sqrt_rn_d(0x1.45f306dc9c883p-2 / x);  // 1 / pi
  return {scale * (p * across - q * along), scale * (p * along + q * across)};
}

/// Jn, and Y0 and Y1, at 0 < x; for n up to the highest order that is not 0.
struct Near {
  double jn, y0, y1;
};
WW_MATH_CALL Near near_bessel(int n, double x) {
  constexpr double kTwoByPi = 0x1.45f306dc9c883p-1;
  const double l = log(x / 2) + 0x1.2788cfc6fb619p-1;  // Euler's constant
  if (x < 1e-100) {
    double j = 1;
    for (int k = 1; k <= n && j != 0; k++) j *= x / (2 * k);
    return {j, kTwoByPi * l, -kTwoByPi / x};
  }
  const double most = n > x ? n : x;
  int k = 2 * (int)((most + 20 + __nvvm_sqrt_rn_d(50 * most)) / 2);
  double above = 0, here = 1e-300, sum = 0, even = 0, odd = 0, wanted = 0, first = 0;
  for (; k > 0; k--) {  // here is J(k)
    if (k == n) wanted = here;
    if (k == 1) first = here;
    if ((k & 1) == 0) sum += 2 * here;
    // even: the sum of (-1)^m J(2m) / m; odd: of (-1)^m (J(2m - 1) - J(2m + 1)) / m.
    if ((k & 1) == 0) {
      const double m = k / 2, sign = (k / 2) & 1 ? -1 : 1;
      even += sign * here / m;
    } else {
      const double m = (k + 1) / 2, sign = ((k + 1) / 2) & 1 ? -1 : 1;
      odd += sign * here / m;
      if (k > 1) odd += sign * here / (m - 1);  // as -(-1)^(m-1) J(2 (m - 1) + 1) / (m - 1)
    }
    const double below = 2 * k / x * here - above;
    above = here, here = below;
    if (abs(here) > 1e200) {
      const double small = 1e-200;
      above *= small, here *= small, sum *= small, even *= small, odd *= small, wanted *= small,
          first *= small;
    }
  }
  if (n == 0) wanted = here;
  sum += here;
  const double j0 = here / sum, j1 = first / sum;
  return {wanted / sum, kTwoByPi * (l * j0 - 2 * even / sum), kTwoByPi * (l * j1 - j0 / x + odd / sum)};
}

WW_MATH_CALL double jn(int n, double x) {
  if (x != x) return x;
  double sign = 1;
  if (n < 0) {
    n = n == (int)0x80000000 ? n : -n;
    if (n & 1) sign = -sign;
  }
  if (x < 0) {
    x = -x;
    if (n & 1) sign = -sign;
  }
  if (n < 0 || x == infinity()) return 0;
  if (x == 0) return n == 0 ? 1 : sign * x;
  if (n > 1e5 && n > 2 * x) return 0;  // long since less than any number
  if (x < kFar || n > x) return sign * near_bessel(n, x).jn;
  double j = hankel(0, x).j;
  if (n == 0) return j;
  double next = hankel(1, x).j;
  for (int k = 1; k < n; k++) {
    const double above = 2 * k / x * next - j;
    j = next, next = above;
  }
  return sign * next;
}
WW_MATH_CALL double yn(int n, double x) {
  if (x != x) return x;
  double sign = 1;
  if (n < 0) {
    n = n == (int)0x80000000 ? 0x7fffffff : -n;
    if (n & 1) sign = -1;
  }
  if (x < 0) return nan();
  if (x == infinity()) return 0;
  if (x == 0) return -sign * infinity();
  double y, next;
  if (x < kFar) {
    const Near all = near_bessel(0, x);
    y = all.y0, next = all.y1;
  } else {
    y = hankel(0, x).y, next = hankel(1, x).y;
  }
  if (n == 0) return y;
  for (int k = 1; k < n && next != -infinity(); k++) {
    const double above = 2 * k / x * next - y;
    y = next, next = above;
  }
  return sign * next;
}
WW_MATH double j0(double x) { return jn(0, x); }
WW_MATH double j1(double x) { return jn(1, x); }
WW_MATH double y0(double x) { return yn(0, x); }
WW_MATH double y1(double x) { return yn(1, x); }

/// I0 and I1.
WW_MATH_CALL double modified_bessel(int order, double x) {
  if (x != x) return x;
  const double sign = order && x < 0 ? -1 : 1;
  x = abs(x);
  if (x == infinity()) return sign * x;
  if (x < 1e-100) return order ? sign * x / 2 : 1;
  if (x > kFar) {
    const double mu = 4.0 * order;
    double p = 1, term = 1;
    for (int k = 1; k < 40; k++) {
      double odd = 2 * k - 1;
      term *= -(mu - odd * odd) / (k * 8 * x);
      p += term;
      if (abs(term) < 1e-18) break;
    }
    const double half = exp(x / 2);
    return sign * (half * (p * __nvvm_sqrt_rn_d(0x1.45f306dc9c883p-3 / x)) * half);
  }
  double above = 0, here = 1e-300, sum = 0, first = 0;
  for (int k = 2 * (int)((x + 20 + __nvvm_sqrt_rn_d(50 * x)) / 2); k > 0; k--) {
    if (k == 1) first = here;
    sum += 2 * here;
    const double below = 2 * k / x * here + above;
    above = here, here = below;
    if (here > 1e200) above *= 1e-200, here *= 1e-200, sum *= 1e-200, first *= 1e-200;
  }
  sum += here;  // e^x = I0 + 2 I1 + 2 I2 + ...
  return sign * exp(x) * ((order ? first : here) / sum);
}
WW_MATH double cyl_bessel_i0(double x) { return modified_bessel(0, x); }
WW_MATH double cyl_bessel_i1(double x) { return modified_bessel(1, x); }

}  // namespace ww_math
