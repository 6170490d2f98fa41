// cuSOLVER: what its factors multiply to, and known eigenvalues and determinants, for all types.
// link: -lcusolver
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <type_traits>
#include <vector>

template <class T>
struct Functions;
#define FUNCTIONS(T, C, L, sy, or_)                                        \
  template <>                                                              \
  struct Functions<T> {                                                    \
    static constexpr auto lu_size = cusolverDn##L##getrf_bufferSize;       \
    static constexpr auto lu = cusolverDn##L##getrf;                       \
    static constexpr auto lu_solve = cusolverDn##L##getrs;                 \
    static constexpr auto cholesky_size = cusolverDn##L##potrf_bufferSize; \
    static constexpr auto cholesky = cusolverDn##L##potrf;                 \
    static constexpr auto cholesky_solve = cusolverDn##L##potrs;           \
    static constexpr auto qr_size = cusolverDn##L##geqrf_bufferSize;       \
    static constexpr auto qr = cusolverDn##L##geqrf;                       \
    static constexpr auto q = cusolverDn##L##or_##gqr;                     \
    static constexpr auto q_times = cusolverDn##L##or_##mqr;               \
    static constexpr auto eigen = cusolverDn##L##sy##evd;                  \
    static constexpr auto pairs = cusolverDn##L##sy##gvd;                  \
    static constexpr auto singular = cusolverDn##L##gesvd;                 \
    static constexpr auto rotated = cusolverDn##L##gesvdj;                 \
    using Theirs = C;                                                      \
  };
FUNCTIONS(float, float, S, sy, or)
FUNCTIONS(double, double, D, sy, or)
FUNCTIONS(std::complex<float>, cuComplex, C, he, un)
FUNCTIONS(std::complex<double>, cuDoubleComplex, Z, he, un)

template <class T>
using Real = decltype(std::abs(T{}));
template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <class T>
T conjugate(T v) {
  if constexpr (is_complex<T>)
    return std::conj(v);
  else
    return v;
}
template <class T>
T number(int k) {
  const double a = (k * 7919 % 1000) / 500.0 - 1, b = (k * 104729 % 1000) / 500.0 - 1;
  if constexpr (is_complex<T>)
    return T(Real<T>(a), Real<T>(b));
  else
    return T(a);
}

/// Columns; lives where kernels and the host see it.
template <class T>
struct Matrix {
  int m, n;
  T* data;
  Matrix(int rows, int columns) : m(rows), n(columns) {
    cudaMallocManaged(&data, sizeof(T) * m * n);
    std::fill(data, data + m * n, T{});
  }
  ~Matrix() { cudaFree(data); }
  T& operator()(int i, int j) const { return data[i + j * m]; }
  auto* theirs() const { return reinterpret_cast<typename Functions<T>::Theirs*>(data); }
};
template <class T>
void copy(const Matrix<T>& to, const Matrix<T>& from) {
  for (int j = 0; j < to.n; ++j)
    for (int i = 0; i < to.m; ++i) to(i, j) = from(i, j);
}
/// The largest difference of A B (A* where `adjoint`) and C.
template <class T>
double off(const Matrix<T>& a, bool adjoint, const Matrix<T>& b, const Matrix<T>& c) {
  double worst = 0;
  for (int i = 0; i < c.m; ++i)
    for (int j = 0; j < c.n; ++j) {
      std::complex<double> sum = 0;
      for (int k = 0; k < b.m; ++k)
        sum += std::complex<double>(adjoint ? conjugate(a(k, i)) : a(i, k)) * std::complex<double>(b(k, j));
      worst = std::max(worst, std::abs(sum - std::complex<double>(c(i, j))));
    }
  return worst;
}

template <class T>
void all(cusolverDnHandle_t h, const char* name) {
  using F = Functions<T>;
  const double most = std::is_same_v<Real<T>, float> ? 2e-4 : 1e-12;
  const int n = 75, m = 90;
  int *pivots, *info, size = 0;
  cudaMallocManaged(&pivots, n * sizeof(int)), cudaMallocManaged(&info, sizeof(int));
  Matrix<T> a(n, n), b(n, 3), f(n, n), x(n, 3), work(1000, 10), tau(n, 1);
  for (int k = 0; k < n * n; ++k) a.data[k] = number<T>(k);
  for (int i = 0; i < n; ++i) a(i, i) += T(3);
  for (int k = 0; k < n * 3; ++k) b.data[k] = number<T>(k + 5);
  const auto say = [&](const char* what, double error, int status) {
    if (!(error <= most) || status || *info)
      std::printf("%s %s: off by %g, status %d, info %d\n", name, what, error, status, *info);
  };

  // LU: A x = b, A' x = b.
  int status = F::lu_size(h, n, n, f.theirs(), n, &size);
  copy(f, a);
  status |= F::lu(h, n, n, f.theirs(), n, work.theirs(), pivots, info);
  copy(x, b);
  status |= F::lu_solve(h, CUBLAS_OP_N, n, 3, f.theirs(), n, pivots, x.theirs(), n, info);
  say("getrs", off(a, false, x, b), status || size < 1);
  copy(x, b);
  status = F::lu_solve(h, is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T, n, 3, f.theirs(), n, pivots, x.theirs(),
                       n, info);
  say("getrs of the adjoint", off(a, true, x, b), status);

  // Cholesky of A* A + 1, both triangles.
  Matrix<T> s(n, n), unit(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = i == j ? T(1) : T(0);
      for (int k = 0; k < n; ++k) sum += conjugate(a(k, i)) * a(k, j);
      s(i, j) = sum / T(n);
      unit(i, j) = T(i == j);
    }
  for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    copy(f, s), copy(x, b);
    status = F::cholesky_size(h, fill, n, f.theirs(), n, &size);
    status |= F::cholesky(h, fill, n, f.theirs(), n, work.theirs(), size, info);
    status |= F::cholesky_solve(h, fill, n, 3, f.theirs(), n, x.theirs(), n, info);
    say("potrs", off(s, false, x, b) / 100, status);
  }
  copy(f, s);
  f(40, 40) = T(-1);
  F::cholesky(h, CUBLAS_FILL_MODE_LOWER, n, f.theirs(), n, work.theirs(), size, info);
  if (*info != 41) std::printf("%s potrf: info %d\n", name, *info);

  // QR of a tall matrix: Q R = A, Q* Q = 1, and Q* b by reflections is what Q says.
  Matrix<T> tall(m, n), q(m, n), r(n, n), c(m, 3), d(m, 3);
  for (int k = 0; k < m * n; ++k) tall.data[k] = number<T>(k + 11);
  copy(q, tall);
  status = F::qr_size(h, m, n, q.theirs(), m, &size);
  status |= F::qr(h, m, n, q.theirs(), m, tau.theirs(), work.theirs(), size, info);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) r(i, j) = q(i, j);
  for (int k = 0; k < m * 3; ++k) c.data[k] = d.data[k] = number<T>(k + 17);
  status |= F::q_times(h, CUBLAS_SIDE_LEFT, is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T, m, 3, n, q.theirs(), m,
                       tau.theirs(), c.theirs(), m, work.theirs(), 1000, info);
  status |= F::q(h, m, n, n, q.theirs(), m, tau.theirs(), work.theirs(), 1000, info);
  say("geqrf", off(q, false, r, tall), status);
  say("orgqr", off(q, true, q, unit), status);
  Matrix<T> top(n, 3);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < n; ++i) top(i, j) = c(i, j);
  say("ormqr", off(q, true, d, top), status);

  // Eigenvalues: of the second difference they are 2 - 2 cos(k pi / (n + 1)), in whatever basis.
  Matrix<T> difference(n, n), v(n, n), scaled(n, n);
  Real<T>* w;
  cudaMallocManaged(&w, n * sizeof *w);
  T phase = T(1);
  if constexpr (is_complex<T>) phase = T(0, 1);
  for (int i = 0; i < n; ++i) {
    difference(i, i) = T(2);
    if (i) difference(i, i - 1) = -phase, difference(i - 1, i) = -conjugate(phase);
  }
  for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    copy(v, difference);
    status = F::eigen(h, CUSOLVER_EIG_MODE_VECTOR, fill, n, v.theirs(), n, w, work.theirs(), 1000, info);
    double error = 0;
    for (int k = 0; k < n; ++k) {
      error = std::max(error, std::abs(double(w[k]) - (2 - 2 * std::cos((k + 1) * M_PI / (n + 1)))));
      for (int i = 0; i < n; ++i) scaled(i, k) = v(i, k) * T(w[k]);
    }
    say("syevd", error, status);
    say("syevd vectors", std::max(off(difference, false, v, scaled), off(v, true, v, unit)), status);
  }
  copy(v, s);
  status = F::eigen(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, v.theirs(), n, w, work.theirs(),
                    1000, info);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) scaled(i, k) = v(i, k) * T(w[k]);
  say("syevd of a full matrix", off(s, false, v, scaled), status);
  // Pairs: S v = w D v with D the second difference plus one.
  Matrix<T> other(n, n), kept(n, n);
  for (int i = 0; i < n; ++i) difference(i, i) = T(3);
  copy(other, difference), copy(v, s);
  status = F::pairs(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, v.theirs(),
                    n, other.theirs(), n, w, work.theirs(), 1000, info);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      T sum{};
      for (int l = 0; l < n; ++l) sum += difference(i, l) * v(l, k);
      scaled(i, k) = sum * T(w[k]);
    }
  say("sygvd", off(s, false, v, scaled), status);

  // Singular values: U S V* = A, all columns of U; their squares are the eigenvalues of A* A.
  Matrix<T> u(m, m), vt(n, n), full(m, n), big(m, m);
  copy(full, tall);
  for (int i = 0; i < m; ++i) big(i, i) = T(1);
  status = F::singular(h, 'A', 'A', m, n, full.theirs(), m, w, u.theirs(), m, vt.theirs(), n, work.theirs(),
                       1000, nullptr, info);
  Matrix<T> product(m, n);
  const auto multiply = [&](const Matrix<T>& left, const Matrix<T>& right, bool adjoint) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        T sum{};
        for (int k = 0; k < n; ++k)
          sum += left(i, k) * T(w[k]) * (adjoint ? conjugate(right(j, k)) : right(k, j));
        product(i, j) = sum - tall(i, j);
      }
    double worst = 0;
    for (int k = 0; k < m * n; ++k) worst = std::max(worst, double(std::abs(product.data[k])));
    return worst;
  };
  say("gesvd", multiply(u, vt, false), status);
  say("gesvd vectors", std::max(off(u, true, u, big), off(vt, true, vt, unit)), status);
  for (int k = 1; k < n; ++k)
    if (w[k] > w[k - 1]) std::printf("%s gesvd: not sorted\n", name);
  copy(full, tall);
  gesvdjInfo_t rotations;
  cusolverDnCreateGesvdjInfo(&rotations);
  status = F::rotated(h, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, full.theirs(), m, w, u.theirs(), m, vt.theirs(),
                      n, work.theirs(), 1000, info, rotations);
  say("gesvdj", multiply(u, vt, true), status);
  cusolverDnDestroyGesvdjInfo(rotations);
  // A matrix of rank 1 has orthogonal vectors all the same.
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) full(i, j) = tall(i, 0);
  status = F::singular(h, 'A', 'A', m, n, full.theirs(), m, w, u.theirs(), m, vt.theirs(), n, work.theirs(),
                       1000, nullptr, info);
  say("gesvd of rank 1", std::max({off(u, true, u, big), off(vt, true, vt, unit), double(w[1]) / 10}),
      status);
  std::printf("%s done\n", name);
}

int main() {
  cusolverDnHandle_t h;
  std::printf("%d\n", cusolverDnDgetrf(nullptr, 1, 1, nullptr, 1, nullptr, nullptr, nullptr));
  std::printf("%d\n", cusolverDnCreate(&h));
  all<float>(h, "float");
  all<double>(h, "double");
  all<std::complex<float>>(h, "complex float");
  all<std::complex<double>>(h, "complex double");

  // Any type, 64-bit sizes; singular matrices; A X = B with A kept.
  double *a, *b, *x;
  int *info, refined = -1;
  int64_t* pivots;
  cudaMallocManaged(&a, 4 * sizeof *a), cudaMallocManaged(&b, 2 * sizeof *b),
      cudaMallocManaged(&x, 2 * sizeof *x);
  cudaMallocManaged(&info, sizeof *info), cudaMallocManaged(&pivots, 2 * sizeof *pivots);
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  a[0] = 1, a[1] = 3, a[2] = 2, a[3] = 4, b[0] = 5, b[1] = 11;  // 1 2; 3 4
  std::printf("%d %d ", cusolverDnDDgesv(h, 2, 1, a, 2, nullptr, b, 2, x, 2, nullptr, 0, &refined, info),
              *info);
  std::printf("%g %g, %g %d\n", x[0], x[1], a[0], refined >= 0);
  size_t device = 0, host = 0;
  std::printf("%d ",
              cusolverDnXgetrf_bufferSize(h, params, 2, 2, CUDA_R_64F, a, 2, CUDA_R_64F, &device, &host));
  std::printf("%d %d ",
              cusolverDnXgetrf(h, params, 2, 2, CUDA_R_64F, a, 2, pivots, CUDA_R_64F, nullptr, device,
                               nullptr, host, info),
              *info);
  std::printf("%g %d\n", a[0], int(pivots[0]));
  a[0] = a[1] = a[2] = a[3] = 1;
  cusolverDnDgetrf(h, 2, 2, a, 2, x, reinterpret_cast<int*>(pivots), info);
  std::printf("%d\n", *info);
  std::printf("%d\n", cusolverDnDgesvd_bufferSize(h, 2, 3, info));  // wide ones are not taken
  std::printf("%d\n", cusolverDnDestroy(h));
}
// expect: 1
// expect: 0
// expect: float done
// expect: double done
// expect: complex float done
// expect: complex double done
// expect: 0 0 1 2, 1 1
// expect: 0 0 0 3 2
// expect: 2
// expect: 3
// expect: 0
