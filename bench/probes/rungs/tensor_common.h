// What the probes of products on tensor cores share: maps for the copy engine, kinds of input, references.
#pragma once
#include <cuda.h>

#include <cstring>

#include "common.h"
#include "kernels/bulk_copy.h"

static cublasHandle_t h;
typedef CUresult (*EncodeT)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static TensorMap make_map(CUtensorMapDataType type, int bytes, void* p, std::vector<cuuint64_t> size,
                          std::vector<cuuint64_t> pitch, std::vector<cuuint32_t> box) {
  const bool narrow = bytes == 2 && box[0] == 32;
  static EncodeT encode = nullptr;
  if (!encode) {
    cudaDriverEntryPointQueryResult q;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault,
                                        &q));
  }
  CUtensorMap m;
  std::vector<cuuint32_t> ones(size.size(), 1);
  CUresult r =
      encode(&m, type, size.size(), p, size.data(), pitch.data(), box.data(), ones.data(),
             CU_TENSOR_MAP_INTERLEAVE_NONE, narrow ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r) {
    printf("encode failed %d\n", r);
    exit(4);
  }
  TensorMap t;
  memcpy(&t, &m, 128);
  return t;
}
/// Column-major lower to upper, in squares of 32: blocks of 32 × 8 threads.
__global__ void mirror(float* c, int n) {
  __shared__ float s[32][33];
  const int bx = blockIdx.x, by = blockIdx.y;
  if (by > bx) return;
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int r = by * 32 + i, q = bx * 32 + threadIdx.x;
    if (r < n && q < n) s[i][threadIdx.x] = c[(size_t)r * n + q];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int r = bx * 32 + i, q = by * 32 + threadIdx.x;
    if (r < n && q < n && q < r) c[(size_t)r * n + q] = s[threadIdx.x][i];
  }
}
__device__ inline float unit(size_t i, unsigned seed) {
  unsigned long long x = i * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  x ^= x >> 31;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  x ^= x >> 31;
  return ((unsigned)(x >> 40) + 0.5f) * (1.0f / 16777216);
}
// 0 normal, 1 uniform in [0, 1), 2 every element times 10^±15, 3 every row of A and column of B, 4 pairs of
// neighbouring terms that cancel, 5 pairs that lie k/2 apart, 6 a Hilbert matrix by an alternating one
__global__ void fill_kind(float* p, int rows, int cols, int kind, int is_b, unsigned seed) {
  const size_t nn = (size_t)rows * cols;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < nn;
       i += (size_t)gridDim.x * blockDim.x) {
    const int r = i / cols, c = i % cols;
    float u = unit(i, seed), v = sqrtf(-2 * logf(u)) * cospif(2 * unit(i, seed + 77));
    if (kind == 1) v = u;
    if (kind == 2) v = (unit(i, seed + 5) < 0.5f ? -1.f : 1.f) * exp10f(30 * u - 15);
    if (kind == 3) v *= exp10f(30 * unit(is_b ? c : r, seed + 9) - 15);
    if (kind == 4) {
      const int kk = is_b ? r : c;
      const size_t j = is_b ? (size_t)(r & ~1) * cols + c : (i & ~(size_t)1);
      float w = sqrtf(-2 * logf(unit(j, seed))) * cospif(2 * unit(j, seed + 77));
      v = kk % 2 == 0 ? w : (is_b ? -w : w) * (1 + 1e-6f * u);
    }
    if (kind == 5) {
      const int kk = is_b ? r : c, half = (is_b ? rows : cols) / 2;
      const int k0 = kk % half;
      const size_t j = is_b ? (size_t)k0 * cols + c : (size_t)r * cols + k0;
      float w = sqrtf(-2 * logf(unit(j, seed))) * cospif(2 * unit(j, seed + 77));
      v = kk < half ? w : (is_b ? -w : w) * (1 + 1e-6f * u);
    }
    if (kind == 6) {
      const double pi = 3.141592653589793;
      v = is_b ? (float)(cos(pi * r) * exp(-pow((r - rows / 2.0 - c % 64) / (rows / 8.0), 2)))
               : (float)(1.0 / (r + c + 1.0));
    }
    p[i] = v;
  }
}
struct Ref {
  double *da, *db, *ref, *mag;
};
static void reference(const float* a, const float* b, const Ref& r, int m, int n, int k) {
  const double one = 1, zero = 0;
  for (int ab = 0; ab < 2; ++ab) {
    widen<<<1024, 256>>>(a, r.da, (size_t)m * k, ab);
    widen<<<1024, 256>>>(b, r.db, (size_t)k * n, ab);
    CB(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, r.db, n, r.da, k, &zero, ab ? r.mag : r.ref,
                   n));
  }
  CK(cudaDeviceSynchronize());
}
