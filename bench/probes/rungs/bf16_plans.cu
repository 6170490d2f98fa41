// Times every tile of the library's bfloat16 products, and what a call takes, beside cublasGemmEx, all in
// turns, for shapes M:N:K:LAYOUTS (fresh_product.h). Prints CSV: m,n,k,layouts,out,form,us,error,touched.
// `form` "cublas": cublasGemmEx; "library": a call. error: largest |Δ| / Σ|terms|, of bfloat16 results beyond
// their rounding.
//   bf16_plans ROUNDS SHAPE…
// ROUNDS 0: no times. PART=i/n: of the tiles every n-th from the i-th on. FORMS=…: of the tiles those whose
// name has this regular expression in it. nvcc as fresh_products.cu.
#include <regex>

#include "fresh_product.h"

static int part = 0, parts = 1;

template <class T>
static void plans(const Product& p, int rounds) {
  using Element = std::conditional_t<sizeof(T) == 4, float, ww_::Bfloat16>;
  const int64_t m = p.m(), n = p.n(), k = p.k();
  make_reference<Bf>(p);
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const size_t needed = ww_::matmul_bfloat16_workspace(m, n, k);
  const auto a = view<const ww_::Bfloat16>(fa, p.a), b = view<const ww_::Bfloat16>(fb, p.b);
  const auto c = view<Element>((T*)fc + kAround, p.c);
  struct Way {
    std::string name;
    std::function<void()> run;
    Judged judged;
    std::vector<float> ms;
  };
  std::vector<Way> ways;
  ways.push_back({"cublas", [=] { gemm<Bf, T>(p, CUDA_R_16BF, sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_16BF); }});
  ways.push_back({"library", [=] { WK(ww_::matmul(nullptr, a, b, c, {workspace, needed})); }});
  const std::regex wanted(getenv("FORMS") ? getenv("FORMS") : "");
  for (size_t form = part; form < ww_::bfloat16_forms(sizeof(T) == 4); form += parts)
    if (std::regex_search(ww_::bfloat16_form(form), wanted))
      ways.push_back({ww_::bfloat16_form(form),
                      [=] { WK(ww_::multiply_bfloat16(*gpu, nullptr, a, b, c, workspace, form)); }});
  for (Way& way : ways) way.judged = judged<T>(p.c, way.run);
  const int batch = (int)std::max(1.0, std::min(30.0, 2e11 / (2.0 * m * n * k)));
  for (int round = 0; round < rounds; ++round)
    for (Way& way : ways) {
      way.run();
      way.ms.push_back(time_batch(way.run, batch));
    }
  for (const Way& way : ways)
    printf("%ld,%ld,%ld,%s,%s,%s,%.3f,%.3g,%.0f\n", (long)m, (long)n, (long)k,
           layouts_of({p.a, p.b, p.c}).c_str(), sizeof(T) == 4 ? "float32" : "bfloat16", way.name.c_str(),
           1000 * median(way.ms), way.judged.wrong > 0 ? 1 : way.judged.error, way.judged.touched);
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 3) return printf("bf16_plans ROUNDS SHAPE…\n"), 2;
  if (const char* of = getenv("PART")) sscanf(of, "%d/%d", &part, &parts);
  h = open_cublas();
  CK(cudaMalloc(&workspace, kRoom));
  for (float** p : {&fa, &fb, &fc}) CK(cudaMalloc(p, 4 * (kMost + 4096)));
  for (double** p : {&da, &db, &ref, &mag}) CK(cudaMalloc(p, 8 * kMost));
  CK(cudaMalloc(&found, 24));
  bfloat16s();
  printf("m,n,k,layouts,out,form,us,error,touched\n");
  for (int i = 2; i < argc; ++i) {
    Product p;
    if (!parse_shape(argv[i], p)) return printf("%s?\n", argv[i]), 2;
    plans<float>(p, atoi(argv[1]));
    plans<Bf>(p, atoi(argv[1]));
  }
}
