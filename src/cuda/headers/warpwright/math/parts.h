// Numbers in two parts, their bits, powers of two, series: what the mathematical functions are made of.
#pragma once

#define WW_MATH static __device__ __inline__ __attribute__((always_inline))
#define WW_MATH_CALL static __device__ __inline__ __attribute__((noinline))

namespace ww_math {

/// A number in two parts: high is the double next to it.
struct Pair {
  double high, low;
};
WW_MATH double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
/// The polynomial with these coefficients at z, that of the highest power first.
template <class... Lower>
WW_MATH double series(double z, double highest, Lower... lower) {
  double p = highest;
  ((p = fma(p, z, lower)), ...);
  return p;
}
WW_MATH float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
template <class... Lower>
WW_MATH float series(float z, float highest, Lower... lower) {
  float p = highest;
  ((p = fmaf(p, z, lower)), ...);
  return p;
}
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

}  // namespace ww_math
