// Calls of the kernels' library with arguments that nobody chose: sizes, strides, layouts and places are
// drawn from a seed. Checks each against float64, and the elements around the results; then times it beside
// cuBLAS, CUB or a copy, in turns. Prints CSV:
// call,kind,m,n,k,layouts,strides,form,ms,peer,peer_ms,ratio,error,peer_error,wrong,touched
// (box_sum: m × n elements, k the radius; sum: m elements, strides where they begin; error: largest |Δ| /
// Σ|terms|, of bfloat16 results beyond their rounding). Of calls slower than LEAST × the peer, also the plans
// that there are; with `ways`, float32 products on CUDA cores, by the parts of both accuracies, by
// Karatsuba and in every tile of those that lie anyhow, bfloat16 ones likewise. nvcc -O3 -std=c++20
// --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc -Ibuild/release/include/warpwright_kernels
// fresh.cu build/release/src/kernels_library/libww_kernels_library.a
//   -Lbuild/release -lwarpwright_kernels -lcublas
#include <cuda_bf16.h>
#include <cub/cub.cuh>

#include <cstring>

#include "library_common.h"

using Bf = __nv_bfloat16;

static cublasHandle_t h;
static void* workspace;
static const size_t kRoom = size_t{8} << 30, kMost = size_t{1} << 28;  // bytes, elements
static const int64_t kAround = 256;                                    // elements that nobody may write to
static float *fa, *fb, *fc;                                            // also of bfloat16
static double *da, *db, *ref, *mag;
static double* found;  // error, wrong, touched
static bool timed, ways;
static double least;

/// Draws from a seed.
struct Draw {
  unsigned long long x;
  unsigned next() {
    x += 0x9E3779B97F4A7C15ull;
    unsigned long long z = x;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull, z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (unsigned)((z ^ z >> 31) >> 32);
  }
  int64_t below(int64_t n) { return next() % n; }
  /// Its logarithm is uniform.
  int64_t size(double from, double to) {
    return (int64_t)std::floor(from * std::exp(next() / 4294967296.0 * std::log((to + 1) / from)));
  }
};

/// Where a matrix lies: elements from a line to the next, and where the first one is.
struct Lies {
  int64_t rows, columns;
  bool by_columns;
  int64_t stride, first;
  __host__ __device__ int64_t lines() const { return by_columns ? columns : rows; }
  __host__ __device__ int64_t length() const { return by_columns ? rows : columns; }
  int64_t words() const { return first + lines() * stride; }
};
/// `unit`: what strides and the place are multiples of.
static Lies lies(Draw& draw, int64_t rows, int64_t columns, int64_t unit) {
  Lies l{rows, columns, draw.below(2) == 1, 0, 0};
  const int64_t pad = draw.below(2) ? draw.below(70) : 0;
  l.stride = (l.length() + pad + unit - 1) / unit * unit;
  l.first = draw.below(2) ? draw.below(8) * unit : 0;
  return l;
}
static std::string layouts_of(std::initializer_list<Lies> all) {
  std::string s;
  for (const Lies& l : all) s += l.by_columns ? 'c' : 'r';
  return s;
}
static std::string strides_of(std::initializer_list<Lies> all) {
  std::string s;
  for (const Lies& l : all)
    s += (s.empty() ? "" : " ") + std::to_string(l.stride) + "+" + std::to_string(l.first);
  return s;
}
template <class T, class V>
static ww_::Matrix<T> view(V* p, const Lies& l) {
  return {reinterpret_cast<T*>(p) + l.first, l.rows, l.columns, l.stride,
          l.by_columns ? Layout::by_columns : Layout::by_rows};
}

static __device__ double wide(float v) { return v; }
static __device__ double wide(Bf v) { return __bfloat162float(v); }
/// A matrix by rows, tight, as float64.
template <class T>
__global__ void gather(const T* from, double* to, int64_t rows, int64_t columns, int64_t stride,
                       bool by_columns, bool absolute) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < rows * columns;
       i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t r = i / columns, c = i % columns;
    const double v = wide(from[by_columns ? c * stride + r : r * stride + c]);
    to[i] = absolute ? fabs(v) : v;
  }
}
__global__ void to_bf16(const float* from, Bf* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = __float2bfloat16_rn(from[i]);
}
/// The results at `c` (its first element that may not be written to at -kAround) by the reference.
template <class T>
__global__ void judge(const T* c, const double* ref, const double* mag, Lies l, double* found) {
  double most = 0, wrong = 0, touched = 0;
  const int64_t all = l.lines() * l.stride;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all + 2 * kAround;
       i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t at = i - kAround, line = at / l.stride, along = at % l.stride;
    const T* p = c + l.first + at;
    if (at < 0 || at >= all || along >= l.length()) {
      unsigned bits = 0;
      memcpy(&bits, p, sizeof(T));
      if (bits != (sizeof(T) == 4 ? ~0u : 0xffffu)) ++touched;
      continue;
    }
    const int64_t r = l.by_columns ? along * l.columns + line : line * l.columns + along;
    double d = fabs(wide(*p) - ref[r]);
    if (sizeof(T) == 2) d = fmax(0.0, d - fabs(ref[r]) / 256);
    if (!(d < 1e30))
      ++wrong;
    else
      most = fmax(most, mag[r] > 0 ? d / mag[r] : d > 0 ? 1 : 0);
  }
  atomicMax((unsigned long long*)found, (unsigned long long)__double_as_longlong(most));
  if (wrong) atomicAdd(found + 1, wrong);
  if (touched) atomicAdd(found + 2, touched);
}
struct Judged {
  double error, wrong, touched;
};
template <class T, class RUN>
static Judged judged(const Lies& l, RUN run) {
  CK(cudaMemset(fc, 0xff, (l.words() + 2 * kAround) * sizeof(T)));
  CK(cudaMemset(found, 0, 24));
  run();
  judge<T><<<1024, 256>>>((T*)fc + kAround, ref, mag, l, found);
  Judged j;
  CK(cudaMemcpy(&j, found, sizeof j, cudaMemcpyDeviceToHost));
  return j;
}
static void row(const char* call, const char* kind, int64_t m, int64_t n, int64_t k, const std::string& lay,
                const std::string& strides, const std::string& form, double ms, const char* peer,
                double peer_ms, const Judged& j, double peer_error) {
  printf("%s,%s,%ld,%ld,%ld,%s,%s,%s,%.6f,%s,%.6f,%.4f,%.3g,%.3g,%.0f,%.0f\n", call, kind, (long)m, (long)n,
         (long)k, lay.c_str(), strides.c_str(), form.c_str(), ms, peer, peer_ms, ms > 0 ? peer_ms / ms : 0,
         j.error, peer_error, j.wrong, j.touched);
  fflush(stdout);
}
static int batch_of(double seconds) { return (int)std::max(1.0, std::min(20.0, 2e-3 / seconds)); }
template <class A, class B>
static Pair times(double work, A theirs, B ours, int rounds) {
  if (!timed) return {0, 0};
  return interleave(theirs, ours, rounds, batch_of(work / 3e13));
}

/// The three operands of a product; `unit` of A and B, `unit_c` of C.
struct Product {
  Lies a, b, c;
  int64_t m() const { return c.rows; }
  int64_t n() const { return c.columns; }
  int64_t k() const { return a.columns; }
};
template <class T>
static void make_reference(const Product& p) {
  const double one = 1, zero = 0;
  for (int absolute = 0; absolute < 2; ++absolute) {
    gather<<<1024, 256>>>((const T*)fa + p.a.first, da, p.m(), p.k(), p.a.stride, p.a.by_columns, absolute);
    gather<<<1024, 256>>>((const T*)fb + p.b.first, db, p.k(), p.n(), p.b.stride, p.b.by_columns, absolute);
    CB(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)p.n(), (int)p.m(), (int)p.k(), &one, db, (int)p.n(), da,
                   (int)p.k(), &zero, absolute ? mag : ref, (int)p.n()));
  }
}
/// What cuBLAS, for which all lies by columns, is asked for.
template <class T, class OUT>
static void gemm(const Product& p, cudaDataType in, cudaDataType out) {
  const float one = 1, zero = 0;
  const bool turn = !p.c.by_columns;  // Cᵀ = Bᵀ·Aᵀ
  const Lies &l = turn ? p.b : p.a, &r = turn ? p.a : p.b;
  const T *left = (const T*)(turn ? fb : fa) + l.first, *right = (const T*)(turn ? fa : fb) + r.first;
  OUT* c = (OUT*)fc + kAround + p.c.first;
  const auto op = [&](const Lies& x) { return x.by_columns != turn ? CUBLAS_OP_N : CUBLAS_OP_T; };
  const int m = (int)(turn ? p.n() : p.m()), n = (int)(turn ? p.m() : p.n()), k = (int)p.k();
  if (in == CUDA_R_32F)
    CB(cublasSgemm(h, op(l), op(r), m, n, k, &one, (const float*)left, (int)l.stride, (const float*)right,
                   (int)r.stride, &zero, (float*)c, (int)p.c.stride));
  else
    CB(cublasGemmEx(h, op(l), op(r), m, n, k, &one, left, in, (int)l.stride, right, in, (int)r.stride, &zero,
                    c, out, (int)p.c.stride, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

static const char* name_of(Accuracy a) {
  return a == Accuracy::ieee ? "ieee" : a == Accuracy::float32 ? "float32" : "halves";
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
static void float32(const Product& p) {
  const int64_t m = p.m(), n = p.n(), k = p.k();
  const double work = 2.0 * m * n * k + 1e6;
  const std::string lay = layouts_of({p.a, p.b, p.c}), strides = strides_of({p.a, p.b, p.c});
  make_reference<float>(p);
  auto theirs = [&] { gemm<float, float>(p, CUDA_R_32F, CUDA_R_32F); };
  const Judged peer = judged<float>(p.c, theirs);
  for (Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
    const size_t needed = ww_::matmul_workspace(m, n, k, accuracy);
    if (needed > kRoom) continue;
    auto ours = [&] {
      WK(ww_::matmul(nullptr, view<const float>(fa, p.a), view<const float>(fb, p.b),
                     view<float>(fc + kAround, p.c), accuracy, {workspace, needed}));
    };
    const Judged j = judged<float>(p.c, ours);
    const Pair t = times(work, theirs, ours, 5);
    row("matmul", name_of(accuracy), m, n, k, lay, strides, "", t.b, "cublasSgemm", t.a, j, peer.error);
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
    for (const ww_::AnyForm* form = ww_::any_forms(2); form->name; ++form)
      way(form->name, [&] { WK(ww_::multiply_any(*gpu, nullptr, from_a, from_b, to_c, *form)); });
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

/// Sums along the rows of what a window covers, then down them.
__global__ void box_rows(const float* in, double* to, int64_t rows, int64_t columns, int64_t stride, int r,
                         bool absolute) {
  const int64_t out = columns - 2 * r;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < rows * out;
       i += (int64_t)gridDim.x * blockDim.x) {
    const float* p = in + i / out * stride + i % out;
    double s = 0;
    for (int j = 0; j <= 2 * r; ++j) s += absolute ? fabsf(p[j]) : p[j];
    to[i] = s;
  }
}
__global__ void box_columns(const double* from, double* to, int64_t rows, int64_t out, int r) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (rows - 2 * r) * out;
       i += (int64_t)gridDim.x * blockDim.x) {
    double s = 0;
    for (int j = 0; j <= 2 * r; ++j) s += from[i + j * out];
    to[i] = s;
  }
}
static void box(Draw& draw, double most) {
  const int64_t r = draw.size(1, 128), rows = draw.size(300 + 2 * r, most),
                columns = draw.size(300 + 2 * r, most);
  Lies in = lies(draw, rows, columns, draw.below(2) ? 4 : 1),
       out = lies(draw, rows - 2 * r, columns - 2 * r, draw.below(2) ? 4 : 1);
  in.by_columns = out.by_columns = false;
  in.stride = std::max(in.stride, in.columns), out.stride = std::max(out.stride, out.columns);
  for (int absolute = 0; absolute < 2; ++absolute) {
    box_rows<<<2048, 256>>>(fa + in.first, da, rows, columns, in.stride, (int)r, absolute);
    box_columns<<<2048, 256>>>(da, absolute ? mag : ref, rows, out.columns, (int)r);
  }
  const size_t needed = ww_::box_sum_workspace(rows, columns, r);
  auto ours = [&] {
    WK(ww_::box_sum(nullptr, view<const float>(fa, in), view<float>(fc + kAround, out), r,
                    {workspace, needed}));
  };
  const Judged j = judged<float>(out, ours);
  const int64_t moved = (rows * columns + out.rows * out.columns) / 2;
  auto copy = [&] { CK(cudaMemcpyAsync(fb, fa, 4 * moved, cudaMemcpyDeviceToDevice)); };
  const Pair t = times(8e13 / 4e12 * moved, copy, ours, 7);
  row("box_sum", in.stride % 4 || in.first % 4 ? "any word" : "aligned", rows, columns, r, "",
      strides_of({in, out}), "", t.b, "cudaMemcpy", t.a, j, 0);
}

static void sum(Draw& draw, double most) {
  const int64_t n = draw.size(1, most), first = draw.below(4);
  float* out = fc + kAround;
  size_t bytes = 0;
  CK(cub::DeviceReduce::Sum((void*)nullptr, bytes, fa, out, n));
  auto theirs = [&] {
    size_t b = bytes;
    CK(cub::DeviceReduce::Sum((char*)workspace + 4096, b, fa + first, out, n));
  };
  std::vector<float> host(n);
  CK(cudaMemcpy(host.data(), fa + first, 4 * n, cudaMemcpyDeviceToHost));
  double exact[2] = {};
  for (float v : host) exact[0] += v, exact[1] += std::fabs(v);
  CK(cudaMemcpy(ref, exact, 8, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(mag, exact + 1, 8, cudaMemcpyHostToDevice));
  const Lies l{1, 1, false, 1, 0};
  const Judged peer = judged<float>(l, theirs);
  const ww_::Workspace room{workspace, ww_::sum_workspace()};
  for (int again = 0; again < 2; ++again) {
    auto ours = [&] {
      WK(again ? ww_::sum_again(nullptr, fa + first, n, out, room)
               : ww_::sum(nullptr, fa + first, n, out, room));
    };
    const Judged j = judged<float>(l, ours);
    const Pair t = times(40.0 * n + 1e6, theirs, ours, 9);
    row(again ? "sum_again" : "sum", "", n, 1, 1, "", std::to_string(first), "", t.b, "cub::DeviceReduce",
        t.a, j, peer.error);
  }
}

/// A product's sizes: squares, thin ones, long sums, short ones, any.
static void draw_sizes(Draw& draw, int kind, double most, int64_t& m, int64_t& n, int64_t& k) {
  do {
    m = draw.size(24, most), n = draw.size(24, most), k = draw.size(24, most);
    if (kind == 0) m = n = k = draw.size(200, most * 0.8);
    if (kind == 1) m = draw.size(8, 260), n = draw.size(most / 4, most * 6), k = draw.size(32, most / 3);
    if (kind == 2) n = draw.size(8, 260), m = draw.size(most / 4, most * 6), k = draw.size(32, most / 3);
    if (kind == 3) m = draw.size(40, 700), n = draw.size(40, 700), k = draw.size(most / 2, most * 10);
    if (kind == 4) m = draw.size(most / 10, most), n = draw.size(most / 10, most), k = draw.size(8, 200);
  } while (1.0 * m * n * k > 8e10 || m * n > 60000000 || m * k > 60000000 || n * k > 60000000);
}

/// Arguments: a seed, how many of each, `time` or `check`, the largest size, LEAST, and calls to make (all)
/// or the sides of squares.
int main(int argc, char** argv) {
  if (argc < 6)
    return printf("fresh SEED COUNT time|check MOST LEAST [ways] [matmul|bf16|aat|box|sum|N …]\n"), 2;
  const unsigned long long seed = strtoull(argv[1], nullptr, 10);
  const int count = atoi(argv[2]);
  timed = !strcmp(argv[3], "time");
  const double most = atof(argv[4]);
  least = atof(argv[5]);
  ways = argc > 6 && !strcmp(argv[6], "ways");
  const auto asked = [&](const char* what) {
    bool is = argc == 6;
    for (int i = 6; i < argc; ++i) is |= !strcmp(argv[i], what);
    return is;
  };
  h = open_cublas();
  CK(cudaMalloc(&workspace, kRoom));
  for (float** p : {&fa, &fb, &fc}) CK(cudaMalloc(p, 4 * (kMost + 4096)));
  for (double** p : {&da, &db, &ref, &mag}) CK(cudaMalloc(p, 8 * kMost));
  CK(cudaMalloc(&found, 24));
  const auto floats = [] {
    fill_random<<<1024, 256>>>(fa, kMost + 4096, 15);
    fill_random<<<1024, 256>>>(fb, kMost + 4096, 16);
  };
  printf("call,kind,m,n,k,layouts,strides,form,ms,peer,peer_ms,ratio,error,peer_error,wrong,touched\n");
  floats();
  std::vector<Product> of_float32, of_bf16;
  Draw draw{seed};
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
    if (atol(argv[i]) > 0) squares.push_back(atol(argv[i]));
  const auto square = [](int64_t n, bool a, bool b) {
    return Product{{n, n, a, n, 0}, {n, n, b, n, 0}, {n, n, false, n, 0}};
  };
  for (const int64_t n : squares) float32(square(n, false, false));
  if (asked("matmul"))
    for (const Product& p : of_float32) float32(p);
  if (asked("aat"))
    for (int i = 0; i < count / 2; ++i) {
      const int64_t n = draw.size(100, most * 0.8);
      aat(draw, n, i % 3 == 0 ? n : draw.size(24, most));
    }
  if (asked("box"))
    for (int i = 0; i < count; ++i) box(draw, most * 2);
  if (asked("sum"))
    for (int i = 0; i < count / 2; ++i) sum(draw, i % 2 ? 1 << 20 : timed ? 2.6e8 : 5e6);
  if (asked("bf16") || !squares.empty()) {
    const size_t half = kMost / 2;
    floats();
    to_bf16<<<1024, 256>>>(fb + half, (Bf*)fa, half), to_bf16<<<1024, 256>>>(fa + half, (Bf*)fb, half);
    for (const int64_t n : squares)
      for (int by = 0; by < 4; ++by) of_bf16.push_back(square(n, by & 1, by & 2));
    for (const Product& p : of_bf16) bfloat16<float>(p), bfloat16<Bf>(p);
  }
}
