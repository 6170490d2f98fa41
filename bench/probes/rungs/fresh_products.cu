// Products and A·Aᵀ of the kernels' library with arguments that nobody chose (fresh.h). Of calls slower than
// LEAST × the peer also the plans that there are; with `ways`, float32 products on CUDA cores, by the parts
// of both accuracies, by Karatsuba and in every tile of those that lie anyhow, bfloat16 ones likewise.
// `wide`: float32 products of elements times 10^±15. nvcc -O3 -std=c++20 --extended-lambda
// -gencode=arch=compute_90a,code=sm_90a -Isrc -Ibuild/release/include/warpwright_kernels fresh_products.cu
// build/release/src/kernels_library/libww_kernels_library.a -Lbuild/release -lwarpwright_kernels -lcublas
#include "fresh_product.h"
#include "kernels_library/narrow.h"
#include "kernels_library/thin.h"

static bool ways;
static double least;

__global__ void to_wide(float* p, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const unsigned long long x = (i + seed * n) * 0x9E3779B97F4A7C15ull;
    p[i] *= exp10f((unsigned)((x ^ x >> 29) >> 32) * (30 / 4294967296.0f) - 15);
  }
}

static const char* name_of(Accuracy a) {
  return a == Accuracy::ieee ? "ieee" : a == Accuracy::float32 ? "float32" : "halves";
}
static std::string text_of(const ww_::ThinPlan& plan) {
  return std::to_string(plan.slices) + " slices " + std::to_string(plan.pieces) + " pieces " +
         std::to_string(plan.seconds * 1e6) + " us";
}
/// The one that a call would take, where it can, and others.
template <class T>
static std::vector<ww_::ThinPlan> thin_plans(const ww_::Matrix<const T>& a, const ww_::Matrix<const T>& b,
                                             int64_t sms) {
  if (!ww_::is_thin(a, b)) return {};
  std::vector<ww_::ThinPlan> plans{ww_::plan_thin(a, b, sms)};
  for (int64_t slices : {1, 2, 4, 8})
    for (int64_t pieces : {1, 2, 4, 8, 16, 32, 64, 128, 256})
      if (a.columns / (slices * pieces) >= 64 || slices * pieces == 1)
        if (pieces == 1 || slices == 8) plans.push_back({slices, pieces, 0});
  return plans;
}
/// What a product takes on CUDA cores, in thirds, in halves and by Karatsuba's scheme (the plan that a call
/// would take of that), whichever a call would choose.
static void each_way(const Product& p, const std::string& lay, const std::string& strides) {
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const int64_t sms = gpu->multiprocessors();
  auto a = view<const float>(fa, p.a), b = view<const float>(fb, p.b);
  auto c = view<float>(fc + kAround, p.c);
  if (p.c.by_columns) {
    const auto left = ww_::transposed(b), right = ww_::transposed(a);
    a = left, b = right, c = ww_::transposed(c);
  }
  const int64_t m = c.rows, n = c.columns, k = a.columns;
  for (Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
    const bool split = accuracy != Accuracy::ieee;
    const ww_::Float32Plan plan = ww_::plan_float32(a, b, sms, gpu->shared_memory());
    const ww_::SplitPlan parts = split ? ww_::plan_split(m, n, k, accuracy, false, sms) : ww_::SplitPlan{};
    auto one = [&] {
      WK(split ? ww_::multiply_split(*gpu, nullptr, a, b, c, accuracy, parts, sms, workspace)
               : ww_::multiply_float32(*gpu, nullptr, a, b, c, plan, workspace));
    };
    const Judged j = judged<float>(p.c, one);
    const Pair t = times(2.0 * m * n * k + 1e6, one, one, 5);
    char reckoned[32];
    snprintf(reckoned, sizeof reckoned, "%.0f cycles",
             split ? ww_::cycles(parts, k, sms) : ww_::cycles(plan, a, b, sms));
    row("way", name_of(accuracy), p.m(), p.n(), p.k(), lay, strides, reckoned, t.b, "", t.a, j, 0);
  }
  for (const ww_::AnyForm* form = ww_::any_forms(4); form->name; ++form) {
    auto one = [&] { WK(ww_::multiply_any(*gpu, nullptr, a, b, c, *form)); };
    const Judged j = judged<float>(p.c, one);
    const Pair t = times(2.0 * m * n * k + 1e6, one, one, 5);
    row("way", "any", p.m(), p.n(), p.k(), lay, strides, form->name, t.b, "", t.a, j, 0);
  }
  for (const ww_::ThinPlan& plan : thin_plans(a, b, sms)) {
    auto one = [&] { WK(ww_::multiply_thin(*gpu, nullptr, a, b, c, plan, workspace)); };
    const Judged j = judged<float>(p.c, one);
    const Pair t = times(2.0 * m * n * k + 1e6, one, one, 5);
    row("way", "thin", p.m(), p.n(), p.k(), lay, strides, text_of(plan), t.b, "", t.a, j, 0);
  }
  if (ww_::karatsuba_workspace(m, n, k) > kRoom) return;
  const ww_::SplitPlan plan = ww_::plan_karatsuba(m, n, k, false, sms);
  auto one = [&] { WK(ww_::multiply_karatsuba(*gpu, nullptr, a, b, c, plan, sms, workspace)); };
  const Judged j = judged<float>(p.c, one);
  const Pair t = times(2.0 * m * n * k + 1e6, one, one, 5);
  char reckoned[64];
  snprintf(reckoned, sizeof reckoned, "%.0f cycles 128x128%s %ld", ww_::cycles(plan, k, sms), plan.form->name,
           (long)plan.pieces);
  row("way", "karatsuba", p.m(), p.n(), p.k(), lay, strides, reckoned, t.b, "", t.a, j, 0);
}
/// `wide`: elements of wide range, for which only `float32` is asked.
static void float32(const Product& p, bool wide = false) {
  const int64_t m = p.m(), n = p.n(), k = p.k();
  const double work = 2.0 * m * n * k + 1e6;
  const std::string lay = layouts_of({p.a, p.b, p.c}), strides = strides_of({p.a, p.b, p.c});
  make_reference<float>(p);
  auto theirs = [&] { gemm<float, float>(p, CUDA_R_32F, CUDA_R_32F); };
  const Judged peer = judged<float>(p.c, theirs);
  for (Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
    const size_t needed = ww_::matmul_workspace(m, n, k, accuracy);
    if (needed > kRoom || (wide && accuracy != Accuracy::float32)) continue;
    auto ours = [&] {
      WK(ww_::matmul(nullptr, view<const float>(fa, p.a), view<const float>(fb, p.b),
                     view<float>(fc + kAround, p.c), accuracy, {workspace, needed}));
    };
    const Judged j = judged<float>(p.c, ours);
    const Pair t = times(work, theirs, ours, 5);
    row("matmul", wide ? "wide" : name_of(accuracy), m, n, k, lay, strides, "", t.b, "cublasSgemm", t.a, j,
        peer.error);
    if (ways && accuracy == Accuracy::ieee) each_way(p, lay, strides);
    if (!timed || t.a / t.b >= least || accuracy != Accuracy::ieee || p.c.by_columns) continue;
    ww_::Gpu* gpu = nullptr;
    WK(ww_::Gpu::current(&gpu));
    const auto a = view<const float>(fa, p.a), b = view<const float>(fb, p.b);
    const int64_t sms = gpu->multiprocessors();
    const ww_::Float32Plan chosen = ww_::plan_float32(a, b, sms, gpu->shared_memory());
    for (const auto& plan : ww_::float32_plans(a, b, sms, gpu->shared_memory())) {
      if (ww_::cycles(plan, a, b, sms) > 1.35 * ww_::cycles(chosen, a, b, sms)) continue;
      char text[128];
      const char* laid = plan.lay_a ? plan.lay_b ? " laid" : " laid A" : plan.lay_b ? " laid B" : "";
      snprintf(text, sizeof text, "%s%s %ld+%ldx%ld+%ld", plan.tile->file, laid, (long)plan.whole,
               (long)plan.shared, (long)plan.mains, (long)plan.helpers);
      auto one = [&] {
        WK(ww_::multiply_float32(*gpu, nullptr, a, b, view<float>(fc + kAround, p.c), plan, workspace));
      };
      const Judged jp = judged<float>(p.c, one);
      const Pair tp = interleave(theirs, one, 3, batch_of(work / 3e13));
      row("plan", "ieee", m, n, k, lay, strides, text, tp.b, "cublasSgemm", tp.a, jp,
          ww_::cycles(plan, a, b, sms) / 1980e3);
    }
  }
}

template <class T>
static void bfloat16(const Product& p) {
  using Element = std::conditional_t<sizeof(T) == 4, float, ww_::Bfloat16>;
  const int64_t m = p.m(), n = p.n(), k = p.k();
  const double work = (2.0 * m * n * k + 1e6) / 8;
  const std::string lay = layouts_of({p.a, p.b, p.c}), strides = strides_of({p.a, p.b, p.c});
  make_reference<Bf>(p);
  auto theirs = [&] { gemm<Bf, T>(p, CUDA_R_16BF, sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_16BF); };
  const Judged peer = judged<T>(p.c, theirs);
  const size_t needed = ww_::matmul_bfloat16_workspace(m, n, k);
  const auto a = view<const ww_::Bfloat16>(fa, p.a), b = view<const ww_::Bfloat16>(fb, p.b);
  const auto c = view<Element>((T*)fc + kAround, p.c);
  auto ours = [&] { WK(ww_::matmul(nullptr, a, b, c, {workspace, needed})); };
  const Judged j = judged<T>(p.c, ours);
  const Pair t = times(work, theirs, ours, 7);
  const char* kind = sizeof(T) == 4 ? "float32 out" : "bf16 out";
  row("matmul bf16", kind, m, n, k, lay, strides, "", t.b, "cublasGemmEx", t.a, j, peer.error);
  if (ways) {
    auto from_a = a, from_b = b;
    auto to_c = c;
    if (p.c.by_columns) from_a = ww_::transposed(b), from_b = ww_::transposed(a), to_c = ww_::transposed(c);
    ww_::Gpu* gpu = nullptr;
    WK(ww_::Gpu::current(&gpu));
    const auto way = [&](const char* form, auto one) {
      const Judged jw = judged<T>(p.c, one);
      const Pair tw = times(work, one, one, 5);
      row("way bf16", kind, m, n, k, lay, strides, form, tw.b, "", tw.a, jw, 0);
    };
    way("bulk", [&] { WK(ww_::multiply_bfloat16(*gpu, nullptr, from_a, from_b, to_c, workspace)); });
    for (const ww_::ThinPlan& plan : thin_plans(from_a, from_b, gpu->multiprocessors()))
      way(text_of(plan).c_str(),
          [&] { WK(ww_::multiply_thin(*gpu, nullptr, from_a, from_b, to_c, plan, workspace)); });
    if (ww_::is_narrow(from_a, from_b)) {
      const ww_::NarrowPlan plan = ww_::plan_narrow(from_a, from_b, gpu->multiprocessors());
      way(("narrow rows " + std::to_string(plan.rows) + " pieces " + std::to_string(plan.pieces) + " " +
           std::to_string(plan.seconds * 1e6) + " us")
              .c_str(),
          [&] { WK(ww_::multiply_narrow(*gpu, nullptr, from_a, from_b, to_c, plan, workspace)); });
    }
    for (const ww_::AnyForm* form = ww_::any_forms(2); form->name; ++form)
      for (int64_t pieces : {1, 2, 4, 8, 16, 32, 64, 128})
        if (pieces == 1 || k / pieces >= 128)
          way((form->name + std::string(" pieces ") + std::to_string(pieces)).c_str(),
              [&] { WK(ww_::multiply_any(*gpu, nullptr, from_a, from_b, to_c, *form, pieces, workspace)); });
  }
  if (!timed || t.a / t.b >= least || p.c.by_columns) return;
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  for (size_t form = 0; form < ww_::bfloat16_forms(sizeof(T) == 4); ++form) {
    auto one = [&] { WK(ww_::multiply_bfloat16(*gpu, nullptr, a, b, c, workspace, form)); };
    const Judged jp = judged<T>(p.c, one);
    const Pair tp = interleave(theirs, one, 3, batch_of(work / 3e13));
    row("form", kind, m, n, k, lay, strides, ww_::bfloat16_form(form), tp.b, "cublasGemmEx", tp.a, jp, 0);
  }
}

__global__ void mirror(float* c, int64_t stride, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < n && y + i < n && x < y + i) c[(y + i) * stride + x] = c[x * stride + y + i];
}
static void aat(Draw& draw, int64_t n, int64_t k) {
  const Lies a = lies(draw, n, k, draw.below(2) ? 4 : 1), c = lies(draw, n, n, draw.below(2) ? 4 : 1);
  const double one = 1, zero = 0;
  for (int absolute = 0; absolute < 2; ++absolute) {
    gather<<<1024, 256>>>(fa + a.first, da, n, k, a.stride, a.by_columns, absolute);
    CB(cublasDgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, (int)n, (int)n, (int)k, &one, da, (int)k, da, (int)k, &zero,
                   absolute ? mag : ref, (int)n));
  }
  auto theirs = [&] {
    const float f1 = 1, f0 = 0;
    float* to = fc + kAround + c.first;
    CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, a.by_columns ? CUBLAS_OP_N : CUBLAS_OP_T, (int)n, (int)k, &f1,
                   fa + a.first, (int)a.stride, &f0, to, (int)c.stride));
    mirror<<<dim3((unsigned)(n + 31) / 32, (unsigned)(n + 31) / 32), dim3(32, 8)>>>(to, c.stride, (int)n);
  };
  const Judged peer = judged<float>(c, theirs);
  for (Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
    const size_t needed = ww_::aat_workspace(n, k, accuracy);
    auto ours = [&] {
      WK(ww_::aat(nullptr, view<const float>(fa, a), view<float>(fc + kAround, c), accuracy,
                  {workspace, needed}));
    };
    const Judged j = judged<float>(c, ours);
    const Pair t = times(1.0 * n * n * k + 1e6, theirs, ours, 5);
    row("aat", name_of(accuracy), n, n, k, layouts_of({a, c}), strides_of({a, c}), "", t.b,
        "cublasSsyrk+mirror", t.a, j, peer.error);
  }
}
/// A product's sizes: squares, thin ones, long sums, short ones, small ones, a few columns or rows, any.
static void draw_sizes(Draw& draw, int kind, double most, int64_t& m, int64_t& n, int64_t& k) {
  do {
    m = draw.size(24, most), n = draw.size(24, most), k = draw.size(24, most);
    if (kind == 0) m = n = k = draw.size(200, most * 0.8);
    if (kind == 1) m = draw.size(8, 260), n = draw.size(most / 4, most * 6), k = draw.size(32, most / 3);
    if (kind == 2) n = draw.size(8, 260), m = draw.size(most / 4, most * 6), k = draw.size(32, most / 3);
    if (kind == 3) m = draw.size(40, 700), n = draw.size(40, 700), k = draw.size(most / 2, most * 10);
    if (kind == 5) m = draw.size(8, 400), n = draw.size(8, 400), k = draw.size(8, 400);
    if (kind == 4) m = draw.size(most / 10, most), n = draw.size(most / 10, most), k = draw.size(8, 200);
    if (kind == 6) (draw.below(2) ? m : n) = draw.size(1, 16);
  } while (1.0 * m * n * k > 8e10 || m * n > 60000000 || m * k > 60000000 || n * k > 60000000);
}

/// Arguments: a seed, how many of each, `time` or `check`, the largest size, LEAST, and calls to make (all),
/// the sides of squares, or shapes.
int main(int argc, char** argv) {
  if (argc < 6)
    return printf(
               "fresh_products SEED COUNT time|check MOST LEAST [ways] [matmul|wide|bf16|aat|N|M:N:K:LAYOUTS "
               "…]\n"),
           2;
  const int count = atoi(argv[2]);
  const double most = atof(argv[4]);
  least = atof(argv[5]);
  ways = argc > 6 && !strcmp(argv[6], "ways");
  const auto asks = [&](const char* what) { return asked(argc, argv, 6, what); };
  begin(!strcmp(argv[3], "time"));
  std::vector<Product> of_float32, of_bf16;
  Draw draw{strtoull(argv[1], nullptr, 10)};
  for (int i = 0; i < count; ++i) {
    int64_t m, n, k;
    draw_sizes(draw, i % 8, most, m, n, k);
    const auto product = [&](int64_t unit, int64_t unit_c) {
      return Product{lies(draw, m, k, unit), lies(draw, k, n, unit), lies(draw, m, n, unit_c)};
    };
    of_float32.push_back(product(draw.below(2) ? 4 : 1, draw.below(2) ? 4 : 1));
    // Rows that the copy engine takes, three of four times.
    of_bf16.push_back(product(draw.below(4) ? 8 : 1, draw.below(4) ? 8 : 1));
  }
  // Squares without padding that were asked for: what a change of the kernels costs.
  std::vector<int64_t> squares;
  for (int i = 6; i < argc; ++i)
    if (Product p; parse_shape(argv[i], p))
      of_float32.push_back(p), of_bf16.push_back(p);
    else if (atol(argv[i]) > 0)
      squares.push_back(atol(argv[i]));
  const auto square = [](int64_t n, bool a, bool b) {
    return Product{{n, n, a, n, 0}, {n, n, b, n, 0}, {n, n, false, n, 0}};
  };
  for (const int64_t n : squares) float32(square(n, false, false));
  if (asks("matmul"))
    for (const Product& p : of_float32) float32(p);
  if (asks("aat"))
    for (int i = 0; i < count / 2; ++i) {
      const int64_t n = draw.size(100, most * 0.8);
      aat(draw, n, i % 3 == 0 ? n : draw.size(24, most));
    }
  if (asks("wide")) {
    to_wide<<<1024, 256>>>(fa, kMost + 4096, 1), to_wide<<<1024, 256>>>(fb, kMost + 4096, 2);
    for (const Product& p : of_float32) float32(p, true);
    floats();
  }
  if (asks("bf16") || !squares.empty()) {
    bfloat16s();
    for (const int64_t n : squares)
      for (int by = 0; by < 4; ++by) of_bf16.push_back(square(n, by & 1, by & 2));
    for (const Product& p : of_bf16) bfloat16<float>(p), bfloat16<Bf>(p);
  }
}
