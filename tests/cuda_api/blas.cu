// link: -lcublas
// cuBLAS against sums written out here: all forms of products, triangular systems, mixed types, batches, capture.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#define OK(x)                                                                         \
  do {                                                                                \
    if (int e_ = static_cast<int>(x)) std::printf("line %d: %d\n", __LINE__, e_); \
  } while (0)

static cublasHandle_t handle;
static unsigned state = 1;
static double next() {
  state = state * 1664525u + 1013904223u;
  return (int(state >> 24) - 128) / 64.0;  // few bits: halves hold it exactly
}
template <class T>
std::vector<T> numbers(size_t n) {
  std::vector<T> v(n);
  for (T& x : v) x = T(float(next()));
  return v;
}
template <class T>
T* upload(const std::vector<T>& v) {
  T* p;
  OK(cudaMalloc(&p, v.size() * sizeof(T)));
  OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> download(T* p, size_t n) {
  std::vector<T> v(n);
  OK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
static double at(const std::vector<double>& a, int lda, bool t, int i, int j) { return t ? a[j + i * lda] : a[i + j * lda]; }
template <class T>
std::vector<double> wide(const std::vector<T>& v) {
  std::vector<double> w;
  for (const T& x : v) w.push_back(double(float(x)));
  return w;
}
static std::vector<double> expected(bool ta, bool tb, int m, int n, int k, double al, const std::vector<double>& a, int lda,
                                    const std::vector<double>& b, int ldb, double be, std::vector<double> c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += at(a, lda, ta, i, p) * at(b, ldb, tb, p, j);
      c[i + j * ldc] = al * sum + be * c[i + j * ldc];
    }
  return c;
}
static void report(const char* what, const std::vector<double>& got, const std::vector<double>& want, double allowed) {
  double worst = 0;
  for (size_t k = 0; k < want.size(); ++k) worst = std::max(worst, std::abs(got[k] - want[k]));
  std::printf("%s %s\n", what, worst <= allowed ? "right" : "wrong");
  if (worst > allowed) std::printf("  off by %g\n", worst);
}

// Sizes beyond one block of the loops, and odd.
template <class T>
void products(const char* what, cudaDataType type, cublasComputeType_t compute, double allowed) {
  const int m = 301, n = 37, k = 263, lda = 311, ldb = 305, ldc = 307;
  for (int form = 0; form < 4; ++form) {
    bool ta = form & 1, tb = form & 2;
    auto a = numbers<T>(size_t(lda) * 311), b = numbers<T>(size_t(ldb) * 311), c = numbers<T>(size_t(ldc) * n);
    T *da = upload(a), *db = upload(b), *dc = upload(c);
    float al = 0.5f, be = 2;
    double al64 = al, be64 = be;
    bool wide64 = compute == CUBLAS_COMPUTE_64F;
    OK(cublasGemmEx(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, wide64 ? (void*)&al64 : &al,
                    da, type, lda, db, type, ldb, wide64 ? (void*)&be64 : &be, dc, type, ldc, compute, CUBLAS_GEMM_DEFAULT));
    auto want = expected(ta, tb, m, n, k, al, wide(a), lda, wide(b), ldb, be, wide(c), ldc);
    report(what, wide(download(dc, c.size())), want, allowed);
    cudaFree(da), cudaFree(db), cudaFree(dc);
  }
}

/// With 64-bit sizes: A = (1 3; 2 4), B = (5 7; 6 8) by columns.
static void wide() {
  const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  float *da, *db, *dc, c[4], one = 1, zero = 0, two = 2, norm;
  cudaMalloc(&da, 16), cudaMalloc(&db, 16), cudaMalloc(&dc, 16);
  int64_t at = -1;
  OK(cublasSetMatrix_64(2, 2, 4, a, 2, da, 2));
  OK(cublasSetVector_64(4, 4, b, 1, db, 1));
  OK(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 2, db, 2, &zero, dc, 2));
  OK(cublasSaxpy_64(handle, 4, &two, da, 1, dc, 1));
  OK(cublasGetVector_64(4, 4, dc, 1, c, 1));
  std::printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
  OK(cublasGemmStridedBatchedEx_64(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, da, CUDA_R_32F, 2, 0, db, CUDA_R_32F, 2,
                                   0, &zero, dc, CUDA_R_32F, 2, 0, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  OK(cublasStrsm_64(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 2, &one, da, 2, db, 2));
  OK(cublasGetVector_64(4, 4, dc, 1, c, 1));
  std::printf(" %g %g %g %g", c[0], c[1], c[2], c[3]);
  OK(cublasGetVector_64(4, 4, db, 1, c, 1));
  OK(cublasIsamax_64(handle, 4, da, 1, &at));
  OK(cublasSnrm2_64(handle, 2, da + 2, 1, &norm));
  std::printf(" %g %g %g %g %lld %g", c[0], c[1], c[2], c[3], static_cast<long long>(at), norm);
  std::printf(" %d\n", static_cast<int>(cublasSaxpy_64(handle, int64_t{1} << 40, &two, da, 1, dc, 1)));
}

int main() {
  std::printf("%d\n", cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, nullptr, nullptr, 1, nullptr, 1, nullptr, nullptr, 1));
  OK(cublasCreate(&handle));
  wide();
  products<double>("double", CUDA_R_64F, CUBLAS_COMPUTE_64F, 1e-9);
  products<float>("float", CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-2);
  products<__half>("half", CUDA_R_16F, CUBLAS_COMPUTE_32F, 0.3);
  products<__nv_bfloat16>("bfloat", CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2);

  // A triangular system undoes the product.
  const int n = 40, r = 7;
  for (int form = 0; form < 16; ++form) {
    auto side = form & 1 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    auto fill = form & 2 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    auto op = form & 4 ? CUBLAS_OP_T : CUBLAS_OP_N;
    auto diag = form & 8 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    auto a = numbers<double>(n * n), b = numbers<double>(n * r);
    for (double& v : a) v /= 16;
    for (int i = 0; i < n; ++i) a[i * (n + 1)] = 3;
    double *da = upload(a), *db = upload(b), *dc = upload(b), one = 1;
    int rows = form & 1 ? r : n, columns = form & 1 ? n : r;
    OK(cublasDtrmm(handle, side, fill, op, diag, rows, columns, &one, da, n, db, rows, dc, rows));
    auto other = download(dc, b.size());
    bool changed = other != b;
    OK(cublasDtrsm(handle, side, fill, op, diag, rows, columns, &one, da, n, dc, rows));
    auto back = download(dc, b.size());
    double worst = 0;
    for (size_t k = 0; k < b.size(); ++k) worst = std::max(worst, std::abs(back[k] - b[k]));
    if (worst > 1e-9 || !changed) std::printf("triangular form %d off by %g\n", form, worst);
    cudaFree(da), cudaFree(db), cudaFree(dc);
  }

  // Vectors: with steps, backwards, results on both sides.
  std::vector<float> x = {1, -2, 3, -4}, y = {10, 20, 30, 40};
  float *dx = upload(x), *dy = upload(y), f, two = 2;
  OK(cublasSdot(handle, 2, dx, 2, dy, 2, &f));
  std::printf("%g\n", f);
  OK(cublasSdot(handle, 2, dx, -2, dy, 2, &f));
  std::printf("%g\n", f);
  OK(cublasSaxpy(handle, 4, &two, dx, 1, dy, 1));
  OK(cublasSnrm2(handle, 4, dy, 1, &f));
  std::printf("%g\n", f);
  int where;
  OK(cublasIsamax(handle, 4, dx, 1, &where));
  OK(cublasSasum(handle, 4, dx, 1, &f));
  std::printf("%d %g\n", where, f);
  float* result;
  OK(cudaMalloc(&result, 4));
  OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  OK(cublasSdot(handle, 4, dx, 1, dx, 1, result));
  OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  std::printf("%g\n", download(result, 1)[0]);
  using Z = std::complex<double>;
  std::vector<Z> z = {{1, 2}, {3, -1}};
  Z *dz = upload(z), dot;
  OK(cublasZdotc(handle, 2, (cuDoubleComplex*)dz, 1, (cuDoubleComplex*)dz, 1, (cuDoubleComplex*)&dot));
  std::printf("%g %g\n", dot.real(), dot.imag());

  // In a graph that runs twice.
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamCreate(&s));
  OK(cublasSetStream(handle, s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cublasSscal(handle, 4, &two, dx, 1));
  OK(cudaStreamEndCapture(s, &graph));
  std::printf("%g ", download(dx, 1)[0]);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaGraphLaunch(exec, s));
  std::printf("%g\n", download(dx, 1)[0]);
  std::printf("%d\n", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &two, dx, 3, dx, 4, &two, dy, 4));
  OK(cublasDestroy(handle));
}
// expect: 1
// expect: 25 38 37 54 17 39 23 53 -13 6 -17 8 4 5 15
// expect: double right
// expect: double right
// expect: double right
// expect: double right
// expect: float right
// expect: float right
// expect: float right
// expect: float right
// expect: half right
// expect: half right
// expect: half right
// expect: half right
// expect: bfloat right
// expect: bfloat right
// expect: bfloat right
// expect: bfloat right
// expect: 100
// expect: 60
// expect: 52.1536
// expect: 4 10
// expect: 30
// expect: 15 0
// expect: 1 4
// expect: 7
