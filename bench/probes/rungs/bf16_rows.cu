// Times bfloat16 products whose rows begin at odd multiples of 16 bytes, as they are and from copies with
// rows at lines of 128 bytes, beside cublasGemmEx in turns, and prints CSV: n,out,as_it_is_ms,from_copy_ms,
// copy_ms,both_ms,one_ms,cublas_ms,wrong. `copy`: a launch that copies A and B; `both`: it and the product
// behind it; `one`: the same with a copy of B alone.
#include <cuda_bf16.h>

#include <cstring>

#include "common.h"
#include "kernels_library/tensor.h"
#include "warpwright/kernels.h"

namespace ww_ = warpwright;
using Bf = __nv_bfloat16;

__global__ void fill(Bf* p, size_t n, unsigned seed, int normal) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long x = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
    x ^= x >> 31, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 29;
    float v = (float)((unsigned)(x >> 32) % 5) - 2;
    if (normal) v = (float)(unsigned)(x >> 32) * 2.3283064e-10f * 4 - 2 + v * 0.25f;
    p[i] = __float2bfloat16_rn(v);
  }
}
struct Copied {
  const int4* from;
  int4* to;
  int rows, pieces, pitch;  // pieces of 16 bytes
};
struct Both {
  Copied of[2];
};
/// A warp takes a row, eight pieces of a lane in flight.
__global__ void __launch_bounds__(256) lay(const __grid_constant__ Both both) {
  const Copied& c = both.of[blockIdx.y];
  const int warps = gridDim.x * 8;
  for (int row = blockIdx.x * 8 + threadIdx.x / 32; row < c.rows; row += warps) {
    const int4* from = c.from + (size_t)row * c.pieces;
    int4* to = c.to + (size_t)row * c.pitch;
    for (int at = threadIdx.x % 32; at < c.pieces; at += 256) {
      int4 v[8];
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (at + i * 32 < c.pieces) v[i] = __ldg(from + at + i * 32);
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (at + i * 32 < c.pieces) to[at + i * 32] = v[i];
    }
  }
}
template <class T>
__global__ void differ(const T* x, const T* y, size_t n, unsigned long long* count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    if (!((float)x[i] == (float)y[i])) atomicAdd(count, 1ull);
}

static cublasHandle_t h;
static Bf *a, *b, *la, *lb;
static char *c, *d;
static unsigned long long* count;

template <class T>
static void rows(int64_t n) {
  using Element = std::conditional_t<sizeof(T) == 4, float, ww_::Bfloat16>;
  ww_::Gpu* gpu = nullptr;
  if (ww_::Gpu::current(&gpu) != ww_::Status::ok) exit(3);
  const int64_t pitch = (n + 63) / 64 * 64;
  auto product = [=](Bf* x, int64_t px, Bf* y, int64_t py) {
    const ww_::Matrix<const ww_::Bfloat16> ma{reinterpret_cast<ww_::Bfloat16*>(x), n, n, px},
        mb{reinterpret_cast<ww_::Bfloat16*>(y), n, n, py};
    const ww_::Matrix<Element> mc{reinterpret_cast<Element*>(c), n, n, n};
    if (ww_::multiply_bfloat16(*gpu, nullptr, ma, mb, mc, nullptr, std::optional<size_t>{}) !=
        ww_::Status::ok)
      exit(4);
  };
  auto copy = [=](bool with_a) {
    Both both{{{(const int4*)b, (int4*)lb, (int)n, (int)n / 8, (int)pitch / 8},
               {(const int4*)a, (int4*)la, (int)n, (int)n / 8, (int)pitch / 8}}};
    lay<<<dim3(std::min<int64_t>((n + 7) / 8, with_a ? 528 : 1056), with_a ? 2 : 1), 256>>>(both);
  };
  const float one = 1, zero = 0;
  auto theirs = [=](void* to) {
    CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)n, (int)n, &one, b, CUDA_R_16BF, (int)n, a,
                    CUDA_R_16BF, (int)n, &zero, to, sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_16BF, (int)n,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  };
  // Small integers: sums are exact in float32 and rounded once.
  fill<<<1024, 256>>>(a, n * n, 1, 0);
  fill<<<1024, 256>>>(b, n * n, 2, 0);
  theirs(d);
  unsigned long long wrong;
  CK(cudaMemset(count, 0, 8));
  for (int i = 0; i < 3; ++i) {
    CK(cudaMemset(c, 0x7b, n * n * sizeof(T)));
    CK(cudaMemset(la, 0x7f, n * pitch * 2));
    CK(cudaMemset(lb, 0x7f, n * pitch * 2));
    if (i) copy(i == 1);
    product(i == 1 ? la : a, i == 1 ? pitch : n, i ? lb : b, i ? pitch : n);
    differ<<<1024, 256>>>((T*)c, (T*)d, n * n, count);
  }
  CK(cudaMemcpy(&wrong, count, 8, cudaMemcpyDeviceToHost));
  fill<<<1024, 256>>>(a, n * n, 3, 1);
  fill<<<1024, 256>>>(b, n * n, 4, 1);
  copy(true);
  const int batch = (int)std::max(1.0, std::min(40.0, 1e11 / (2.0 * n * n * n)));
  auto measure = [&](auto f) { return interleave([=] { theirs(c); }, f, 21, batch); };
  const Pair as = measure([=] { product(a, n, b, n); }),
             from = measure([=] { product(la, pitch, lb, pitch); }),
             both = measure([=] { copy(true), product(la, pitch, lb, pitch); }),
             just = measure([=] { copy(true); }),
             alone = measure([=] { copy(false), product(a, n, lb, pitch); });
  printf("%ld,%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%llu\n", (long)n, sizeof(T) == 4 ? "float32" : "bfloat16",
         as.b, from.b, just.b, both.b, alone.b, std::min({as.a, from.a, both.a, alone.a}), wrong);
  fflush(stdout);
}

int main(int argc, char** argv) {
  h = open_cublas();
  const size_t most = size_t{1} << 27;
  for (Bf** p : {&a, &b, &la, &lb}) CK(cudaMalloc(p, 2 * most));
  CK(cudaMalloc(&c, 4 * most));
  CK(cudaMalloc(&d, 4 * most));
  CK(cudaMalloc(&count, 8));
  printf("n,out,as_it_is_ms,from_copy_ms,copy_ms,both_ms,one_ms,cublas_ms,wrong\n");
  for (int i = 1; i < argc; ++i) rows<float>(atol(argv[i])), rows<Bf>(atol(argv[i]));
}
