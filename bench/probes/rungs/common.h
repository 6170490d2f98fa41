#pragma once
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#define CK(x)                                                                         \
  do {                                                                                \
    cudaError_t e_ = (x);                                                             \
    if (e_ != cudaSuccess) {                                                          \
      printf("CUDA error %s at %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); \
      exit(3);                                                                        \
    }                                                                                 \
  } while (0)
#define CB(x)                                                            \
  do {                                                                   \
    cublasStatus_t e_ = (x);                                             \
    if (e_ != CUBLAS_STATUS_SUCCESS) {                                   \
      printf("cuBLAS error %d at %s:%d\n", (int)e_, __FILE__, __LINE__); \
      exit(3);                                                           \
    }                                                                    \
  } while (0)
/// A handle with a workspace of its own; says the version.
inline cublasHandle_t open_cublas() {
  cublasHandle_t handle;
  CB(cublasCreate(&handle));
  int version;
  CB(cublasGetVersion(handle, &version));
  fprintf(stderr, "cuBLAS %d\n", version);
  const size_t bytes = size_t{64} << 20;
  void* workspace;
  CK(cudaMalloc(&workspace, bytes));
  CB(cublasSetWorkspace(handle, workspace, bytes));
  return handle;
}
inline int up(long a, long b) { return static_cast<int>((a + b - 1) / b); }
__global__ void fill_random(float* p, size_t n, unsigned seed) {  // both signs, normal-like
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float s = 0;
    unsigned long long x = i * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
    for (int k = 0; k < 4; ++k) {
      x ^= x >> 31;
      x *= 0xBF58476D1CE4E5B9ull;
      x ^= x >> 27;
      s += (float)(unsigned)(x >> 32) * 2.3283064e-10f - 0.5f;
    }
    p[i] = s * 1.7f;
  }
}
__global__ void widen(const float* a, double* d, size_t n, int absolute) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    d[i] = absolute ? fabs((double)a[i]) : a[i];
}
struct Err {
  double max_rel, sum_rel, sum_d2, sum_r2;
  unsigned long long bad;
};
__global__ void compare(const float* c, const double* r, const double* mag, size_t n, Err* out) {
  double m = 0, s = 0, d2 = 0, r2 = 0;
  unsigned long long bad = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    double d = fabs((double)c[i] - r[i]);
    if (!(d < 1e30)) {
      bad++;
      continue;
    }
    double e = d / mag[i];
    m = fmax(m, e);
    s += e;
    d2 += d * d;
    r2 += r[i] * r[i];
  }
  atomicMax((unsigned long long*)&out->max_rel, (unsigned long long)__double_as_longlong(m));
  atomicAdd(&out->sum_rel, s);
  atomicAdd(&out->sum_d2, d2);
  atomicAdd(&out->sum_r2, r2);
  atomicAdd(&out->bad, bad);
}
struct Errors {
  double max_rel, mean_rel, frob;
  unsigned long long bad;
};
inline Errors errors(const float* c, const double* r, const double* mag, size_t n) {
  static Err* d = nullptr;
  if (!d) CK(cudaMalloc(&d, sizeof(Err)));
  CK(cudaMemset(d, 0, sizeof(Err)));
  compare<<<1024, 256>>>(c, r, mag, n, d);
  Err h;
  CK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
  return {h.max_rel, h.sum_rel / n, sqrt(h.sum_d2 / h.sum_r2), h.bad};
}
inline double median(std::vector<float> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}
// Interleaved: rounds of (A batch, B batch); each launch timed on its own or `batch` launches together.
struct Pair {
  double a, b;
};
inline float time_batch(const std::function<void()>& f, int batch) {
  static cudaEvent_t e0 = nullptr, e1;
  if (!e0) {
    CK(cudaEventCreate(&e0));
    CK(cudaEventCreate(&e1));
  }
  CK(cudaEventRecord(e0));
  for (int i = 0; i < batch; ++i) f();
  CK(cudaEventRecord(e1));
  CK(cudaEventSynchronize(e1));
  float ms;
  CK(cudaEventElapsedTime(&ms, e0, e1));
  return ms / batch;
}
// First both in turns until the clock has settled where the power limit wants it: after a pause the first
// tens of milliseconds are faster.
inline const double kWarmSeconds = getenv("WARM_SECONDS") ? atof(getenv("WARM_SECONDS")) : 0.15;
inline Pair interleave(const std::function<void()>& a, const std::function<void()>& b, int rounds,
                       int batch) {
  std::vector<float> ta, tb;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  do {
    for (int i = 0; i < batch; ++i) a(), b();
    CK(cudaDeviceSynchronize());
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < kWarmSeconds);
  for (int r = 0; r < rounds; ++r) {
    a();
    ta.push_back(time_batch(a, batch));
    b();
    tb.push_back(time_batch(b, batch));
  }
  return {median(ta), median(tb)};
}
