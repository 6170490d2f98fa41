// Clocks of a fence, of an atomic and of a load, one behind the other.
#include <cstdio>
#include <cstdlib>
#define CHECK(e)                             \
  do {                                       \
    cudaError_t r = (e);                     \
    if (r) {                                 \
      printf("%s\n", cudaGetErrorString(r)); \
      exit(1);                               \
    }                                        \
  } while (0)
__global__ void t(int kind, unsigned* p, unsigned* out, int n) {
  unsigned* mine = p + (blockIdx.x * blockDim.x + threadIdx.x) * 32;
  unsigned v = 0;
  if (threadIdx.x % 32 == 0) {
    for (int i = 0; i < 4; ++i) {
      *(volatile unsigned*)mine = i;
      __threadfence();
      v += atomicInc(mine + 1, 1000);
    }
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    long long t0 = clock64();
    for (int i = 0; i < n; ++i) {
      if (kind == 0) {
        *(volatile unsigned*)mine = i;
        __threadfence();
      }
      if (kind == 1) __threadfence();
      if (kind == 2) v = atomicInc(mine + 1 + (v & 1), 1000000) & 2;
      if (kind == 3) v += *(volatile unsigned*)(mine + (v & 4096));
      if (kind == 4) {
        v = atomicInc(p + 1 + (v >> 31), 1u << 30) & 1;
      }
      if (kind == 5) {
        *(volatile unsigned*)mine = i;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
      }
      if (kind == 6) {
        v += __ldcg(mine + (v & 4096));
        __threadfence();
      }
      if (kind == 7) {
        *(volatile unsigned*)mine = i;
        __threadfence_block();
      }
    }
    unsigned d = (unsigned)((clock64() - t0) / n);
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = d, out[1] = v;
  }
}
int main() {
  unsigned *p, *o;
  CHECK(cudaMalloc(&p, 512 << 20));
  CHECK(cudaMemset(p, 0, 512 << 20));
  CHECK(cudaMallocManaged(&o, 64));
  const char* names[] = {
      "store+fence",         "fence",         "atomic own",       "volatile load", "atomic same",
      "store+fence.acq_rel", "load.cg+fence", "store+fence block"};
  for (int kind = 0; kind < 8; ++kind) {
    printf("%s:", names[kind]);
    for (int blocks : {1, 132, 1056})
      for (int threads : {32, 256}) {
        t<<<blocks, threads>>>(kind, p, o, 64);
        CHECK(cudaDeviceSynchronize());
        t<<<blocks, threads>>>(kind, p, o, 64);
        CHECK(cudaDeviceSynchronize());
        printf(" %dx%d %u", blocks, threads, o[0]);
      }
    printf("\n");
  }
}
