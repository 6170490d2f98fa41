// One warp, one access pattern a kernel: asynchronous copies, ldmatrix, stmatrix, wmma. For Nsight Compute.
#include <cstdio>
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// BYTES of each lane, from `from + lane * gs` to `to + lane * ss` (bytes).
template <int BYTES, bool CG>
__global__ void copy(const char* from, int gs, int ss, int lanes, int* out) {
  extern __shared__ __align__(128) char buffer[];
  int lane = threadIdx.x;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + lane * ss;
  const char* at = from + lane * gs;
  if (lane < lanes) {
    if (CG) asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(BYTES));
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(BYTES));
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  if (out) out[lane] = buffer[lane];
}
template <int N>
__global__ void ldm(int rs, int xor_, int* out) {
  extern __shared__ __align__(128) char buffer[];
  int lane = threadIdx.x;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + ((lane * rs) ^ (xor_ ? (lane & 7) * 16 : 0));
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (N == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  if (N == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
  if (N == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  if (out) out[lane] = a + b + c + d;
}
template <int N>
__global__ void stm(int rs, int xor_) {
  extern __shared__ __align__(128) char buffer[];
  int lane = threadIdx.x;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + ((lane * rs) ^ (xor_ ? (lane & 7) * 16 : 0));
  if (N == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(lane));
  if (N == 2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%1};" ::"r"(at), "r"(lane));
  if (N == 4) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(lane));
}
template <bool SHARED, bool COLUMN, int WHICH>
__global__ void wm(const half* g, int ld, float* out) {
  extern __shared__ __align__(128) half tile[];
  const half* from = SHARED ? tile : g;
  using L = std::conditional_t<COLUMN, wmma::col_major, wmma::row_major>;
  float s = 0;
  if constexpr (WHICH == 0) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, L> f;
    wmma::load_matrix_sync(f, from, ld);
    for (int i = 0; i < f.num_elements; ++i) s += __half2float(f.x[i]);
  } else {
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, L> f;
    wmma::load_matrix_sync(f, from, ld);
    for (int i = 0; i < f.num_elements; ++i) s += __half2float(f.x[i]);
  }
  out[threadIdx.x] = s;
}
template <bool SHARED>
__global__ void wst(float* g, int ld, int* out) {
  extern __shared__ __align__(128) float ftile[];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
  wmma::fill_fragment(f, 1.0f);
  wmma::store_matrix_sync(SHARED ? ftile : g, f, ld, wmma::mem_row_major);
  if (out) out[threadIdx.x] = (int)ftile[threadIdx.x];
}
#define RUN(name, ...) do { printf("%d,%s,%s\n", n++, name, #__VA_ARGS__); __VA_ARGS__; cudaDeviceSynchronize(); } while (0)
int main() {
  char* g; int* out; float* fo; int n = 0;
  cudaMalloc(&g, 1 << 22); cudaMalloc(&out, 4096); cudaMalloc(&fo, 4096);
  const int S = 40000;
  for (int gs : {4, 16, 64}) for (int ss : {4, 8, 64, 128}) { printf("%d,copy4ca,gs=%d ss=%d\n", n++, gs, ss); copy<4, false><<<1, 32, S>>>(g, gs, ss, 32, out); }
  for (int gs : {8, 32}) for (int ss : {8, 16, 128}) { printf("%d,copy8ca,gs=%d ss=%d\n", n++, gs, ss); copy<8, false><<<1, 32, S>>>(g, gs, ss, 32, out); }
  for (int gs : {16, 32, 128, 144}) for (int ss : {16, 32, 64, 128, 144}) { printf("%d,copy16ca,gs=%d ss=%d\n", n++, gs, ss); copy<16, false><<<1, 32, S>>>(g, gs, ss, 32, out); }
  for (int gs : {16, 32, 128, 144}) for (int ss : {16, 32, 64, 128, 144}) { printf("%d,copy16cg,gs=%d ss=%d\n", n++, gs, ss); copy<16, true><<<1, 32, S>>>(g, gs, ss, 32, out); }
  for (int lanes : {1, 8, 16, 24}) { printf("%d,copy16cg,gs=16 ss=16 lanes=%d\n", n++, lanes); copy<16, true><<<1, 32, S>>>(g, 16, 16, lanes, out); }
  for (int x : {0, 1}) for (int rs : {16, 32, 48, 64, 80, 128, 144, 256, 272}) {
    printf("%d,ldmatrix1,rs=%d xor=%d\n", n++, rs, x); ldm<1><<<1, 32, S>>>(rs, x, out);
    printf("%d,ldmatrix2,rs=%d xor=%d\n", n++, rs, x); ldm<2><<<1, 32, S>>>(rs, x, out);
    printf("%d,ldmatrix4,rs=%d xor=%d\n", n++, rs, x); ldm<4><<<1, 32, S>>>(rs, x, out);
    printf("%d,stmatrix1,rs=%d xor=%d\n", n++, rs, x); stm<1><<<1, 32, S>>>(rs, x);
    printf("%d,stmatrix2,rs=%d xor=%d\n", n++, rs, x); stm<2><<<1, 32, S>>>(rs, x);
    printf("%d,stmatrix4,rs=%d xor=%d\n", n++, rs, x); stm<4><<<1, 32, S>>>(rs, x);
  }
  const half* h = reinterpret_cast<const half*>(g);
  for (int ld : {16, 24, 64, 72, 256}) {
    printf("%d,wmma_a_row_global,ld=%d\n", n++, ld); wm<false, false, 0><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_a_col_global,ld=%d\n", n++, ld); wm<false, true, 0><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_b_row_global,ld=%d\n", n++, ld); wm<false, false, 1><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_b_col_global,ld=%d\n", n++, ld); wm<false, true, 1><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_a_row_shared,ld=%d\n", n++, ld); wm<true, false, 0><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_a_col_shared,ld=%d\n", n++, ld); wm<true, true, 0><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_b_row_shared,ld=%d\n", n++, ld); wm<true, false, 1><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_b_col_shared,ld=%d\n", n++, ld); wm<true, true, 1><<<1, 32, S>>>(h, ld, fo);
    printf("%d,wmma_store_global,ld=%d\n", n++, ld); wst<false><<<1, 32, S>>>(reinterpret_cast<float*>(g), ld, nullptr);
    printf("%d,wmma_store_shared,ld=%d\n", n++, ld); wst<true><<<1, 32, S>>>(reinterpret_cast<float*>(g), ld, out);
  }
  cudaDeviceSynchronize();
  printf("end,%s\n", cudaGetErrorString(cudaGetLastError()));
}
