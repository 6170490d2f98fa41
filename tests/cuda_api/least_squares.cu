// Least squares: cuBLAS's for many small systems and cuSOLVER's, against the normal equations done by hand.
// link: -lcublas -lcusolver
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <cstdio>

template <class T>
static T* managed(int count) {
  T* at;
  cudaMallocManaged(&at, count * sizeof(T));
  return at;
}

int main() {
  // The line nearest to (0, 1), (1, 6), (2, 7), (3, 12): 4 x0 + 6 x1 = 26, 6 x0 + 14 x1 = 56.
  const double line[] = {1, 1, 1, 1, 0, 1, 2, 3}, at[] = {1, 6, 7, 12};
  cublasHandle_t h;
  cublasCreate(&h);
  double *a = managed<double>(24), *c = managed<double>(12), **as = managed<double*>(3),
         **cs = managed<double*>(3);
  int info = 7, *singular = managed<int>(3);
  for (int b = 0; b < 3; ++b) {
    as[b] = a + 8 * b, cs[b] = c + 4 * b;
    for (int i = 0; i < 8; ++i) as[b][i] = b == 2 && i >= 4 ? 0 : line[i];  // the last one's rank is 1
    for (int i = 0; i < 4; ++i) cs[b][i] = at[i] * (b + 1);
  }
  printf("%d ", cublasDgelsBatched(h, CUBLAS_OP_N, 4, 2, 1, as, 4, cs, 4, &info, singular, 3));
  printf("%d: %.3f %.3f, %.3f %.3f; %d %d %d\n", info, c[0], c[1], c[4], c[5], singular[0], singular[1],
         singular[2]);
  printf("%d ", cublasDgelsBatched(h, CUBLAS_OP_N, 4, 2, 1, as, 3, cs, 4, &info, singular, 3));
  printf("%d\n", info);

  // (1 i; i 1; 0 2) x = b for b = A (1, i): a complex system that has an answer.
  cuComplex *ca = managed<cuComplex>(6), *cc = managed<cuComplex>(3), **cas = managed<cuComplex*>(1),
            **ccs = managed<cuComplex*>(1);
  ca[0] = {1, 0}, ca[1] = {0, 1}, ca[2] = {0, 0}, ca[3] = {0, 1}, ca[4] = {1, 0}, ca[5] = {2, 0};
  cc[0] = {0, 0}, cc[1] = {0, 2}, cc[2] = {0, 2};
  cas[0] = ca, ccs[0] = cc;
  cublasCgelsBatched(h, CUBLAS_OP_N, 3, 2, 1, cas, 3, ccs, 3, &info, nullptr, 1);
  printf("%d: %.3f %.3f, %.3f %.3f\n", info, cc[0].x, std::fabs(cc[0].y), std::fabs(cc[1].x), cc[1].y);

  // |R(0, 0)| is the length of the first column; R* R = A* A.
  float *fa = managed<float>(6), *tau = managed<float>(2), **fas = managed<float*>(1),
        **taus = managed<float*>(1);
  const float numbers[] = {3, 4, 0, 1, 2, 5};
  for (int i = 0; i < 6; ++i) fa[i] = numbers[i];
  fas[0] = fa, taus[0] = tau;
  cublasSgeqrfBatched(h, 3, 2, fas, 3, taus, &info, 1);
  printf("%d: %.3f %.3f %.3f\n", info, std::fabs(fa[0]), fa[0] * fa[3], fa[3] * fa[3] + fa[4] * fa[4]);

  cusolverDnHandle_t s;
  cusolverDnCreate(&s);
  double *sa = managed<double>(8), *sb = managed<double>(4), *x = managed<double>(2);
  int iterations = -7, *bad = managed<int>(1);
  size_t bytes = 0;
  for (int i = 0; i < 8; ++i) sa[i] = line[i];
  for (int i = 0; i < 4; ++i) sb[i] = at[i];
  printf("%d ", cusolverDnDSgels_bufferSize(s, 4, 2, 1, sa, 4, sb, 4, x, 2, nullptr, &bytes));
  char* work = managed<char>(int(bytes));
  printf("%d ", cusolverDnDSgels(s, 4, 2, 1, sa, 4, sb, 4, x, 2, work, bytes, &iterations, bad));
  printf("%d %d: %.3f %.3f\n", iterations >= 0, *bad, x[0], x[1]);
  printf("%d\n", cusolverDnDSgels(s, 1, 2, 1, sa, 4, sb, 4, x, 2, work, bytes, &iterations, bad));  // wide
}
// expect: 0 0: 1.400 3.400, 2.800 6.800; 0 0 2
// expect: 7 -4
// expect: 0: 1.000 0.000, 0.000 1.000
// expect: 0: 5.000 11.000 30.000
// expect: 0 0 1 0: 1.400 3.400
// expect: 3
