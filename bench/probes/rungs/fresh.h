// What the probes of calls that nobody chose share (fresh_products.cu, fresh_memory.cu). Sizes, strides,
// layouts and places are drawn from a seed. Checks each call against float64, and the elements around the
// results; then times it beside cuBLAS, CUB or a copy, in turns. Prints CSV:
// call,kind,m,n,k,layouts,strides,form,ms,peer,peer_ms,ratio,error,peer_error,wrong,touched
// (error: largest |Δ| / Σ|terms|, of bfloat16 results beyond their rounding).
#pragma once
#include <cuda_bf16.h>

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
static bool timed;

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

static void floats() {
  fill_random<<<1024, 256>>>(fa, kMost + 4096, 15);
  fill_random<<<1024, 256>>>(fb, kMost + 4096, 16);
}
/// All memory, filled, and the head of the table.
static void begin(bool time) {
  timed = time;
  h = open_cublas();
  CK(cudaMalloc(&workspace, kRoom));
  for (float** p : {&fa, &fb, &fc}) CK(cudaMalloc(p, 4 * (kMost + 4096)));
  for (double** p : {&da, &db, &ref, &mag}) CK(cudaMalloc(p, 8 * kMost));
  CK(cudaMalloc(&found, 24));
  printf("call,kind,m,n,k,layouts,strides,form,ms,peer,peer_ms,ratio,error,peer_error,wrong,touched\n");
  floats();
}
/// Whether `what` is among the arguments from `first` on, or none is.
static bool asked(int argc, char** argv, int first, const char* what) {
  for (int i = first; i < argc; ++i)
    if (!strcmp(argv[i], what)) return true;
  return argc == first;
}
