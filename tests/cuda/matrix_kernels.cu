// What the headers of CUDA make of half precision and of tensor cores; run by matrix_cuda_test.cpp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

using namespace nvcuda;

// C = alpha·A·B, n × n, row-major: a warp for each tile, A and B through shared memory.
template <int M, int N, int K, class T, class Fragment>
__device__ void tile_product(const T* a, const T* b, float* c, int n, float alpha) {
  __shared__ __align__(32) T tile_a[M * K], tile_b[K * N];
  int row = blockIdx.y * M, column = blockIdx.x * N;
  wmma::fragment<wmma::accumulator, M, N, K, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += K) {
    for (int i = threadIdx.x; i < M * K; i += 32) tile_a[i] = a[(row + i / K) * n + k + i % K];
    for (int i = threadIdx.x; i < K * N; i += 32) tile_b[i] = b[(k + i / N) * n + column + i % N];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, Fragment, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Fragment, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, tile_a, K);
    wmma::load_matrix_sync(fb, tile_b, N);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncwarp();
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= alpha;
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void product_f16(const __half* a, const __half* b, float* c, int n, float alpha) { tile_product<16, 16, 16, __half, __half>(a, b, c, n, alpha); }
extern "C" __global__ void product_f16_wide(const __half* a, const __half* b, float* c, int n, float alpha) { tile_product<8, 32, 16, __half, __half>(a, b, c, n, alpha); }
extern "C" __global__ void product_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, float alpha) {
  tile_product<32, 8, 16, __nv_bfloat16, __nv_bfloat16>(a, b, c, n, alpha);
}
extern "C" __global__ void product_tf32(const float* a, const float* b, float* c, int n, float alpha) { tile_product<16, 16, 8, float, wmma::precision::tf32>(a, b, c, n, alpha); }

// mma.sync fed by ldmatrix: a warp multiplies 16×16 by 16×8 (B given column by column).
extern "C" __global__ void product_ldmatrix(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half tile_a[16 * 16], tile_b[8 * 16];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) tile_a[i] = a[i];
  for (int i = lane; i < 128; i += 32) tile_b[i] = b[i];
  __syncwarp();
  unsigned fa[4], fb[2];
  unsigned at_a = static_cast<unsigned>(__cvta_generic_to_shared(tile_a + (lane % 16) * 16 + lane / 16 * 8));
  unsigned at_b = static_cast<unsigned>(__cvta_generic_to_shared(tile_b + (lane % 8) * 16 + lane / 8 % 2 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(at_b));
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// A row of intrinsics on each value, as float: fma, relu, maximum, comparison, exponential, through bf16, through 8 bits.
constexpr int kResults = 8;
extern "C" __global__ void halves(const __half* a, const __half* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* r = out + i * kResults;
  r[0] = __half2float(__hfma(a[i], b[i], a[i]));
  r[1] = __half2float(__hadd_sat(a[i], b[i]));
  r[2] = __half2float(__hmax(a[i], b[i]));
  __half2 pair = __halves2half2(a[i], b[i]);
  r[3] = __high2float(__hmul2(pair, pair));
  r[4] = __hlt(a[i], b[i]) ? 1.0f : 0.0f;
  r[5] = __half2float(hexp2(a[i]));
  r[6] = __bfloat162float(__float2bfloat16(__half2float(a[i])) * __float2bfloat16(__half2float(b[i])));
  r[7] = static_cast<float>(__nv_fp8_e4m3(a[i]));
}
