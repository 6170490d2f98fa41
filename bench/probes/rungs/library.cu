// Times the kernels' library on the GPU at hand beside cuBLAS, CUB and copies, in one run, and prints CSV:
// call,accuracy,layouts,m,n,k,choice,ms,peer,peer_ms,ratio,max_rel,peer_max_rel,wrong
// Of `plan` rows, `choice` is a plan (whole + shared × mains + helpers), `chosen` the library's, peer_ms what
// it reckons. nvcc -O3 -std=c++20 --extended-lambda -arch=sm_90a -Isrc
// -Ibuild/release/include/warpwright_kernels library.cu
//   build/release/src/kernels_library/libww_kernels_library.a -Lbuild/release -lwarpwright_kernels -lcublas
#include <cub/cub.cuh>

#include "library_common.h"

static cublasHandle_t h;
static void* workspace;
static const size_t kRoom = size_t{12} << 30;

struct Arrays {
  float *a, *b, *c;
  double *da, *db, *ref, *mag;
};
static Arrays g;

static const char* name_of(Accuracy a) {
  return a == Accuracy::ieee ? "ieee" : a == Accuracy::float32 ? "float32" : "halves";
}
static void row(const char* call, const char* accuracy, const char* layouts, int64_t m, int64_t n, int64_t k,
                const char* choice, double ms, const char* peer, double peer_ms, const Errors& e,
                double peer_error) {
  printf("%s,%s,%s,%ld,%ld,%ld,%s,%.6f,%s,%.6f,%.4f,%.4g,%.4g,%llu\n", call, accuracy, layouts, (long)m,
         (long)n, (long)k, choice, ms, peer, peer_ms, peer_ms > 0 ? peer_ms / ms : 0, e.max_rel, peer_error,
         e.bad);
  fflush(stdout);
}

static ww_::Matrix<const float> in(const float* p, int64_t r, int64_t c, bool turned) {
  return {p, r, c, turned ? r : c, turned ? Layout::by_columns : Layout::by_rows};
}

/// The row-major product as cuBLAS has it, operands turned or not.
static void sgemm(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const float one = 1, zero = 0;
  CB(cublasSgemm(h, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, (int)n, (int)m, (int)k,
                 &one, g.b, (int)(tb ? k : n), g.a, (int)(ta ? m : k), &zero, g.c, (int)n));
}
static void reference(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const double one = 1, zero = 0;
  for (int absolute = 0; absolute < 2; ++absolute) {
    widen<<<1024, 256>>>(g.a, g.da, m * k, absolute);
    widen<<<1024, 256>>>(g.b, g.db, k * n, absolute);
    CB(cublasDgemm(h, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, (int)n, (int)m, (int)k,
                   &one, g.db, (int)(tb ? k : n), g.da, (int)(ta ? m : k), &zero, absolute ? g.mag : g.ref,
                   (int)n));
  }
  CK(cudaDeviceSynchronize());
}
static int batch_of(double work) { return (int)std::max(1.0, std::min(20.0, 2e11 / work)); }

static void product(int64_t m, int64_t n, int64_t k, bool ta, bool tb, std::vector<Accuracy> all) {
  const char* layouts = ta ? (tb ? "cc" : "cr") : (tb ? "rc" : "rr");
  const int batch = batch_of(2.0 * m * n * k);
  reference(m, n, k, ta, tb);
  sgemm(m, n, k, ta, tb);
  const Errors theirs = errors(g.c, g.ref, g.mag, m * n);
  const ww_::Workspace room{workspace, kRoom};
  for (Accuracy accuracy : all) {
    if (ww_::matmul_workspace(m, n, k, accuracy) > kRoom) continue;
    auto ours = [=] {
      WK(ww_::matmul(nullptr, in(g.a, m, k, ta), in(g.b, k, n, tb), {g.c, m, n, n}, accuracy, room));
    };
    CK(cudaMemset(g.c, 0xff, 4 * m * n));
    ours();
    CK(cudaDeviceSynchronize());
    const Errors e = errors(g.c, g.ref, g.mag, m * n);
    const Pair t = interleave([=] { sgemm(m, n, k, ta, tb); }, ours, 7, batch);
    row("matmul", name_of(accuracy), layouts, m, n, k, "", t.b, "cublasSgemm", t.a, e, theirs.max_rel);
  }
}

/// The plans that are reckoned to take less than 1.7 times as long as the chosen one, and what is reckoned.
static void tiles(int64_t m, int64_t n, int64_t k) {
  reference(m, n, k, false, false);
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const auto a = in(g.a, m, k, false), b = in(g.b, k, n, false);
  const int64_t sms = gpu->multiprocessors();
  const ww_::Float32Plan chosen = ww_::plan_float32(a, b, sms, gpu->shared_memory());
  const auto name = [](const ww_::Float32Plan& p) {
    char text[128];
    const char* laid = p.lay_a ? p.lay_b ? " laid" : " laid A" : p.lay_b ? " laid B" : "";
    snprintf(text, sizeof text, "%s%s %ld+%ldx%ld+%ld", p.tile->file, laid, (long)p.whole, (long)p.shared,
             (long)p.mains, (long)p.helpers);
    return std::string(text);
  };
  for (const auto& plan : ww_::float32_plans(a, b, sms, gpu->shared_memory())) {
    if (ww_::cycles(plan, a, b, sms) > 1.7 * ww_::cycles(chosen, a, b, sms)) continue;
    auto ours = [&] { WK(ww_::multiply_float32(*gpu, nullptr, a, b, {g.c, m, n, n}, plan, workspace)); };
    CK(cudaMemset(g.c, 0xff, 4 * m * n));
    ours();
    const Errors e = errors(g.c, g.ref, g.mag, m * n);
    const Pair t = interleave(ours, ours, 3, batch_of(2.0 * m * n * k));
    row("plan", "ieee", "rr", m, n, k, name(plan).c_str(), std::min(t.a, t.b),
        name(plan) == name(chosen) ? "chosen" : "", ww_::cycles(plan, a, b, sms) / 1980e3, e, 0);
  }
}

/// Every plan on tensor cores, with what is reckoned. `lower`: of A·Aᵀ; the errors' reference is left by
/// aat().
static void splits(int64_t n, bool lower) {
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const auto a = in(g.a, n, n, false), b = in(g.b, n, n, false);
  const int64_t sms = gpu->multiprocessors();
  if (!lower) reference(n, n, n, false, false);
  for (const bool karatsuba : {false, true})
    for (Accuracy accuracy : {Accuracy::float32, Accuracy::halves}) {
      if (karatsuba && accuracy == Accuracy::halves) continue;
      const ww_::SplitPlan chosen = karatsuba ? ww_::plan_karatsuba(n, n, n, lower, sms)
                                              : ww_::plan_split(n, n, n, accuracy, lower, sms);
      for (const auto& plan : karatsuba ? ww_::karatsuba_plans(n, n, n, lower, sms)
                                        : ww_::split_plans(n, n, n, accuracy, lower, sms)) {
        const ww_::Matrix<float> c{g.c, n, n, n};
        auto ours = [&] {
          if (karatsuba)
            WK(lower ? ww_::lower_karatsuba(*gpu, nullptr, a, c, plan, sms, workspace)
                     : ww_::multiply_karatsuba(*gpu, nullptr, a, b, c, plan, sms, workspace));
          else
            WK(lower ? ww_::lower_split(*gpu, nullptr, a, c, accuracy, plan, sms, workspace)
                     : ww_::multiply_split(*gpu, nullptr, a, b, c, accuracy, plan, sms, workspace));
        };
        CK(cudaMemset(g.c, 0xff, 4 * n * n));
        ours();
        const Errors e = errors(g.c, g.ref, g.mag, n * n);
        const Pair t = interleave(ours, ours, 5, batch_of(2.0 * n * n * n));
        char text[64];
        snprintf(text, sizeof text, "tile%s %ld+%ldx%ld", plan.form->name, (long)plan.whole, (long)plan.cut,
                 (long)plan.pieces);
        const bool is = plan.form == chosen.form && plan.pieces == chosen.pieces;
        row(lower ? "lower plan" : "split plan", karatsuba ? "karatsuba" : name_of(accuracy), "rr", n, n, n,
            text, std::min(t.a, t.b), is ? "chosen" : "", ww_::cycles(plan, n, sms) / 1980e3, e, 0);
      }
    }
}
/// A·Aᵀ in every tile on CUDA cores.
static void lower_tiles(int64_t n) {
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const auto a = in(g.a, n, n, false);
  const auto* chosen = ww_::plan_lower(a, gpu->multiprocessors(), gpu->shared_memory()).tile;
  for (const auto& tile : ww_::kLowerTiles) {
    auto ours = [&] { WK(ww_::lower_float32(*gpu, nullptr, a, {g.c, n, n, n}, tile, workspace)); };
    CK(cudaMemset(g.c, 0xff, 4 * n * n));
    ours();
    const Errors e = errors(g.c, g.ref, g.mag, n * n);
    const Pair t = interleave(ours, ours, 5, batch_of(2.0 * n * n * n));
    row("lower tile", "ieee", "r", n, n, n, tile.file, std::min(t.a, t.b), &tile == chosen ? "chosen" : "", 0,
        e, 0);
  }
}

__global__ void mirror(float* c, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < n && y + i < n && x < y + i) c[(size_t)(y + i) * n + x] = c[(size_t)x * n + y + i];
}
static void aat(int64_t n) {
  const float one = 1, zero = 0;
  const ww_::Workspace room{workspace, kRoom};
  CK(cudaMemcpy(g.b, g.a, 4 * n * n, cudaMemcpyDeviceToDevice));
  reference(n, n, n, false, true);
  auto theirs = [=] {
    CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, (int)n, (int)n, &one, g.a, (int)n, &zero, g.c,
                   (int)n));
    mirror<<<dim3((unsigned)(n + 31) / 32, (unsigned)(n + 31) / 32), dim3(32, 8)>>>(g.c, (int)n);
  };
  for (Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
    auto ours = [=] { WK(ww_::aat(nullptr, in(g.a, n, n, false), {g.c, n, n, n}, accuracy, room)); };
    CK(cudaMemset(g.c, 0xff, 4 * n * n));
    ours();
    const Errors e = errors(g.c, g.ref, g.mag, n * n);
    const Pair t = interleave(theirs, ours, 7, batch_of(2.0 * n * n * n));
    row("aat", name_of(accuracy), "r", n, n, n, "", t.b, "cublasSsyrk+mirror", t.a, e, 0);
  }
}

__global__ void to_bf16(const float* from, unsigned short* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = (unsigned short)(__float_as_uint(from[i]) >> 16);
}
static void bfloat16(int64_t m, int64_t n, int64_t k) {
  const float one = 1, zero = 0;
  auto *a = (ww_::Bfloat16*)g.da, *b = (ww_::Bfloat16*)g.db;
  to_bf16<<<1024, 256>>>(g.a, (unsigned short*)a, m * k);
  to_bf16<<<1024, 256>>>(g.b, (unsigned short*)b, k * n);
  const ww_::Workspace room{workspace, kRoom};
  auto gemm = [=](void* c, cudaDataType type) {
    CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)m, (int)k, &one, b, CUDA_R_16BF, (int)n, a,
                    CUDA_R_16BF, (int)k, &zero, c, type, (int)n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  };
  const ww_::Matrix<const ww_::Bfloat16> ma{a, m, k, k}, mb{b, k, n, n};
  const int batch = std::max(4, batch_of(2.0 * m * n * k));
  Pair t = interleave([=] { gemm(g.c, CUDA_R_32F); },
                      [=] {
                        WK(ww_::matmul(nullptr, ma, mb, {g.c, m, n, n}, room));
                      },
                      7, batch);
  row("matmul bf16", "float32 out", "rr", m, n, k, "", t.b, "cublasGemmEx", t.a, {}, 0);
  t = interleave([=] { gemm(g.c, CUDA_R_16BF); },
                 [=] {
                   WK(ww_::matmul(nullptr, ma, mb, {(ww_::Bfloat16*)g.c, m, n, n}, room));
                 },
                 7, batch);
  row("matmul bf16", "bf16 out", "rr", m, n, k, "", t.b, "cublasGemmEx", t.a, {}, 0);
}

static void sums() {
  void* tmp = nullptr;
  size_t bytes = 0;
  float* out = g.c;
  CK(cub::DeviceReduce::Sum(tmp, bytes, g.a, out, size_t{1} << 30));
  CK(cudaMalloc(&tmp, bytes));
  const ww_::Workspace room{workspace, kRoom};
  for (int p : {12, 14, 16, 18, 20, 22, 24, 26, 28}) {
    for (int odd : {0, 1}) {
      if (odd && p != 16 && p != 26) continue;
      const size_t n = (size_t{1} << p) + (odd ? 7 : 0);
      const float* from = g.a + odd;
      const int batch = p >= 26 ? 4 : p >= 22 ? 10 : 50;
      auto theirs = [=] {
        size_t b = bytes;
        cub::DeviceReduce::Sum(tmp, b, from, out, n);
      };
      WK(ww_::sum(nullptr, from, (int64_t)n, out, room));
      Pair t = interleave(
          theirs, [=] { WK(ww_::sum(nullptr, from, (int64_t)n, out, room)); }, 11, batch);
      row("sum", odd ? "misaligned" : "", "", (int64_t)n, 1, 1, "", t.b, "cub::DeviceReduce::Sum", t.a, {},
          0);
      t = interleave(
          theirs, [=] { WK(ww_::sum_again(nullptr, from, (int64_t)n, out, room)); }, 11, batch);
      row("sum_again", odd ? "misaligned" : "", "", (int64_t)n, 1, 1, "", t.b, "cub::DeviceReduce::Sum", t.a,
          {}, 0);
    }
  }
}

static void boxes(int64_t rows, int64_t columns, int64_t stride, int64_t r) {
  const int64_t moved = (rows * columns + (rows - 2 * r) * (columns - 2 * r)) / 2;
  auto copy = [=] { CK(cudaMemcpyAsync(g.c, g.a, 4 * moved, cudaMemcpyDeviceToDevice)); };
  auto ours = [=] {
    WK(ww_::box_sum(nullptr, {g.a, rows, columns, stride},
                    {g.c, rows - 2 * r, columns - 2 * r, columns - 2 * r}, r, {workspace, kRoom}));
  };
  const Pair t = interleave(copy, ours, 7, 4);
  row("box_sum", "", stride == columns ? "r" : "strided", rows, columns, r, "", t.b, "cudaMemcpy", t.a, {},
      0);
}

/// Shapes that nobody tuned for: each size's logarithm is random. Prints the product and all plans.
static void random_shapes(int count, unsigned long long x) {
  const auto size = [&](double most) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    return (int64_t)std::exp(std::log(24.0) + (double)(x >> 40) / (1 << 24) * std::log(most / 24.0));
  };
  for (int i = 0; i < count; ++i) {
    const int64_t m = size(8192), n = size(8192), k = size(8192);
    const int64_t even = i % 2 == 0 ? 4 : 1;  // half of them lie in chunks
    const int64_t nn = (n + even - 1) / even * even, kk = (k + even - 1) / even * even;
    product(m, nn, kk, false, false, {Accuracy::ieee, Accuracy::float32});
    tiles(m, nn, kk);
  }
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "all";
  h = open_cublas();
  const size_t most = size_t{1} << 28;  // elements: 16384²
  CK(cudaMalloc(&workspace, kRoom));
  for (float** p : {&g.a, &g.b, &g.c}) CK(cudaMalloc(p, 4 * (most + 1024)));
  for (double** p : {&g.da, &g.db, &g.ref, &g.mag}) CK(cudaMalloc(p, 8 * most));
  fill_random<<<1024, 256>>>(g.a, most + 1024, 5);
  fill_random<<<1024, 256>>>(g.b, most, 6);
  printf("call,accuracy,layouts,m,n,k,choice,ms,peer,peer_ms,ratio,max_rel,peer_max_rel,wrong\n");
  const std::vector<Accuracy> all{Accuracy::ieee, Accuracy::float32, Accuracy::halves};
  if (what == "all" || what == "products") {
    for (int64_t n : {256, 512, 768, 1000, 1024, 1536, 2048, 3000, 4096, 4097, 8192})
      product(n, n, n, false, false, all);
    for (int64_t n : {1024, 4096})
      product(n, n, n, true, false, all), product(n, n, n, false, true, all),
          product(n, n, n, true, true, all);
    product(127, 65537, 333, false, false, all);
    product(127, 333, 65537, false, false, all);
    product(65536, 128, 128, false, false, all);
    product(64, 64, 65536, false, false, all);
    product(16384, 512, 2048, false, false, all);
  }
  if (what == "plans") {
    for (int i = 2; i < argc; ++i) splits(atol(argv[i]), false);
    for (int i = 2; i < argc; ++i)
      aat(atol(argv[i])), splits(atol(argv[i]), true), lower_tiles(atol(argv[i]));
  }
  if (what == "lower plans")
    for (int i = 2; i < argc; ++i) aat(atol(argv[i])), splits(atol(argv[i]), true);
  if (what == "split plans")
    for (int i = 2; i < argc; ++i) splits(atol(argv[i]), false);
  if (what == "aat")
    for (int i = 2; i < argc; ++i) aat(atol(argv[i]));
  if (what == "sums") sums();
  if (what == "sizes")
    for (int i = 2; i < argc; ++i) product(atol(argv[i]), atol(argv[i]), atol(argv[i]), false, false, all);
  if (what == "shape")
    product(atol(argv[2]), atol(argv[3]), atol(argv[4]), false, false, {Accuracy::ieee}),
        tiles(atol(argv[2]), atol(argv[3]), atol(argv[4]));
  if (what == "random") random_shapes(argc > 2 ? atoi(argv[2]) : 60, argc > 3 ? atoi(argv[3]) : 20261124);
  if (what == "all" || what == "tiles")
    for (auto [m, n, k] : {std::array<int64_t, 3>{256, 256, 256},
                           {512, 512, 512},
                           {768, 768, 768},
                           {1000, 1000, 1000},
                           {1024, 1024, 1024},
                           {1536, 1536, 1536},
                           {2048, 2048, 2048},
                           {2500, 2500, 2500},
                           {3000, 3000, 3000},
                           {4096, 4096, 4096},
                           {4097, 4097, 4097},
                           {127, 65537, 333},
                           {127, 333, 65537},
                           {65536, 128, 128},
                           {64, 64, 65536},
                           {256, 256, 16384},
                           {16384, 512, 2048},
                           {4096, 256, 4096}})
      tiles(m, n, k);
  if (what == "all" || what == "others" || what == "bfloat16") {
    for (int64_t n : {512, 768, 1000, 1024, 1200, 1536, 1800, 2048, 2520, 3000, 3504, 4096, 5000, 8192})
      bfloat16(n, n, n);
    bfloat16(1001, 1003, 1005);
  }
  if (what == "all" || what == "others") {
    for (int64_t n : {512, 1024, 2048, 4096, 8192}) aat(n);
    sums();
  }
  if (what == "all" || what == "others" || what == "boxes") {
    for (int64_t r : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 64, 72, 80, 96, 112, 128, 150, 200})
      boxes(8000, 8000, 8000, r), boxes(16000, 16000, 16000, r);
    for (int64_t r : {1, 2, 3, 4, 5, 6, 10, 16, 24, 32, 48, 64, 72, 80, 96, 112, 128, 150, 200})
      boxes(8001, 7999, 8003, r);
    for (int64_t r : {1, 9, 40, 90}) boxes(5003, 12001, 12010, r);
    for (int64_t r : {2, 16, 64, 100}) boxes(3000, 20000, 20000, r), boxes(20000, 3000, 3000, r);
  }
}
