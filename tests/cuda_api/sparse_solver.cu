// cuSOLVER's sparse part: what its factors solve and multiply to, checked against the matrices themselves.
// link: -lcusolver -lcusparse
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <set>
#include <vector>

static bool good = true;
static void expect(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what), good = false;
}
static unsigned state = 12345;
static double number() {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / double(1 << 24) * 2 - 1;
}
template <class T>
T value() {
  if constexpr (std::is_floating_point_v<T>)
    return T(number());
  else
    return T(number(), number());
}

/// By rows, from a base; lives where kernels and the host see it.
template <class T>
struct Csr {
  int n, base, count = 0;
  std::vector<std::vector<T>> dense;
  int *offsets, *inner;
  T *values, *b, *x;
  cusparseMatDescr_t descr;
  Csr(int size, int from, bool definite) : n(size), base(from), dense(n, std::vector<T>(n)) {
    for (int i = 0; i < n; ++i)
      for (int j : {(i * 7 + 3) % n, (i * 13 + 5) % n, (i + 1) % n}) {
        dense[i][j] += value<T>();
        if (definite) dense[j][i] = std::abs(dense[i][j]) * T(1), dense[i][j] = dense[j][i];
      }
    for (int i = 0; i < n; ++i)
      if (definite) dense[i][i] = T(12);
    for (auto& row : dense)
      for (T v : row) count += v != T{};
    cudaMallocManaged(&offsets, (n + 1) * sizeof(int));
    cudaMallocManaged(&inner, count * sizeof(int));
    cudaMallocManaged(&values, count * sizeof(T));
    cudaMallocManaged(&b, n * sizeof(T));
    cudaMallocManaged(&x, n * sizeof(T));
    int k = 0;
    for (int i = 0; i < n; ++i) {
      offsets[i] = k + base, b[i] = value<T>();
      for (int j = 0; j < n; ++j)
        if (dense[i][j] != T{}) inner[k] = j + base, values[k++] = dense[i][j];
    }
    offsets[n] = k + base;
    cusparseCreateMatDescr(&descr);
    cusparseSetMatIndexBase(descr, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  double residual() const {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      T sum = -b[i];
      for (int j = 0; j < n; ++j) sum += dense[i][j] * x[j];
      worst = std::max<double>(worst, std::abs(sum));
    }
    return worst;
  }
};

#define ONE_CALL(T, C, letter, tolerance, eps)                                                               \
  for (int reorder = 0; reorder < 4; ++reorder)                                                              \
    for (int base = 0; base < 2; ++base) {                                                                   \
      Csr<T> a(60, base, false), s(60, base, true);                                                          \
      int singular = 7;                                                                                      \
      const auto solve = [&](auto f, Csr<T>& m, const char* what) {                                          \
        std::fill(m.x, m.x + m.n, T{});                                                                      \
        const auto r = f(sp, m.n, m.count, m.descr, (C*)m.values, m.offsets, m.inner, (C*)m.b, eps, reorder, \
                         (C*)m.x, &singular);                                                                \
        expect(r == CUSOLVER_STATUS_SUCCESS && singular == -1 && m.residual() < tolerance, what);            \
      };                                                                                                     \
      solve(cusolverSp##letter##csrlsvluHost, a, #letter " lu");                                             \
      solve(cusolverSp##letter##csrlsvqrHost, a, #letter " qr host");                                        \
      solve(cusolverSp##letter##csrlsvqr, a, #letter " qr");                                                 \
      solve(cusolverSp##letter##csrlsvcholHost, s, #letter " cholesky host");                                \
      solve(cusolverSp##letter##csrlsvchol, s, #letter " cholesky");                                         \
    }

static void singular_ones(cusolverSpHandle_t sp) {
  // Row 2 is twice row 1: no inverse. And a symmetric one with eigenvalue 1 − 2 = −1.
  Csr<double> a(3, 0, false);
  int offsets[] = {0, 1, 3, 5}, inner[] = {0, 1, 2, 1, 2}, where = 7;
  double values[] = {1, 2, 3, 4, 6}, b[] = {1, 1, 1}, x[3];
  cusolverSpDcsrlsvluHost(sp, 3, 5, a.descr, values, offsets, inner, b, 1e-12, 0, x, &where);
  expect(where == 2, "singular by lu");
  cusolverSpDcsrlsvqrHost(sp, 3, 5, a.descr, values, offsets, inner, b, 1e-12, 0, x, &where);
  expect(where == 2, "singular by qr");
  int offsets2[] = {0, 2, 4}, inner2[] = {0, 1, 0, 1};
  double values2[] = {1, 2, 2, 1};
  cusolverSpDcsrlsvcholHost(sp, 2, 4, a.descr, values2, offsets2, inner2, b, 1e-12, 0, x, &where);
  expect(where == 1, "not definite by cholesky");
  inner[4] = 3;
  expect(cusolverSpDcsrlsvluHost(sp, 3, 5, a.descr, values, offsets, inner, b, 1e-12, 0, x, &where) ==
             CUSOLVER_STATUS_INVALID_VALUE,
         "a column that is not there");
}

/// A grid's matrix, its points in a scattered order: of 12 × 12 points.
static void orders(cusolverSpHandle_t sp) {
  constexpr int side = 12, n = side * side;
  std::vector<int> place(n), offsets{0}, inner;
  for (int i = 0; i < n; ++i) place[i] = i * 61 % n;
  std::vector<std::vector<int>> rows(n);
  for (int i = 0; i < n; ++i)
    for (int j : {i, i - side, i + side, i % side ? i - 1 : -1, i % side < side - 1 ? i + 1 : -1})
      if (j >= 0 && j < n) rows[place[i]].push_back(place[j]);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    inner.insert(inner.end(), row.begin(), row.end());
    offsets.push_back(inner.size());
  }
  Csr<double> any(3, 0, false);
  const int count = inner.size();
  int symmetric = 0;
  cusolverSpXcsrissymHost(sp, n, count, any.descr, offsets.data(), offsets.data() + 1, inner.data(),
                          &symmetric);
  expect(symmetric == 1, "a grid is symmetric");
  const auto fill = [&](const std::vector<int>& p) {  // numbers in its Cholesky factor, by elimination
    std::vector<std::set<int>> below(n);
    std::vector<int> at(n);
    for (int i = 0; i < n; ++i) at[p[i]] = i;
    for (int i = 0; i < n; ++i)
      for (int k = offsets[i]; k < offsets[i + 1]; ++k)
        if (at[inner[k]] > at[i]) below[at[i]].insert(at[inner[k]]);
    size_t all = n;
    for (int k = 0; k < n; ++k) {
      all += below[k].size();
      if (below[k].empty()) continue;
      const int first = *below[k].begin();
      below[first].insert(std::next(below[k].begin()), below[k].end());
    }
    return all;
  };
  std::vector<int> identity(n), p(n), sorted;
  for (int i = 0; i < n; ++i) identity[i] = i;
  const size_t before = fill(identity);
  const auto try_one = [&](auto f, const char* what, double at_most) {
    const bool done = f(p.data()) == CUSOLVER_STATUS_SUCCESS;
    sorted = p, std::sort(sorted.begin(), sorted.end());
    expect(done && sorted == identity, what);
    if (sorted == identity) expect(fill(p) <= at_most * before, what);
  };
  const int *o = offsets.data(), *c = inner.data();
  try_one([&](int* to) { return cusolverSpXcsrsymrcmHost(sp, n, count, any.descr, o, c, to); }, "symrcm",
          0.6);
  try_one([&](int* to) { return cusolverSpXcsrsymamdHost(sp, n, count, any.descr, o, c, to); }, "symamd",
          0.45);
  try_one([&](int* to) { return cusolverSpXcsrsymmdqHost(sp, n, count, any.descr, o, c, to); }, "symmdq",
          0.45);
  try_one([&](int* to) { return cusolverSpXcsrmetisndHost(sp, n, count, any.descr, o, c, nullptr, to); },
          "metisnd", 0.45);
}

/// B(i, j) = A(p[i], q[j]), LU of B step by step, and the same pattern with other values.
static void steps(cusolverSpHandle_t sp) {
  Csr<double> a(40, 0, false);
  const int n = a.n;
  std::vector<int> p(n), q(n), map(a.count), offsets(a.offsets, a.offsets + n + 1),
      inner(a.inner, a.inner + a.count);
  for (int i = 0; i < n; ++i) p[i] = i * 7 % n, q[i] = i * 3 % n;
  for (int k = 0; k < a.count; ++k) map[k] = k;
  size_t bytes = 0, inside = 0;
  cusolverSpXcsrperm_bufferSizeHost(sp, n, n, a.count, a.descr, a.offsets, a.inner, p.data(), q.data(),
                                    &bytes);
  std::vector<char> work(bytes);
  cusolverSpXcsrpermHost(sp, n, n, a.count, a.descr, offsets.data(), inner.data(), p.data(), q.data(),
                         map.data(), work.data());
  std::vector<double> values(a.count);
  bool same = true;
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) {
      values[k] = a.values[map[k]];
      same = same && values[k] == a.dense[p[i]][q[inner[k]]] && (k == offsets[i] || inner[k - 1] < inner[k]);
    }
  expect(same, "a permuted matrix");

  csrluInfoHost_t info;
  cusolverSpCreateCsrluInfoHost(&info);
  cusolverSpXcsrluAnalysisHost(sp, n, a.count, a.descr, offsets.data(), inner.data(), info);
  cusolverSpDcsrluBufferInfoHost(sp, n, a.count, a.descr, values.data(), offsets.data(), inner.data(), info,
                                 &inside, &bytes);
  work.resize(bytes);
  cusolverSpDcsrluFactorHost(sp, n, a.count, a.descr, values.data(), offsets.data(), inner.data(), info, 0.1,
                             work.data());
  int nl = 0, nu = 0, zero = 7;
  cusolverSpDcsrluZeroPivotHost(sp, info, 1e-12, &zero);
  cusolverSpXcsrluNnzHost(sp, &nl, &nu, info);
  std::vector<int> P(n), Q(n), lo(n + 1), li(nl), uo(n + 1), ui(nu);
  std::vector<double> lv(nl), uv(nu);
  cusolverSpDcsrluExtractHost(sp, P.data(), Q.data(), a.descr, lv.data(), lo.data(), li.data(), a.descr,
                              uv.data(), uo.data(), ui.data(), info, work.data());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    std::vector<double> row(n);
    const auto add = [&](int k, double times) {
      for (int s = uo[k]; s < uo[k + 1]; ++s) row[ui[s]] += times * uv[s];
    };
    add(i, 1);
    for (int s = lo[i]; s < lo[i + 1]; ++s) {
      expect(li[s] < i, "L lies below the diagonal");
      add(li[s], lv[s]);
    }
    for (int j = 0; j < n; ++j) worst = std::max(worst, std::abs(row[j] - a.dense[p[P[i]]][q[Q[j]]]));
  }
  expect(zero == -1 && worst < 1e-12, "P B Q = L U");
  cusolverSpDestroyCsrluInfoHost(info);

  cusolverRfHandle_t rf;
  cusolverRfCreate(&rf);
  cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
  std::vector<int> rp(n), rq(n);
  for (int i = 0; i < n; ++i) rp[i] = p[P[i]], rq[i] = q[Q[i]];
  expect(cusolverRfSetupHost(n, a.count, a.offsets, a.inner, a.values, nl, lo.data(), li.data(), lv.data(),
                             nu, uo.data(), ui.data(), uv.data(), rp.data(), rq.data(),
                             rf) == CUSOLVER_STATUS_SUCCESS,
         "setup");
  for (int k = 0; k < a.count; ++k) a.values[k] *= 1 + 0.01 * (k % 5);
  for (int i = 0; i < n; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k) a.dense[i][a.inner[k]] = a.values[k];
  int *dp, *dq;
  cudaMallocManaged(&dp, n * sizeof(int)), cudaMallocManaged(&dq, n * sizeof(int));
  std::copy(rp.begin(), rp.end(), dp), std::copy(rq.begin(), rq.end(), dq);
  cusolverRfAnalyze(rf);
  cusolverRfResetValues(n, a.count, a.offsets, a.inner, a.values, dp, dq, rf);
  cusolverRfRefactor(rf);
  std::copy(a.b, a.b + n, a.x);
  std::vector<double> temp(n);
  cusolverRfSolve(rf, dp, dq, 1, temp.data(), n, a.x, n);
  expect(a.residual() < 1e-9, "refactored");
  cusolverRfDestroy(rf);
}

/// Least squares and a shift by QR; Cholesky step by step.
static void more_steps(cusolverSpHandle_t sp) {
  // The line nearest to (0, 1), (1, 6), (2, 7), (3, 12).
  int offsets[] = {0, 1, 3, 5, 7}, inner[] = {0, 0, 1, 0, 1, 0, 1}, zero = 7;
  double values[] = {1, 1, 1, 1, 2, 1, 3}, b[] = {1, 6, 7, 12}, x[2];
  Csr<double> s(30, 1, true);
  csrqrInfoHost_t info;
  cusolverSpCreateCsrqrInfoHost(&info);
  Csr<double> from_zero(3, 0, false);
  size_t inside, bytes;
  cusolverSpXcsrqrAnalysisHost(sp, 4, 2, 7, from_zero.descr, offsets, inner, info);
  cusolverSpDcsrqrBufferInfoHost(sp, 4, 2, 7, from_zero.descr, values, offsets, inner, info, &inside, &bytes);
  std::vector<char> work(bytes);
  cusolverSpDcsrqrSetupHost(sp, 4, 2, 7, from_zero.descr, values, offsets, inner, 0, info);
  cusolverSpDcsrqrFactorHost(sp, 4, 2, 7, nullptr, nullptr, info, work.data());
  cusolverSpDcsrqrZeroPivotHost(sp, info, 1e-12, &zero);
  cusolverSpDcsrqrSolveHost(sp, 4, 2, b, x, info, work.data());
  // 4 x0 + 6 x1 = 26 and 6 x0 + 14 x1 = 56: x1 = 3.4, x0 = 1.4
  expect(zero == -1 && std::abs(x[0] - 1.4) < 1e-12 && std::abs(x[1] - 3.4) < 1e-12, "least squares");
  cusolverSpDestroyCsrqrInfoHost(info);

  csrqrInfo_t shifted;
  cusolverSpCreateCsrqrInfo(&shifted);
  cusolverSpXcsrqrAnalysis(sp, s.n, s.n, s.count, s.descr, s.offsets, s.inner, shifted);
  cusolverSpDcsrqrSetup(sp, s.n, s.n, s.count, s.descr, s.values, s.offsets, s.inner, 0.5, shifted);
  cusolverSpDcsrqrFactor(sp, s.n, s.n, s.count, s.b, s.x, shifted, work.data());
  for (int i = 0; i < s.n; ++i) s.dense[i][i] -= 0.5;
  expect(s.residual() < 1e-12, "A - 0.5 by QR");
  for (int i = 0; i < s.n; ++i) s.dense[i][i] += 0.5;
  cusolverSpDestroyCsrqrInfo(shifted);

  csrcholInfo_t cholesky;
  cusolverSpCreateCsrcholInfo(&cholesky);
  cusolverSpXcsrcholAnalysis(sp, s.n, s.count, s.descr, s.offsets, s.inner, cholesky);
  expect(cusolverSpDcsrcholSolve(sp, s.n, s.b, s.x, cholesky, work.data()) == CUSOLVER_STATUS_INVALID_VALUE,
         "no factors yet");
  cusolverSpDcsrcholFactor(sp, s.n, s.count, s.descr, s.values, s.offsets, s.inner, cholesky, work.data());
  cusolverSpDcsrcholZeroPivot(sp, cholesky, 1e-12, &zero);
  cusolverSpDcsrcholSolve(sp, s.n, s.b, s.x, cholesky, work.data());
  expect(zero == -1 && s.residual() < 1e-12, "Cholesky in steps");
  cusolverSpDestroyCsrcholInfo(cholesky);
}

int main() {
  cusolverSpHandle_t sp;
  cusolverSpCreate(&sp);
  ONE_CALL(float, float, S, 1e-2, 1e-6f)
  ONE_CALL(double, double, D, 1e-10, 1e-13)
  ONE_CALL(std::complex<float>, cuComplex, C, 1e-2, 1e-6f)
  ONE_CALL(std::complex<double>, cuDoubleComplex, Z, 1e-10, 1e-13)
  singular_ones(sp);
  orders(sp);
  steps(sp);
  more_steps(sp);
  cusolverSpDestroy(sp);
  std::puts(good ? "all good" : "failed");
}
// expect: all good
