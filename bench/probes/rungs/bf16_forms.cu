// Times every tile of the library's bfloat16 products on the GPU at hand beside cublasGemmEx, in turns, and
// prints CSV: m,n,k,out,form,ms,cublas_ms,ratio,wrong,touched. `form` "library": the one that the library
// takes. `wrong`: results of small integers that are not float64's, rounded to the results' type; `touched`:
// elements around them that were written. nvcc -O3 -std=c++20 --extended-lambda
// -gencode=arch=compute_90a,code=sm_90a -Isrc -Ibuild/release/include/warpwright_kernels bf16_forms.cu
//   build/release/src/kernels_library/libww_kernels_library.a -Lbuild/release -lwarpwright_kernels -lcublas
#include <cuda_bf16.h>

#include <cstring>

#include "common.h"
#include "kernels_library/tensor.h"
#include "warpwright/kernels.h"

namespace ww_ = warpwright;
using Bf = __nv_bfloat16;

static cublasHandle_t h;
static Bf *a, *b, *c;  // c: also of float32
static void* workspace;
static double *da, *db, *ref;
static unsigned long long* counts;
static const int64_t kAhead = 64, kPadding = 8;  // elements that nobody may write to

__device__ inline unsigned mix(size_t i, unsigned seed) {
  unsigned long long x = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  x ^= x >> 31, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 29;
  return (unsigned)(x >> 32);
}
/// Integers from -2 to 2, or (`normal`) a sum of four uniform values.
__global__ void fill(Bf* p, double* wide, size_t n, unsigned seed, int normal) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float v = (float)(mix(i, seed) % 5) - 2;
    if (normal) {
      v = -2;
      for (int j = 0; j < 4; ++j) v += mix(4 * i + j, seed) * 2.3283064e-10f;
    }
    p[i] = __float2bfloat16_rn(v);
    if (wide) wide[i] = __bfloat162float(p[i]);
  }
}
template <class T>
__global__ void count_wrong(const T* c, const double* ref, int64_t m, int64_t n, int64_t stride,
                            unsigned long long* counts) {
  const int64_t all = kAhead + m * stride + kAhead;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all;
       i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t at = i - kAhead, row = at / stride, column = at % stride;
    if (at < 0 || row >= m || column >= n) {
      unsigned bits = 0;
      memcpy(&bits, &c[i], sizeof(T));
      if (bits != (0x7b7b7b7bu & (sizeof(T) == 4 ? ~0u : 0xffffu))) atomicAdd(counts + 1, 1ull);
      continue;
    }
    const T expected = (T)(float)ref[row * n + column];
    if (!((float)c[i] == (float)expected)) atomicAdd(counts, 1ull);
  }
}

template <class T, class R>
static void check_form(int64_t m, int64_t n, int64_t k, int form, unsigned long long (&found)[2], R run) {
  const int64_t stride = n + kPadding;
  T* to = reinterpret_cast<T*>(c);
  CK(cudaMemset(to, 0x7b, (2 * kAhead + m * stride) * sizeof(T)));
  CK(cudaMemset(counts, 0, 16));
  run(to + kAhead, stride, form);
  count_wrong<T><<<1024, 256>>>(to, ref, m, n, stride, counts);
  CK(cudaMemcpy(found, counts, 16, cudaMemcpyDeviceToHost));
}

template <class T>
static void forms(int64_t m, int64_t n, int64_t k, bool all, int rounds) {
  using Element = std::conditional_t<sizeof(T) == 4, float, ww_::Bfloat16>;
  ww_::Gpu* gpu = nullptr;
  if (ww_::Gpu::current(&gpu) != ww_::Status::ok) exit(3);
  CK(cudaMalloc(&workspace, ww_::matmul_bfloat16_workspace(m, n, k)));
  auto run = [=](T* to, int64_t stride, int form) {
    const ww_::Matrix<const ww_::Bfloat16> ma{reinterpret_cast<ww_::Bfloat16*>(a), m, k, k},
        mb{reinterpret_cast<ww_::Bfloat16*>(b), k, n, n};
    const ww_::Matrix<Element> mc{reinterpret_cast<Element*>(to), m, n, stride};
    const ww_::Status s = ww_::multiply_bfloat16(*gpu, nullptr, ma, mb, mc, workspace,
                                                 form < 0 ? std::optional<size_t>{} : form);
    if (s != ww_::Status::ok) printf("%s\n", ww_::text(s)), exit(3);
  };
  const float one = 1, zero = 0;
  auto theirs = [=] {
    CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)m, (int)k, &one, b, CUDA_R_16BF, (int)n, a,
                    CUDA_R_16BF, (int)k, &zero, c, sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_16BF, (int)n,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  };
  const int count = all ? (int)ww_::bfloat16_forms(sizeof(T) == 4) : 0;
  std::vector<std::array<unsigned long long, 2>> found;
  fill<<<1024, 256>>>(a, da, m * k, 1, 0);
  fill<<<1024, 256>>>(b, db, k * n, 2, 0);
  const double d1 = 1, d0 = 0;
  CB(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)m, (int)k, &d1, db, (int)n, da, (int)k, &d0, ref,
                 (int)n));
  for (int form = -1; form < count; ++form) {
    unsigned long long two[2];
    check_form<T>(m, n, k, form, two, run);
    found.push_back({two[0], two[1]});
  }
  fill<<<1024, 256>>>(a, nullptr, m * k, 3, 1);
  fill<<<1024, 256>>>(b, nullptr, k * n, 4, 1);
  const double work = 2.0 * m * n * k;
  const int batch = rounds ? (int)std::max(1.0, std::min(40.0, 2e11 / work)) : 0;
  for (int form = -1; form < count; ++form) {
    const Pair t = interleave(
        theirs, [=] { run(reinterpret_cast<T*>(c), n, form); }, rounds, batch);
    printf("%ld,%ld,%ld,%s,%s,%.6f,%.6f,%.4f,%llu,%llu\n", (long)m, (long)n, (long)k,
           sizeof(T) == 4 ? "float32" : "bfloat16", form < 0 ? "library" : ww_::bfloat16_form(form), t.b, t.a,
           t.a / t.b, found[form + 1][0], found[form + 1][1]);
  }
  CK(cudaFree(workspace));
  fflush(stdout);
}

/// Arguments: `all` (every tile), `library` or `check` (every tile, no times), then sizes as N or MxNxK.
int main(int argc, char** argv) {
  h = open_cublas();
  const size_t most = size_t{1} << 27;
  CK(cudaMalloc(&a, 2 * most));
  CK(cudaMalloc(&b, 2 * most));
  CK(cudaMalloc(&c, 4 * most));
  CK(cudaMalloc(&da, 8 * most));
  CK(cudaMalloc(&db, 8 * most));
  CK(cudaMalloc(&ref, 8 * most));
  CK(cudaMalloc(&counts, 16));
  printf("m,n,k,out,form,ms,cublas_ms,ratio,wrong,touched\n");
  for (int i = 2; i < argc; ++i) {
    long m, n, k;
    if (sscanf(argv[i], "%ldx%ldx%ld", &m, &n, &k) != 3) m = n = k = atol(argv[i]);
    const bool all = strcmp(argv[1], "library") != 0;
    const int rounds = strcmp(argv[1], "check") != 0 ? 21 : 0;
    forms<float>(m, n, k, all, rounds);
    forms<Bf>(m, n, k, all, rounds);
  }
}
