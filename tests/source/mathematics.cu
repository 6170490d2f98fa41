// The functions of kernels that clang compiles against the host's (glibc), in units in the last place, and
// their special values. Bounds: what the Programming Guide's table of errors allows CUDA's own, or 2 more
// where the host's may err itself.
//
// expect: 0 wrong
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

enum { kCount = 4096 };
static int wrong = 0;

// Arguments: of one sign or both, by exponents from low to high.
static uint64_t state = 88172645463325252ull;
static double random_unit() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}
static double argument(double low, double high, bool linear) {
  if (linear) return low + (high - low) * random_unit();
  double size = std::exp2(std::log2(low) + (std::log2(high) - std::log2(low)) * random_unit());
  return random_unit() < 0.5 ? size : -size;
}
template <class T>
static double ulps(T got, double exact) {
  if (std::isnan(got) && std::isnan(exact)) return 0;
  if (got == (T)exact) return 0;
  if (std::isnan(got) || std::isnan(exact) || std::isinf(got) || std::isinf((T)exact)) return 1e30;
  T near = std::fabs((T)exact), least = sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074;
  T unit = std::fmax(std::nextafter(near, (T)INFINITY) - near, least);
  return std::fabs((double)got - exact) / unit;
}

#define UNARY(T, name, reference, low, high, linear, bound)                                         \
  __global__ void kernel_##name(const T* x, T* y) {                                                 \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                  \
    y[i] = name(x[i]);                                                                              \
  }                                                                                                 \
  static void test_##name() {                                                                       \
    std::vector<T> x(kCount), y(kCount);                                                            \
    for (T & v : x) v = (T)argument(low, high, linear);                                             \
    T special[] = {(T)0, (T)-0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)1, (T)-1, (T)0.5};          \
    std::memcpy(x.data(), special, sizeof special);                                                 \
    T *dx, *dy;                                                                                     \
    cudaMalloc(&dx, kCount * sizeof(T)), cudaMalloc(&dy, kCount * sizeof(T));                       \
    cudaMemcpy(dx, x.data(), kCount * sizeof(T), cudaMemcpyHostToDevice);                           \
    kernel_##name<<<kCount / 128, 128>>>(dx, dy);                                                   \
    cudaMemcpy(y.data(), dy, kCount * sizeof(T), cudaMemcpyDeviceToHost);                           \
    cudaFree(dx), cudaFree(dy);                                                                     \
    double worst = 0;                                                                               \
    T at = 0;                                                                                       \
    for (int i = 0; i < kCount; i++) {                                                              \
      double e = ulps<T>(y[i], reference((double)x[i]));                                            \
      if (e > worst) worst = e, at = x[i];                                                          \
    }                                                                                               \
    if (std::getenv("VERBOSE")) std::printf("%-12s %.2f\n", #name, worst);                          \
    if (!(worst <= bound)) wrong++, std::printf("%s: %g ulp at %.17g\n", #name, worst, (double)at); \
  }
#define BOTH(name, low, high, linear, bound, bound_f)   \
  UNARY(double, name, ::name, low, high, linear, bound) \
  UNARY(float, name##f, ::name, low, high, linear, bound_f)

static double host_rsqrt(double x) { return 1 / std::sqrt(x); }
static double host_cdf(double x) { return (double)(0.5L * erfcl(-x / sqrtl(2.0L))); }
static double host_cbrt(double x) { return (double)cbrtl(x); }  // glibc's cbrt errs by 3
static double host_sinpi(double x) {
  if (std::isinf(x)) return NAN;
  double whole = std::round(x), sign = std::fmod(whole, 2) == 0 ? 1 : -1;
  return x == whole ? std::copysign(0.0, x) : sign * (double)sinl(M_PIl * (x - whole));
}

BOTH(exp, -700., 700., true, 1, 2)
BOTH(exp2, -1000., 1000., true, 1, 2)
BOTH(expm1, 1e-9, 50., false, 2, 1)
BOTH(log, 1e-300, 1e300, false, 1, 1)
BOTH(log2, 1e-300, 1e300, false, 1, 1)
BOTH(log10, 1e-300, 1e300, false, 1, 2)
BOTH(log1p, 1e-12, 0.9, false, 2, 1)
BOTH(sin, 1e-6, 1e5, false, 1, 2)
BOTH(cos, 1e-6, 1e5, false, 1, 2)
BOTH(tan, 1e-6, 1e5, false, 2, 4)
BOTH(asin, -1., 1., true, 2, 2)
BOTH(acos, -1., 1., true, 2, 2)
BOTH(atan, 1e-6, 1e6, false, 2, 2)
BOTH(sinh, 1e-6, 80., false, 2, 3)
BOTH(cosh, 1e-6, 80., false, 2, 2)
BOTH(tanh, 1e-6, 30., false, 2, 2)
BOTH(asinh, 1e-6, 1e12, false, 3, 3)
BOTH(acosh, 1., 1e6, true, 3, 4)
BOTH(atanh, -0.999, 0.999, true, 2, 3)
BOTH(sqrt, 1e-300, 1e300, false, 0.5, 0.5)
UNARY(double, cbrt, host_cbrt, 1e-300, 1e300, false, 1)
UNARY(float, cbrtf, host_cbrt, 1e-30, 1e30, false, 1)
BOTH(erf, 1e-6, 6., false, 2, 2)
BOTH(erfc, -6., 26., true, 8, 6)
BOTH(tgamma, 0.01, 100., true, 10, 11)
BOTH(lgamma, 3., 1e6, true, 4, 6)
BOTH(floor, 1e-3, 1e9, false, 0, 0)
BOTH(ceil, 1e-3, 1e9, false, 0, 0)
BOTH(trunc, 1e-3, 1e9, false, 0, 0)
BOTH(rint, 1e-3, 1e9, false, 0, 0)
BOTH(round, 1e-3, 1e9, false, 0, 0)
BOTH(fabs, 1e-3, 1e9, false, 0, 0)
BOTH(logb, 1e-30, 1e30, false, 0, 0)
UNARY(double, rsqrt, host_rsqrt, 1e-300, 1e300, false, 2)
UNARY(float, rsqrtf, host_rsqrt, 1e-30, 1e30, false, 2)
UNARY(double, normcdf, host_cdf, -10., 10., true, 10)
UNARY(double, sinpi, host_sinpi, -100., 100., true, 2)
UNARY(float, __expf, exp, -10., 10., true, 20)  // 2 + |1.173 x|
UNARY(float, __sinf, sin, -3.1, 3.1, true, 1e30)
// A few the far reduction is for.
__device__ double far_sine(double x) { return sin(x); }
static double host_sine(double x) { return std::sin(x); }
__device__ float far_cosine(float x) { return cosf(x); }
static double host_cosine(double x) { return std::cos(x); }
UNARY(double, far_sine, host_sine, 1e5, 1e300, false, 1)
UNARY(float, far_cosine, host_cosine, 1e4, 1e38, false, 2)

#define BINARY(T, name, reference, low, high, low2, high2, bound)                                         \
  __global__ void kernel_##name(const T* x, const T* y, T* z) {                                           \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                        \
    z[i] = name(x[i], y[i]);                                                                              \
  }                                                                                                       \
  static void test_##name() {                                                                             \
    std::vector<T> x(kCount), y(kCount), z(kCount);                                                       \
    for (T & v : x) v = (T)argument(low, high, false);                                                    \
    for (T & v : y) v = (T)argument(low2, high2, false);                                                  \
    T s[] = {                                                                                             \
        (T)0, (T)-0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)1, (T)-1, (T)0.5, (T)-2, (T)3, (T)-3, (T)2}; \
    for (int i = 0; i < 144; i++) x[i] = s[i / 12], y[i] = s[i % 12];                                     \
    T *dx, *dy, *dz;                                                                                      \
    cudaMalloc(&dx, kCount * sizeof(T)), cudaMalloc(&dy, kCount * sizeof(T)),                             \
        cudaMalloc(&dz, kCount * sizeof(T));                                                              \
    cudaMemcpy(dx, x.data(), kCount * sizeof(T), cudaMemcpyHostToDevice);                                 \
    cudaMemcpy(dy, y.data(), kCount * sizeof(T), cudaMemcpyHostToDevice);                                 \
    kernel_##name<<<kCount / 128, 128>>>(dx, dy, dz);                                                     \
    cudaMemcpy(z.data(), dz, kCount * sizeof(T), cudaMemcpyDeviceToHost);                                 \
    double worst = 0;                                                                                     \
    int at = 0;                                                                                           \
    for (int i = 0; i < kCount; i++) {                                                                    \
      double e = ulps<T>(z[i], reference((double)x[i], (double)y[i]));                                    \
      if (e > worst) worst = e, at = i;                                                                   \
    }                                                                                                     \
    if (std::getenv("VERBOSE")) std::printf("%-12s %.2f\n", #name, worst);                                \
    if (!(worst <= bound))                                                                                \
      wrong++, std::printf("%s: %g ulp at %.17g, %.17g: %.17g\n", #name, worst, (double)x[at],            \
                           (double)y[at], (double)z[at]);                                                 \
  }
BINARY(double, pow, ::pow, 1e-10, 1e10, 0.01, 25., 2)
BINARY(float, powf, ::pow, 1e-4, 1e4, 0.01, 8., 4)
BINARY(double, atan2, ::atan2, 1e-9, 1e9, 1e-9, 1e9, 2)
BINARY(float, atan2f, ::atan2, 1e-9, 1e9, 1e-9, 1e9, 3)
BINARY(double, hypot, ::hypot, 1e-200, 1e200, 1e-200, 1e200, 1)
BINARY(float, hypotf, ::hypot, 1e-10, 1e10, 1e-10, 1e10, 3)
BINARY(double, fmod, ::fmod, 1e-3, 1e9, 1e-3, 1e3, 0)
BINARY(float, fmodf, ::fmod, 1e-3, 1e9, 1e-3, 1e3, 0)
BINARY(double, remainder, ::remainder, 1e-3, 1e9, 1e-3, 1e3, 0)
BINARY(double, fdim, ::fdim, 1e-3, 1e3, 1e-3, 1e3, 0)
BINARY(double, fmin, ::fmin, 1e-3, 1e3, 1e-3, 1e3, 0)
BINARY(double, copysign, ::copysign, 1e-3, 1e3, 1e-3, 1e3, 0)
BINARY(double, nextafter, ::nextafter, 1e-3, 1e3, 1e-3, 1e3, 0)

__global__ void inverse(double* bad) {  // what inverts another function
  double worst = 0;
  for (double p = 1e-12; p < 1; p *= 1.37) {
    worst = fmax(worst, fabs(erfc(erfcinv(p)) / p - 1));
    worst = fmax(worst, fabs(normcdf(normcdfinv(p)) / p - 1));
    worst = fmax(worst, fabs(erf(erfinv(p)) / p - 1));
  }
  *bad = worst;
}

// Bessel functions: to the size of their waves, which is sqrt(2 / (pi x)) far from 0.
__global__ void bessel(const double* x, double* y, float* f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = x[i], all[] = {j0(v), j1(v), jn(2, v), jn(7, v), jn(-3, v), y0(v), y1(v), yn(2, v), yn(7, v)};
  for (int k = 0; k < 9; k++) y[9 * i + k] = all[k];
  f[2 * i] = j0f((float)v), f[2 * i + 1] = ynf(2, (float)v);
}
__global__ void bessel_modified(double x, double* y) {
  y[0] = cyl_bessel_i0(x), y[1] = cyl_bessel_i1(x), y[2] = cyl_bessel_i1(-x);
}
static void test_bessel() {
  std::vector<double> x(kCount), y(9 * kCount);
  std::vector<float> f(2 * kCount);
  for (int i = 0; i < kCount; i++)
    x[i] = i % 2 ? std::fabs(argument(1e-300, 1e6, false)) : argument(0, 100, true);
  double special[] = {0, INFINITY, NAN, -1.5, -40};
  std::memcpy(x.data(), special, sizeof special);
  double *dx, *dy;
  float* df;
  cudaMalloc(&dx, kCount * 8), cudaMalloc(&dy, 9 * kCount * 8), cudaMalloc(&df, 2 * kCount * 4);
  cudaMemcpy(dx, x.data(), kCount * 8, cudaMemcpyHostToDevice);
  bessel<<<kCount / 128, 128>>>(dx, dy, df);
  cudaMemcpy(y.data(), dy, 9 * kCount * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(f.data(), df, 2 * kCount * 4, cudaMemcpyDeviceToHost);
  double worst = 0, worst_f = 0;
  const auto off = [](double got, double exact, double x) {
    if (got == exact || (std::isnan(got) && std::isnan(exact))) return 0.0;
    return std::fabs(got - exact) / std::fmax(std::fabs(exact), std::fmin(1, std::sqrt(0.64 / std::fabs(x))));
  };
  for (int i = 0; i < kCount; i++) {
    double v = x[i];
    double exact[] = {::j0(v), ::j1(v), ::jn(2, v), ::jn(7, v), ::jn(-3, v),
                      ::y0(v), ::y1(v), ::yn(2, v), ::yn(7, v)};
    for (int k = 5; k < 9 && v < 0; k++) exact[k] = NAN;  // as in CUDA; glibc has an infinity
    for (int k = 0; k < 9; k++) {
      double e = off(y[9 * i + k], exact[k], v);
      if (!(e <= worst)) worst = std::isnan(e) ? INFINITY : e;
    }
    worst_f = std::fmax(worst_f, off(f[2 * i], ::j0((float)v), v));
    double y2 = ::yn(2, (float)v);
    if (std::fabs(y2) < 1e38) worst_f = std::fmax(worst_f, off(f[2 * i + 1], y2, v));
  }
  if (std::getenv("VERBOSE")) std::printf("bessel %g %g\n", worst, worst_f);
  if (!(worst < 1e-14 && worst_f < 1e-6)) wrong++, std::printf("bessel: %g, float %g\n", worst, worst_f);
  for (double v : {1e-12, 1e-3, 1.0, 12.0, 29.9, 30.1, 300.0}) {
    double got[3], i0 = std::cyl_bessel_i(0, v), i1 = std::cyl_bessel_i(1, v);
    bessel_modified<<<1, 1>>>(v, dy);
    cudaMemcpy(got, dy, sizeof got, cudaMemcpyDeviceToHost);
    if (!(std::fabs(got[0] / i0 - 1) < 1e-14 && std::fabs(got[1] / i1 - 1) < 1e-14 && got[2] == -got[1]))
      wrong++, std::printf("modified: %.17g %.17g %.17g at %g\n", got[0], got[1], got[2], v);
  }
}

int main() {
#define T(name) test_##name(), test_##name##f();
  T(exp)
  T(exp2)
  T(expm1)
  T(log) T(log2) T(log10) T(log1p) T(sin) T(cos) T(tan) T(asin) T(acos) T(atan) T(sinh) T(cosh) T(tanh)
      T(asinh) T(acosh) T(atanh) T(sqrt) T(cbrt) T(erf) T(erfc) T(tgamma) T(lgamma) T(floor) T(ceil) T(trunc)
          T(rint) T(round) T(fabs) T(logb) T(pow) T(atan2) T(hypot) T(fmod) test_rsqrt(),
      test_rsqrtf(), test_normcdf(), test_sinpi(), test___expf(), test___sinf();
  test_far_sine(), test_far_cosine(), test_remainder(), test_fdim(), test_fmin(), test_copysign(),
      test_nextafter();
  test_bessel();
  double *bad, worst;
  cudaMalloc(&bad, 8);
  inverse<<<1, 1>>>(bad);
  cudaMemcpy(&worst, bad, 8, cudaMemcpyDeviceToHost);
  if (!(worst < 1e-13)) wrong++, std::printf("inverses: %g\n", worst);
  if (cudaError_t e = cudaGetLastError()) wrong++, std::printf("%s\n", cudaGetErrorString(e));
  std::printf("%d wrong\n", wrong);
}
