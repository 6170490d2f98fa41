// cuSOLVER by hand: eigenvalues of general matrices, parts of the eigenvalues, other ways to singular values,
// inverses of triangles, many sparse systems, the eigenvalue nearest to a number.
// link: -lcusolver -lcusparse
// expect: geev 0 0 0 1 -1 | residual 1
// expect: complex geev 0 0 2 3 0
// expect: syevdx 1 3 | 1 1 | 2 1 3
// expect: sygvdx 1 3
// expect: trtri 0 0.5 -0.125 9 0.25
// expect: gesvdp 0 4 3 | residual 1
// expect: gesvda 0 5 0
// expect: csrqrsvBatched 1 1 1 1
// expect: csreigvsi 1 3
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusparse.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include "values.h"

template <class T>
static std::string rounded(const T* at, int n) {
  std::string all;
  for (T x : get(at, n)) {
    char one[32];
    snprintf(one, sizeof one, " %g", std::abs(double(x)) < 1e-12 ? 0 : std::round(double(x) * 1e9) / 1e9);
    all += one;
  }
  return all;
}

static cusolverDnHandle_t h;
static const auto V = CUSOLVER_EIG_MODE_VECTOR, none = CUSOLVER_EIG_MODE_NOVECTOR;
static const auto L = CUBLAS_FILL_MODE_LOWER;

static void general() {
  int* info = put<int>({-7});
  const auto R = CUDA_R_64F, C = CUDA_C_64F;
  // A quarter turn: the eigenvalues are i and -i.
  const std::vector<double> turn = {0, 1, -1, 0};
  double *w = put<double>({9, 9, 9, 9}), *v = put<double>({9, 9, 9, 9});
  cusolverDnXgeev(h, nullptr, none, V, 2, R, put(turn), 2, R, w, R, nullptr, 1, R, v, 2, R, nullptr, 0,
                  nullptr, 0, info);
  const auto x = get(v, 4);
  double worst = 0;
  for (int i = 0; i < 2; ++i) {
    const std::complex<double> unit(0, 1), x0(x[0], x[2]), x1(x[1], x[3]);
    worst = std::fmax(worst, std::abs(turn[i] * x0 + turn[2 + i] * x1 - unit * (i ? x1 : x0)));
  }
  const std::string values = rounded(w, 4);
  printf("geev%s%s | residual %d\n", rounded(info, 1).c_str(), values.c_str(), worst < 1e-14);
  // [2i 1; 0 3]
  double* z = put<double>({9, 9, 9, 9});
  cusolverDnXgeev(h, nullptr, none, none, 2, C, put<double>({0, 2, 0, 0, 1, 0, 3, 0}), 2, C, z, C, nullptr, 1,
                  C, nullptr, 1, C, nullptr, 0, nullptr, 0, info);
  printf("complex geev%s%s\n", rounded(info, 1).c_str(), rounded(z, 4).c_str());
}
static void parts() {
  int *info = put<int>({-7}), count = 0;
  const std::vector<double> a = {2, 1, 1, 2};  // 1 and 3
  double* w = put<double>({0, 0});
  const auto by_number = CUSOLVER_EIG_RANGE_I, by_value = CUSOLVER_EIG_RANGE_V, all = CUSOLVER_EIG_RANGE_ALL;
  cusolverDnDsyevdx(h, V, by_number, L, 2, put(a), 2, 0, 0, 2, 2, &count, w, nullptr, 0, info);
  printf("syevdx %d%s", count, rounded(w, 1).c_str());
  cusolverDnDsyevdx(h, none, by_value, L, 2, put(a), 2, 0, 2, 0, 0, &count, w, nullptr, 0, info);
  printf(" | %d%s", count, rounded(w, 1).c_str());
  cusolverDnDsyevdx(h, none, all, L, 2, put(a), 2, 0, 0, 0, 0, &count, w, nullptr, 0, info);
  printf(" | %d%s\n", count, rounded(w, 2).c_str());
  // diag(2 6) x = w diag(1 2) x
  cusolverDnDsygvdx(h, CUSOLVER_EIG_TYPE_1, none, by_number, L, 2, put<double>({2, 0, 0, 6}), 2,
                    put<double>({1, 0, 0, 2}), 2, 0, 0, 2, 2, &count, w, nullptr, 0, info);
  printf("sygvdx %d%s\n", count, rounded(w, 1).c_str());
  double* t = put<double>({2, 1, 9, 4});  // [2 .; 1 4], the 9 above it is not touched
  cusolverDnXtrtri(h, L, CUBLAS_DIAG_NON_UNIT, 2, CUDA_R_64F, t, 2, nullptr, 0, nullptr, 0, info);
  printf("trtri%s%s\n", rounded(info, 1).c_str(), rounded(t, 4).c_str());
}
static void singular() {
  int* info = put<int>({-7});
  const auto R = CUDA_R_64F;
  const std::vector<double> a = {3, 0, 0, 4, 0, 0};  // 2 by 3
  double *s = put<double>({0, 0}), *u = put<double>(std::vector<double>(4)),
         *v = put<double>(std::vector<double>(6));
  double perturbation = -1;
  cusolverDnXgesvdp(h, nullptr, V, 1, 2, 3, R, put(a), 2, R, s, R, u, 2, R, v, 3, R, nullptr, 0, nullptr, 0,
                    info, &perturbation);
  const auto S = get(s, 2), U = get(u, 4), W = get(v, 6);
  double worst = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      worst = std::fmax(worst, std::abs(a[i + 2 * j] - U[i] * S[0] * W[j] - U[i + 2] * S[1] * W[j + 3]));
  printf("gesvdp%s%s | residual %d\n", rounded(info, 1).c_str(), rounded(s, 2).c_str(), worst < 1e-13);
  // (3 4) as a column: of rank 1.
  float *s1 = put<float>({0}), *u1 = put<float>({0, 0}), *v1 = put<float>({0});
  double residual = -1;
  cusolverDnSgesvdaStridedBatched(h, V, 1, 2, 1, put<float>({3, 4}), 2, 2, s1, 1, u1, 2, 2, v1, 1, 1, nullptr,
                                  0, info, &residual, 1);
  printf("gesvda%s%s %d\n", rounded(info, 1).c_str(), rounded(s1, 1).c_str(), residual > 1e-6);
}
static void sparse() {
  cusolverSpHandle_t sp;
  cusparseMatDescr_t d;
  csrqrInfo_t info;
  cusolverSpCreate(&sp), cusparseCreateMatDescr(&d), cusolverSpCreateCsrqrInfo(&info);
  int *rows = put<int>({0, 1, 2}), *columns = put<int>({0, 1});
  double* x = put<double>({0, 0, 0, 0});
  cusolverSpXcsrqrAnalysisBatched(sp, 2, 2, 2, d, rows, columns, info);
  cusolverSpDcsrqrsvBatched(sp, 2, 2, 2, d, put<double>({2, 4, 4, 8}), rows, columns,
                            put<double>({2, 4, 4, 8}), x, 2, info, nullptr);
  printf("csrqrsvBatched%s\n", rounded(x, 4).c_str());
  // [2 1; 1 2]: 1 and 3
  int *ra = put<int>({0, 2, 4}), *ca = put<int>({0, 1, 0, 1});
  double *a = put<double>({2, 1, 1, 2}), *first = put<double>({1, 0}), *value = put<double>({0, 0});
  double* vector = put<double>({0, 0});
  cusolverSpDcsreigvsi(sp, 2, 4, d, a, ra, ca, 0.9, first, 50, 1e-13, value, vector);
  cusolverSpDcsreigvsi(sp, 2, 4, d, a, ra, ca, 3.5, first, 50, 1e-13, value + 1, vector);
  printf("csreigvsi%s\n", rounded(value, 2).c_str());
}

int main() {
  cusolverDnCreate(&h);
  general(), parts(), singular(), sparse();
}
