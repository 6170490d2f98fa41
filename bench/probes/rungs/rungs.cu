// Times the laboratory's products on CUDA cores on the GPU at hand beside cuBLAS, in one run, and prints CSV
// (box sums and sums: memory.cu):
// family,kernel,n,r,k,ms,peer,peer_ms,ratio,gflops_or_gbs,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,wrong
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc rungs.cu -lcublas
#include "common.h"

#include "kernels/aat/lower_tiles.cu"
#include "kernels/matmul/async_double.cu"
#include "kernels/matmul/async_stages.cu"
#include "kernels/matmul/laid_first.cu"
#include "kernels/matmul/operands_ahead.cu"
#include "kernels/matmul/split_k.cu"
#include "kernels/matmul/tiles.h"
#include "kernels/matmul/vector_loads.cu"
#include "kernels/matmul/warp_groups.cu"
#include "kernels/matmul/warp_tiles.cu"
#include "kernels/matmul/wide_tiles.cu"

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
struct Peer {
  const char* name;
  double ms;
  Errors e;
};
static void row(const char* family, const char* kernel, long n, int r, int k, double ms, const Peer& p,
                double peer_ms, double rate, const Errors& e) {
  printf("%s,%s,%ld,%d,%d,%.6f,%s,%.6f,%.4f,%.2f,%.4g,%.4g,%.4g,%.4g,%.4g,%llu\n", family, kernel, n, r, k,
         ms, p.name, peer_ms, peer_ms / ms, rate, e.max_rel, e.mean_rel, e.frob, p.e.max_rel, p.e.mean_rel,
         e.bad);
  fflush(stdout);
}
template <class F>
static void allow(F f, int bytes) {
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
static cublasHandle_t h;

static void products(int n) {
  const size_t nn = (size_t)n * n;
  float *a, *b, *c, *partial;
  double *da, *db, *ref, *mag;
  CK(cudaMalloc(&a, 4 * nn));
  CK(cudaMalloc(&b, 4 * nn));
  CK(cudaMalloc(&c, 4 * nn));
  CK(cudaMalloc(&partial, 4 * nn * (n <= 2048 ? 8 : 1)));
  CK(cudaMalloc(&da, 8 * nn));
  CK(cudaMalloc(&db, 8 * nn));
  CK(cudaMalloc(&ref, 8 * nn));
  CK(cudaMalloc(&mag, 8 * nn));
  fill_random<<<1024, 256>>>(a, nn, 1);
  fill_random<<<1024, 256>>>(b, nn, 2);
  const double one = 1, zero = 0;
  const float onef = 1, zerof = 0, flop = 2.0f;
  const double work = (double)flop * n * n * n;
  const int batch = std::max(1, (int)(2e10 / work)), rounds = work > 5e11 ? 5 : 11;
  auto reference = [&](bool transposed) {
    for (int ab = 0; ab < 2; ++ab) {
      widen<<<1024, 256>>>(a, da, nn, ab);
      widen<<<1024, 256>>>(b, db, nn, ab);
      CB(cublasDgemm(h, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                     transposed ? da : db, n, da, n, &zero, ab ? mag : ref, n));
    }
  };
  auto measure = [&](const char* family, const char* kernel, int k, const Peer& peer,
                     const std::function<void()>& theirs, const std::function<void()>& ours) {
    CK(cudaMemset(c, 0xff, 4 * nn));
    ours();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Errors e = errors(c, ref, mag, nn);
    Pair p = interleave(theirs, ours, rounds, batch);
    CK(cudaDeviceSynchronize());
    Errors again = errors(c, ref, mag, nn);
    e.bad += again.bad;
    e.max_rel = std::max(e.max_rel, again.max_rel);
    row(family, kernel, n, 0, k, p.b, peer, p.a, work / p.b / 1e6, e);
  };
  reference(false);
  auto sgemm = [&] {
    CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &onef, b, n, a, n, &zerof, c, n));
  };
  float warm = 0;
  while (warm < 400) warm += time_batch(sgemm, batch) * batch;
  sgemm();
  Peer peer{"cublasSgemm", 0, errors(c, ref, mag, nn)};
  auto run = [&](const char* name, int k, const std::function<void()>& f) {
    measure("matmul", name, k, peer, sgemm, f);
  };
  run("cublasSgemm", 0, sgemm);
  if (n <= 4096)
    run("tiles 32 4x4", 0,
        [&] { matmul_tiles_32_4x4<<<dim3(up(n, 128), up(n, 128)), dim3(32, 32)>>>(a, b, c, n); });
  const dim3 g128(up(n, 128), up(n, 128));
  if (n % 4 == 0) run("vector_loads", 0, [&] { matmul_vector_loads_256<<<g128, 256>>>(a, b, c, n); });
  if (n % 4 == 0) run("warp_tiles", 0, [&] { matmul_warp_tiles_256<<<g128, 256>>>(a, b, c, n); });
  const int t128 = g128.x * g128.y, twide = up(n, 128) * up(n, 256);
  auto async = [&](const char* name, auto chunks, auto words, int tiles, int bytes, int k, int band) {
    auto f = n % 4 == 0 ? chunks : words;
    allow(f, bytes);
    run(name, k, [&, f] { f<<<tiles, 256, bytes>>>(a, b, c, n, band); });
  };
  async("async_double", matmul_async_double_256, matmul_async_double_256_words, t128, 2 * 16 * 260 * 4, 0, 1);
  async("async_stages", matmul_async_stages_256, matmul_async_stages_256_words, t128, 3 * 16 * 260 * 4, 0, 1);
  async("operands_ahead", matmul_operands_ahead_256, matmul_operands_ahead_256_words, t128, 3 * 16 * 260 * 4,
        0, 1);
  async("wide_tiles", matmul_wide_tiles_256, matmul_wide_tiles_256_words, twide, 3 * 32 * 388 * 4, 0, 1);
  {
    const int across = up(n, 64), pitch = up(n, 4) * 4, bytes = 4 * 16 * 384 * 4;
    auto f = n % 4 == 0 ? matmul_laid_first_256 : matmul_laid_first_256_words;
    float* laid;
    CK(cudaMalloc(&laid, 4ull * n * pitch));
    allow(f, bytes);
    run("laid_first", 0, [&, f] {
      matmul_lay<<<across * across, 256>>>(a, laid, n, pitch);
      f<<<twide, 256, bytes>>>(laid, b, c, n, pitch);
    });
    cudaFree(laid);
  }
  for (int band : {4, 8, 16, 32})
    async("bands", matmul_wide_tiles_256, matmul_wide_tiles_256_words, twide, 3 * 32 * 388 * 4, band, band);
  if (n <= 2048)
    for (int k : {1, 2, 3, 4, 6, 8}) {
      const int bytes = 4 * 16 * 132 * 4;
      auto f = n % 4 == 0 ? matmul_split_k_128 : matmul_split_k_128_words;
      allow(f, bytes);
      run("split_k", k, [&, k, f] {
        f<<<dim3(up(n, 64) * up(n, 64), k), 128, bytes>>>(a, b, k == 1 ? c : partial, n);
        if (k > 1) matmul_add_slices<<<up(nn, 256), 256>>>(partial, c, (int)nn, k);
      });
    }
  const auto groups = [&](int k, auto chunks, auto words, int rows, int columns, int bytes) {
    auto f = n % 4 == 0 ? chunks : words;
    allow(f, bytes);
    run("warp_groups", k, [&, f] { f<<<up(n, rows) * up(n, columns), 256, bytes>>>(a, b, c, n); });
  };
  groups(2, matmul_warp_groups_2, matmul_warp_groups_2_words, 128, 64, 3 * 32 * 196 * 4);
  groups(4, matmul_warp_groups_4, matmul_warp_groups_4_words, 64, 64, 4 * 32 * 132 * 4);
  groups(8, matmul_warp_groups_8, matmul_warp_groups_8_words, 64, 32, 4 * 32 * 100 * 4);
  // A·Aᵀ
  reference(true);
  auto sgemm_t = [&] {
    CB(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &onef, a, n, a, n, &zerof, c, n));
  };
  auto ssyrk = [&] {
    CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n, &onef, a, n, &zerof, c, n));
  };
  sgemm_t();
  Peer peer_t{"cublasSgemm", 0, errors(c, ref, mag, nn)};
  const int rows = up(n, 128), bytes = 4 * 8 * 264 * 4;
  allow(aat_lower_tiles_128, bytes);
  auto lower = [&] { aat_lower_tiles_128<<<rows*(rows + 1) / 2, 128, bytes>>>(a, c, n); };
  measure("aat", "lower_tiles", 0, peer_t, sgemm_t, lower);
  Pair half = interleave(sgemm_t, ssyrk, rounds, batch);
  printf("aat,cublasSsyrk (one triangle),%d,0,0,%.6f,cublasSgemm,%.6f,%.4f,%.2f,,,,,,\n", n, half.b, half.a,
         half.a / half.b, work / half.b / 1e6);
  for (void* p : {(void*)a, (void*)b, (void*)c, (void*)partial, (void*)da, (void*)db, (void*)ref, (void*)mag})
    cudaFree(p);
}

// Arguments: sizes n, else all of them.
int main(int argc, char** argv) {
  CB(cublasCreate(&h));
  CB(cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH));
  int v;
  CB(cublasGetVersion(h, &v));
  fprintf(stderr, "cuBLAS %d\n", v);
  printf(
      "family,kernel,n,r,k,ms,peer,peer_ms,ratio,rate,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,"
      "wrong\n");
  {
    float* o;
    CK(cudaMalloc(&o, 4));
    auto f = [&] { ffma_rate<<<132 * 2, 1024>>>(o, 0.999f, 0.5f); };
    for (int i = 0; i < 20; ++i) f();
    std::vector<float> t;
    for (int i = 0; i < 11; ++i) t.push_back(time_batch(f, 5));
    printf("rate,ffma,0,0,0,%.6f,,,,%.2f,,,,,,\n", median(t),
           2.0 * 16 * 4096 * 132 * 2 * 1024 / median(t) / 1e6);
  }
  for (int i = 1; i < argc; ++i) products(atoi(argv[i]));
  if (argc == 1)
    for (int n : {512, 1000, 1024, 2048, 4096, 4097, 8192, 16384}) products(n);
}
