// Times the laboratory's upper rungs on the GPU at hand beside cuBLAS, CUB and copies, in one run, and prints CSV:
// family,kernel,n,r,k,ms,peer,peer_ms,ratio,gflops_or_gbs,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,wrong
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc rungs.cu -lcublas
#include "common.h"

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "kernels/aat/lower_tiles.cu"
#include "kernels/box_sum/running.cu"
#include "kernels/matmul/async_double.cu"
#include "kernels/matmul/async_stages.cu"
#include "kernels/matmul/operands_ahead.cu"
#include "kernels/matmul/split_k.cu"
#include "kernels/matmul/tiles.h"
#include "kernels/matmul/vector_loads.cu"
#include "kernels/matmul/warp_tiles.cu"
#include "kernels/matmul/wide_tiles.cu"
#include "kernels/sum/wide_loads.cu"

TILES(32, 4, 4)

__global__ void ffma_rate(float* out, float a, float b) {
  float x[16];
  for (int i = 0; i < 16; ++i) x[i] = threadIdx.x + i;
  for (int r = 0; r < 4096; ++r)
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = fmaf(x[i], a, b);
  float s = 0;
  for (int i = 0; i < 16; ++i) s += x[i];
  if (s == 1234.5f) *out = s;
}
struct Peer { const char* name; double ms; Errors e; };
static void row(const char* family, const char* kernel, long n, int r, int k, double ms, const Peer& p, double peer_ms, double rate, const Errors& e) {
  printf("%s,%s,%ld,%d,%d,%.6f,%s,%.6f,%.4f,%.2f,%.4g,%.4g,%.4g,%.4g,%.4g,%llu\n", family, kernel, n, r, k, ms, p.name, peer_ms, peer_ms / ms, rate, e.max_rel, e.mean_rel, e.frob, p.e.max_rel, p.e.mean_rel, e.bad);
  fflush(stdout);
}
template <class F> static void allow(F f, int bytes) { CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); }
static int up(long a, long b) { return (int)((a + b - 1) / b); }
static cublasHandle_t h;

static void products(int n) {
  const size_t nn = (size_t)n * n;
  float *a, *b, *c, *partial; double *da, *db, *ref, *mag;
  CK(cudaMalloc(&a, 4 * nn)); CK(cudaMalloc(&b, 4 * nn)); CK(cudaMalloc(&c, 4 * nn)); CK(cudaMalloc(&partial, 4 * nn * (n <= 2048 ? 8 : 1)));
  CK(cudaMalloc(&da, 8 * nn)); CK(cudaMalloc(&db, 8 * nn)); CK(cudaMalloc(&ref, 8 * nn)); CK(cudaMalloc(&mag, 8 * nn));
  fill_random<<<1024, 256>>>(a, nn, 1); fill_random<<<1024, 256>>>(b, nn, 2);
  const double one = 1, zero = 0; const float onef = 1, zerof = 0, flop = 2.0f;
  const double work = (double)flop * n * n * n; const int batch = std::max(1, (int)(2e10 / work)), rounds = work > 5e11 ? 5 : 11;
  auto reference = [&](bool transposed) {
    for (int ab = 0; ab < 2; ++ab) {
      widen<<<1024, 256>>>(a, da, nn, ab); widen<<<1024, 256>>>(b, db, nn, ab);
      CB(cublasDgemm(h, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, transposed ? da : db, n, da, n, &zero, ab ? mag : ref, n));
    }
  };
  auto measure = [&](const char* family, const char* kernel, int k, const Peer& peer, const std::function<void()>& theirs, const std::function<void()>& ours) {
    CK(cudaMemset(c, 0xff, 4 * nn)); ours(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
    Errors e = errors(c, ref, mag, nn);
    Pair p = interleave(theirs, ours, rounds, batch); CK(cudaDeviceSynchronize());
    Errors again = errors(c, ref, mag, nn); e.bad += again.bad; e.max_rel = std::max(e.max_rel, again.max_rel);
    row(family, kernel, n, 0, k, p.b, peer, p.a, work / p.b / 1e6, e);
  };
  reference(false);
  auto sgemm = [&] { CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &onef, b, n, a, n, &zerof, c, n)); };
  float warm = 0; while (warm < 400) warm += time_batch(sgemm, batch) * batch;
  sgemm(); Peer peer{"cublasSgemm", 0, errors(c, ref, mag, nn)};
  auto run = [&](const char* name, int k, const std::function<void()>& f) { measure("matmul", name, k, peer, sgemm, f); };
  run("cublasSgemm", 0, sgemm);
  if (n <= 4096) run("tiles 32 4x4", 0, [&] { matmul_tiles_32_4x4<<<dim3(up(n, 128), up(n, 128)), dim3(32, 32)>>>(a, b, c, n); });
  const dim3 g128(up(n, 128), up(n, 128));
  if (n % 4 == 0) run("vector_loads", 0, [&] { matmul_vector_loads_256<<<g128, 256>>>(a, b, c, n); });
  if (n % 4 == 0) run("warp_tiles", 0, [&] { matmul_warp_tiles_256<<<g128, 256>>>(a, b, c, n); });
  const int t128 = g128.x * g128.y, twide = up(n, 128) * up(n, 256);
  auto async = [&](const char* name, auto chunks, auto words, int tiles, int bytes, int k, int band) {
    auto f = n % 4 == 0 ? chunks : words; allow(f, bytes); run(name, k, [&, f] { f<<<tiles, 256, bytes>>>(a, b, c, n, band); });
  };
  async("async_double", matmul_async_double_256, matmul_async_double_256_words, t128, 2 * 16 * 260 * 4, 0, 1);
  async("async_stages", matmul_async_stages_256, matmul_async_stages_256_words, t128, 3 * 16 * 260 * 4, 0, 1);
  async("operands_ahead", matmul_operands_ahead_256, matmul_operands_ahead_256_words, t128, 3 * 16 * 260 * 4, 0, 1);
  async("wide_tiles", matmul_wide_tiles_256, matmul_wide_tiles_256_words, twide, 3 * 32 * 388 * 4, 0, 1);
  for (int band : {4, 8, 16, 32}) async("bands", matmul_wide_tiles_256, matmul_wide_tiles_256_words, twide, 3 * 32 * 388 * 4, band, band);
  if (n <= 2048) for (int k : {1, 2, 3, 4, 6, 8}) {
    const int bytes = 4 * 16 * 132 * 4; auto f = n % 4 == 0 ? matmul_split_k_128 : matmul_split_k_128_words; allow(f, bytes);
    run("split_k", k, [&, k, f] { f<<<dim3(up(n, 64) * up(n, 64), k), 128, bytes>>>(a, b, k == 1 ? c : partial, n); if (k > 1) matmul_add_slices<<<up(nn, 256), 256>>>(partial, c, (int)nn, k); });
  }
  // A·Aᵀ
  reference(true);
  auto sgemm_t = [&] { CB(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &onef, a, n, a, n, &zerof, c, n)); };
  auto ssyrk = [&] { CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n, &onef, a, n, &zerof, c, n)); };
  sgemm_t(); Peer peer_t{"cublasSgemm", 0, errors(c, ref, mag, nn)};
  const int rows = up(n, 128), bytes = 4 * 8 * 264 * 4; allow(aat_lower_tiles_128, bytes);
  auto lower = [&] { aat_lower_tiles_128<<<rows * (rows + 1) / 2, 128, bytes>>>(a, c, n); };
  measure("aat", "lower_tiles", 0, peer_t, sgemm_t, lower);
  Pair half = interleave(sgemm_t, ssyrk, rounds, batch);
  printf("aat,cublasSsyrk (one triangle),%d,0,0,%.6f,cublasSgemm,%.6f,%.4f,%.2f,,,,,,\n", n, half.b, half.a, half.a / half.b, work / half.b / 1e6);
  for (void* p : {(void*)a, (void*)b, (void*)c, (void*)partial, (void*)da, (void*)db, (void*)ref, (void*)mag}) cudaFree(p);
}

static void sums() {
  float *out, *partial, *in; unsigned* counter; const size_t most = 1ull << 30;
  CK(cudaMalloc(&out, 64)); CK(cudaMalloc(&partial, 1 << 20)); CK(cudaMalloc(&counter, 64)); CK(cudaMemset(counter, 0, 64)); CK(cudaMalloc(&in, 4 * most));
  fill_random<<<1024, 256>>>(in, most, 7);
  void* tmp = nullptr; size_t bytes = 0; CK(cub::DeviceReduce::Sum(tmp, bytes, in, out, most)); CK(cudaMalloc(&tmp, bytes));
  for (int p = 12; p <= 30; p += 2) {
    const size_t n = 1ull << p; double *dref, ref, mag; CK(cudaMalloc(&dref, 8));
    for (int ab = 0; ab < 2; ++ab) {
      double* w = nullptr; size_t wb = 0; auto it = thrust::make_transform_iterator(in, [ab] __host__ __device__(float v) { return ab ? fabs((double)v) : (double)v; });
      CK(cub::DeviceReduce::Sum(nullptr, wb, it, dref, n)); CK(cudaMalloc(&w, wb)); CK(cub::DeviceReduce::Sum(w, wb, it, dref, n)); CK(cudaMemcpy(ab ? &mag : &ref, dref, 8, cudaMemcpyDeviceToHost)); cudaFree(w);
    }
    cudaFree(dref); size_t turn = 0;
    auto src = [&]() -> const float* { return p >= 28 ? in : in + (((turn++ * n * 7) % (most - n)) & ~1023ull); };  // small ones rotate through 4 GiB
    const int batch = p >= 26 ? 4 : p >= 22 ? 10 : 50;
    auto cub = [&] { size_t b = bytes; cub::DeviceReduce::Sum(tmp, b, src(), out, n); };
    float got; { size_t b = bytes; CK(cub::DeviceReduce::Sum(tmp, b, in, out, n)); } CK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    Peer peer{"cub::DeviceReduce::Sum", 0, {fabs(got - ref) / mag, fabs(got - ref) / mag, 0, 0}};
    auto ours = [&](int bs, int unroll, auto f) {
      const int g = (int)std::min<size_t>((n + (size_t)bs * unroll * 4 - 1) / ((size_t)bs * unroll * 4), 264);
      float first, again; f<<<g, bs>>>(in, partial, counter, out, (unsigned)n); CK(cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost));
      Pair t = interleave(cub, [&] { f<<<g, bs>>>(src(), partial, counter, out, (unsigned)n); }, 11, batch);
      unsigned long long wrong = 0; for (int i = 0; i < 50; ++i) { f<<<g, bs>>>(in, partial, counter, out, (unsigned)n); CK(cudaMemcpy(&again, out, 4, cudaMemcpyDeviceToHost)); wrong += again != first; }
      row("sum", bs == 512 ? "wide_loads 512" : "wide_loads 1024", (long)n, 0, unroll, t.b, peer, t.a, 4.0 * n / t.b / 1e6, {fabs(first - ref) / mag, fabs(first - ref) / mag, 0, wrong});
    };
    if (p < 22) ours(512, 1, sum_wide_loads_512_1); else ours(512, 8, sum_wide_loads_512_8);
    ours(1024, 4, sum_wide_loads_1024_4);
  }
  cudaFree(in);
}

// Float64 references of the box sum.
__global__ void ref_h(const float* in, double* d, int n, int r, int absolute) {
  const int side = n - 2 * r, x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 16, y = blockIdx.y; if (x0 >= side) return;
  const float* p = in + (size_t)y * n; double s = 0; for (int i = 0; i <= 2 * r; ++i) s += absolute ? fabs((double)p[x0 + i]) : p[x0 + i];
  for (int j = 0; j < 16 && x0 + j < side; ++j) { d[(size_t)y * side + x0 + j] = s; if (x0 + j + 1 < side) { double o = p[x0 + j], q = p[x0 + j + 2 * r + 1]; s += absolute ? fabs(q) - fabs(o) : q - o; } }
}
__global__ void ref_v(const double* d, double* o, int n, int r) {
  const int side = n - 2 * r, x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 64; if (x >= side) return;
  double s = 0; for (int i = 0; i <= 2 * r; ++i) s += d[(size_t)(y0 + i) * side + x];
  for (int j = 0; j < 64 && y0 + j < side; ++j) { o[(size_t)(y0 + j) * side + x] = s; if (y0 + j + 1 < side) s += d[(size_t)(y0 + j + 2 * r + 1) * side + x] - d[(size_t)(y0 + j) * side + x]; }
}
__global__ void direct_box(const float* in, float* out, int n, int r) {
  const int side = n - 2 * r, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x >= side || y >= side) return;
  float s = 0; for (int i = 0; i <= 2 * r; ++i) for (int j = 0; j <= 2 * r; ++j) s += in[(size_t)(y + i) * n + x + j];
  out[(size_t)y * side + x] = s;
}
__global__ void copy_k(const float4* a, float4* b, size_t n, size_t per) {
  size_t i = blockIdx.x * per + threadIdx.x; const size_t e = min(n, (blockIdx.x + 1) * per);
  for (; i + 3 * blockDim.x < e; i += 4 * blockDim.x) { float4 v[4]; for (int j = 0; j < 4; ++j) v[j] = a[i + j * blockDim.x]; for (int j = 0; j < 4; ++j) b[i + j * blockDim.x] = v[j]; }
  for (; i < e; i += blockDim.x) b[i] = a[i];
}
static void boxes(int n, int r) {
  const int side = n - 2 * r; const size_t nn = (size_t)n * n, moved = (nn + (size_t)side * side) / 2; float *in, *out; double *d, *ref, *mag;
  CK(cudaMalloc(&in, 4 * nn)); CK(cudaMalloc(&out, 4 * nn)); CK(cudaMalloc(&d, 8 * nn)); CK(cudaMalloc(&ref, 8 * nn)); CK(cudaMalloc(&mag, 8 * nn));
  fill_random<<<1024, 256>>>(in, nn, 5);
  for (int ab = 0; ab < 2; ++ab) { ref_h<<<dim3(up(side, 2048), n), 128>>>(in, d, n, r, ab); ref_v<<<dim3(up(side, 128), up(side, 64)), 128>>>(d, ab ? mag : ref, n, r); } CK(cudaDeviceSynchronize());
  // The best way to copy as many bytes.
  std::vector<std::function<void()>> copies{[=] { cudaMemcpyAsync(out, in, 4 * moved, cudaMemcpyDeviceToDevice); }};
  for (int blocks : {1, 2, 8, 64}) for (int threads : {256, 512, 1024}) { const int g = 132 * blocks * 1024 / threads; copies.push_back([=] { copy_k<<<g, threads>>>((const float4*)in, (float4*)out, moved / 4, (moved / 4 + g - 1) / g); }); }
  float warm = 0; while (warm < 200) warm += time_batch(copies[0], 4) * 4;
  size_t best = 0; double best_ms = 1e9; for (size_t i = 0; i < copies.size(); ++i) { std::vector<float> t; for (int k = 0; k < 9; ++k) t.push_back(time_batch(copies[i], 4)); if (median(t) < best_ms) best_ms = median(t), best = i; }
  Peer peer{best == 0 ? "cudaMemcpy" : "copy kernel", 0, {0, 0, 0, 0}};
  direct_box<<<dim3(up(side, 32), up(side, 8)), dim3(32, 8)>>>(in, out, n, r); peer.e = errors(out, ref, mag, (size_t)side * side);  // the direct sum's errors
  auto ours = [&](const char* name, int threads, int batch, int ahead, bool hold, auto f) {
    const size_t rows = (hold ? (2 * r + batch) / batch * batch : 0) + (ahead + 1) * batch, bytes = 16 * threads * rows * (hold ? 1 : 2) + 2 * batch * (32 * threads + threads / 4);
    const int most = 4 * threads - (2 * r + 3) / 4 * 4; if (bytes > 232448 || most < 4) return;
    allow(f, (int)bytes); const int strips = up(side, most), width = up(up(side, strips), 4) * 4, per_sm = std::max(1, std::min(2, (int)(227 * 1024 / (bytes + 1024)))), parts = std::max(1, 132 * per_sm / strips), height = std::max(up(side, parts), r + 1);
    const dim3 g(strips, up(side, height)); auto run = [&] { f<<<g, threads, bytes>>>(in, out, n, r, width, height); };
    CK(cudaMemset(out, 0xff, 4 * nn)); run(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); Errors e = errors(out, ref, mag, (size_t)side * side);
    Pair p = interleave(copies[best], run, 9, 4); row("box_sum", name, n, r, 0, p.b, peer, p.a, 8.0 * moved / p.b / 1e6, e);
  };
  ours("running 128", 128, 4, 2, false, box_sum_running_128); ours("running 256", 256, 2, 3, true, box_sum_running_hold_256); ours("running 512", 512, 1, 4, false, box_sum_running_512);
  for (void* p : {(void*)in, (void*)out, (void*)d, (void*)ref, (void*)mag}) cudaFree(p);
}

int main() {
  CB(cublasCreate(&h)); CB(cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH)); int v; CB(cublasGetVersion(h, &v));
  fprintf(stderr, "cuBLAS %d\n", v);
  printf("family,kernel,n,r,k,ms,peer,peer_ms,ratio,rate,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,wrong\n");
  { float* o; CK(cudaMalloc(&o, 4)); auto f = [&] { ffma_rate<<<132 * 2, 1024>>>(o, 0.999f, 0.5f); }; for (int i = 0; i < 20; ++i) f(); std::vector<float> t; for (int i = 0; i < 11; ++i) t.push_back(time_batch(f, 5)); printf("rate,ffma,0,0,0,%.6f,,,,%.2f,,,,,,\n", median(t), 2.0 * 16 * 4096 * 132 * 2 * 1024 / median(t) / 1e6); }
  for (int n : {512, 1000, 1024, 2048, 4096, 4097, 8192, 16384}) products(n);
  sums();
  for (int n : {8000, 16000}) for (int r : {4, 8, 16, 64, 128}) boxes(n, r);
}
