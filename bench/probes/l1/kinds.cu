// Which loads of global memory L1 answers: one warp reads the same 64 lines eight times, by each kind of load
// of the PTX manual, with a barrier between (without it, ptxas makes one of several weak loads). To be run
// under Nsight Compute, a launch for each kind, in the order of `kKinds`:
//
//   nvcc -arch=sm_90 -O3 kinds.cu -o kinds
//   ncu --clock-control none --csv --metrics METRICS ./kinds
//
// with METRICS l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, ..._op_ld_lookup_hit.sum,
// l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum and lts__t_sectors_srcunit_tex_op_read.sum.
#include <cstdio>
#include <cstdlib>
#define CHECK(e)                                     \
  do {                                               \
    cudaError_t r = (e);                             \
    if (r) {                                         \
      printf("%s: %s\n", #e, cudaGetErrorString(r)); \
      exit(1);                                       \
    }                                                \
  } while (0)
__device__ float sink;
constexpr int kLines = 64, kTimes = 8;

#define KIND(NAME, LOAD)                                                                         \
  __global__ void NAME(const float* base) {                                                      \
    float sum = 0;                                                                               \
    for (int k = 0; k < kTimes; ++k) {                                                           \
      for (int i = 0; i < kLines; ++i) {                                                         \
        float v;                                                                                 \
        asm volatile(LOAD " %0, [%1];" : "=f"(v) : "l"(base + i * 32 + threadIdx.x) : "memory"); \
        sum += v;                                                                                \
      }                                                                                          \
      __syncthreads();                                                                           \
    }                                                                                            \
    if (sum == 12345.678f) sink = sum;                                                           \
  }
KIND(plain, "ld.global.f32")
KIND(weak, "ld.weak.global.f32")
KIND(ca, "ld.global.ca.f32")
KIND(cg, "ld.global.cg.f32")
KIND(cs, "ld.global.cs.f32")
KIND(lu, "ld.global.lu.f32")
KIND(cv, "ld.global.cv.f32")
KIND(nc, "ld.global.nc.f32")
KIND(no_allocate, "ld.global.L1::no_allocate.f32")
KIND(volatile_, "ld.volatile.global.f32")
KIND(relaxed_cta, "ld.relaxed.cta.global.f32")
KIND(relaxed_cluster, "ld.relaxed.cluster.global.f32")
KIND(relaxed_gpu, "ld.relaxed.gpu.global.f32")
KIND(relaxed_sys, "ld.relaxed.sys.global.f32")
KIND(acquire_cta, "ld.acquire.cta.global.f32")
KIND(acquire_gpu, "ld.acquire.gpu.global.f32")
KIND(acquire_sys, "ld.acquire.sys.global.f32")

/// A line that the warp itself stores to between two loads of it.
__global__ void stored_between(float* base) {
  float sum = 0;
  for (int k = 0; k < kTimes; ++k)
    for (int i = 0; i < kLines; ++i) {
      float v;
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(base + i * 32 + threadIdx.x) : "memory");
      asm volatile("st.global.f32 [%1], %0;" ::"f"(v + 1), "l"(base + i * 32 + threadIdx.x) : "memory");
      sum += v;
    }
  if (sum == 12345.678f) sink = sum;
}
/// A plain load after a fence of each scope: whether it empties L1.
template <int kScope>
__global__ void fenced(const float* base) {
  float sum = 0;
  for (int k = 0; k < kTimes; ++k) {
    for (int i = 0; i < kLines; ++i) {
      float v;
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(base + i * 32 + threadIdx.x) : "memory");
      sum += v;
    }
    if (kScope == 0) __threadfence_block();
    if (kScope == 1) __threadfence();
    if (kScope == 2) __threadfence_system();
    if (kScope == 3) __syncthreads();
  }
  if (sum == 12345.678f) sink = sum;
}

int main() {
  float* b;
  CHECK(cudaMalloc(&b, kLines * 128));
  CHECK(cudaMemset(b, 0, kLines * 128));
  using Kernel = void (*)(const float*);
  const Kernel kinds[] = {plain,       weak,        ca,          cg,          cs,          lu,
                          cv,          nc,          no_allocate, volatile_,   relaxed_cta, relaxed_cluster,
                          relaxed_gpu, relaxed_sys, acquire_cta, acquire_gpu, acquire_sys, fenced<0>,
                          fenced<1>,   fenced<2>,   fenced<3>};
  for (Kernel kernel : kinds) {
    kernel<<<1, 32>>>(b);
    CHECK(cudaDeviceSynchronize());
  }
  stored_between<<<1, 32>>>(b);
  CHECK(cudaDeviceSynchronize());
}
