// cuSOLVER's symmetric, indefinite systems. By hand: [0 1; 1 0] has no pivot on its diagonal, so D is one block
// of two rows; it is its own inverse. [1 2; 2 1] without pivoting: L = [1; 2 1], D = (1, -3). For random
// matrices A X = B and A A^-1 = 1 are multiplied out.
// link: -lcusolver
// expect: lower info 0 pivots -2 -2 x 5 3 inverse 0 1 0
// expect: upper info 0 pivots -1 -1 x 5 3 inverse 0 1 0
// expect: no pivots info 0 factors 1 2 -3 x 3 -1
// expect: singular 1
// expect: random lower 0 upper 0
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "values.h"

cusolverDnHandle_t h;
cusolverStatus_t factor(cublasFillMode_t f, int n, float* a, int* p, int* i) { return cusolverDnSsytrf(h, f, n, a, n, p, nullptr, 0, i); }
cusolverStatus_t factor(cublasFillMode_t f, int n, double* a, int* p, int* i) { return cusolverDnDsytrf(h, f, n, a, n, p, nullptr, 0, i); }
cusolverStatus_t factor(cublasFillMode_t f, int n, std::complex<double>* a, int* p, int* i) {
  return cusolverDnZsytrf(h, f, n, (cuDoubleComplex*)a, n, p, nullptr, 0, i);
}
cusolverStatus_t invert(cublasFillMode_t f, int n, float* a, int* p, int* i) { return cusolverDnSsytri(h, f, n, a, n, p, nullptr, 0, i); }
cusolverStatus_t invert(cublasFillMode_t f, int n, double* a, int* p, int* i) { return cusolverDnDsytri(h, f, n, a, n, p, nullptr, 0, i); }
cusolverStatus_t invert(cublasFillMode_t f, int n, std::complex<double>* a, int* p, int* i) {
  return cusolverDnZsytri(h, f, n, (cuDoubleComplex*)a, n, p, nullptr, 0, i);
}
template <class T>
cudaDataType type_of() {
  return sizeof(T) == 4 ? CUDA_R_32F : sizeof(T) == 8 ? CUDA_R_64F : CUDA_C_64F;
}
template <class T>
void solve(cublasFillMode_t fill, int n, int columns, const T* a, const std::vector<int>& pivots, T* b) {
  int64_t* wide = put(std::vector<int64_t>(pivots.begin(), pivots.end()));
  int* info = put(std::vector<int>{9});
  cusolverDnXsytrs(h, fill, n, columns, type_of<T>(), a, n, pivots.empty() ? nullptr : wide, type_of<T>(), b, n, nullptr, 0, nullptr, 0, info);
}

/// How many of these fail: systems of several sizes, whose other triangle is never looked at.
template <class T>
int wrong(cublasFillMode_t fill, double bound) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  int failures = 0;
  for (int n : {1, 2, 3, 7, 18, 65}) {
    std::vector<T> a(n * n), half(n * n, T(NAN)), b(2 * n);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        a[i + j * n] = a[j + i * n] = i == j && i % 2 ? T(0) : T(value(random));
        (fill == CUBLAS_FILL_MODE_LOWER ? half[i + j * n] : half[j + i * n]) = a[i + j * n];
      }
    for (T& x : b) x = T(value(random));
    T *at = put(half), *bt = put(b);
    int *pt = put(std::vector<int>(n)), *it = put(std::vector<int>{9});
    factor(fill, n, at, pt, it);
    failures += get(it, 1)[0] != 0;
    solve(fill, n, 2, at, get(pt, n), bt);
    const std::vector<T> x = get(bt, 2 * n);
    invert(fill, n, at, pt, it);
    std::vector<T> inverse = get(at, n * n);
    for (int j = 0; j < n; ++j)
      for (int i = j + 1; i < n; ++i) (fill == CUBLAS_FILL_MODE_LOWER ? inverse[j + i * n] : inverse[i + j * n]) = fill == CUBLAS_FILL_MODE_LOWER ? inverse[i + j * n] : inverse[j + i * n];
    double most = 0;
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < 2; ++c) {
        T sum = -b[i + c * n];
        for (int k = 0; k < n; ++k) sum += a[i + k * n] * x[k + c * n];
        most = std::max(most, double(std::abs(sum)));
      }
      for (int j = 0; j < n; ++j) {
        T sum = i == j ? T(-1) : T(0);
        for (int k = 0; k < n; ++k) sum += a[i + k * n] * inverse[k + j * n];
        most = std::max(most, double(std::abs(sum)));
      }
    }
    failures += !(most < bound);
  }
  return failures;
}

int main() {
  cusolverDnCreate(&h);
  for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    double* a = put(std::vector<double>{0, lower ? 1. : NAN, lower ? NAN : 1., 0});
    double* b = put(std::vector<double>{3, 5});
    int *p = put(std::vector<int>(2)), *i = put(std::vector<int>{9});
    factor(fill, 2, a, p, i);
    const auto pivots = get(p, 2);
    printf("%s info %d pivots %d %d", lower ? "lower" : "upper", get(i, 1)[0], pivots[0], pivots[1]);
    solve(fill, 2, 1, a, pivots, b);
    invert(fill, 2, a, p, i);
    const auto x = get(b, 2), v = get(a, 4);
    printf(" x %g %g inverse %g %g %g\n", x[0], x[1], v[0] + 0, lower ? v[1] : v[2], v[3] + 0);
  }
  double *a = put(std::vector<double>{1, 2, NAN, 1}), *b = put(std::vector<double>{1, 5});
  int* i = put(std::vector<int>{9});
  factor(CUBLAS_FILL_MODE_LOWER, 2, a, nullptr, i);
  const auto f = get(a, 4);
  solve(CUBLAS_FILL_MODE_LOWER, 2, 1, a, {}, b);
  printf("no pivots info %d factors %g %g %g x %g %g\n", get(i, 1)[0], f[0], f[1], f[3], get(b, 2)[0], get(b, 2)[1]);
  double* zero = put(std::vector<double>{0});
  factor(CUBLAS_FILL_MODE_LOWER, 1, zero, put(std::vector<int>(1)), i);
  printf("singular %d\n", get(i, 1)[0]);
  int failures[2];
  for (int k = 0; k < 2; ++k) {
    const auto fill = k ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    failures[k] = wrong<float>(fill, 2e-3) + wrong<double>(fill, 1e-11) + wrong<std::complex<double>>(fill, 1e-11);
  }
  printf("random lower %d upper %d\n", failures[0], failures[1]);
}
