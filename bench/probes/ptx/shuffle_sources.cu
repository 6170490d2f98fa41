// What a shuffle gives whose source lane does not take part: prints each lane's result
// (data/measured/h200-ptx/shuffle_sources.csv).
#include <cstdio>
__global__ void probe(int* out, int* timer) {
  const int lane = threadIdx.x;
  const int v = 100 + lane;
  int got[12];
  for (int i = 0; i < 12; ++i) got[i] = -1;
  if (lane < 16) {
    got[0] = __shfl_down_sync(0xffff, v, 8);
    got[1] = __shfl_sync(0xffff, v, lane + 12);
    got[2] = __shfl_xor_sync(0xffff, v, 16);
    got[3] = __shfl_down_sync(0xffff, v, 16);
  }
  __syncwarp();
  if (lane < 16)
    got[4] = __shfl_down_sync(0xffff, v, 8);
  else
    got[4] = __shfl_up_sync(0xffff0000, v, 8);  // the others run another one
  __syncwarp();
  if (lane < 16) {
    for (int i = 0; i < timer[0]; ++i) __nanosleep(100);
    got[5] = __shfl_down_sync(0xffff, v, 8);
  }  // late
  else
    got[5] = -2;
  __syncwarp();
  if (lane < 8) {
    int m = v;
    for (int o = 16; o > 0; o /= 2) m += __shfl_down_sync(0xff, m, o);
    got[6] = m;
  }  // cuda-samples' reduction
  __syncwarp();
  unsigned b = __ballot_sync(0xffffffff, lane < 8);
  if (lane < 8) {
    got[7] = __shfl_down_sync(b, v, 16);
  }
  __syncwarp();
  for (int i = 0; i < 12; ++i) out[i * 32 + lane] = got[i];
}
__global__ void exited(int* out) {
  const int lane = threadIdx.x, v = 100 + lane;
  if (lane >= 16) return;
  out[lane] = __shfl_down_sync(0xffff, v, 8);
  out[32 + lane] = __shfl_down_sync(0xffffffff, v, 8);
}
int main() {
  int *o, h[12 * 32], *t;
  cudaMalloc(&o, sizeof h);
  cudaMalloc(&t, 4);
  cudaMemset(t, 0, 4);
  probe<<<1, 32>>>(o, t);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  const char* what[] = {
      "down 8 in 16 lanes",   "idx lane+12",      "xor 16", "down 16", "down 8 | up 8 in the others", "late",
      "reduction of 8 lanes", "down 16 by ballot"};
  for (int i = 0; i < 8; ++i) {
    printf("%s:", what[i]);
    for (int l = 0; l < 32; ++l) printf(" %d", h[i * 32 + l]);
    printf("\n");
  }
  cudaMemset(o, 0xff, sizeof h);
  exited<<<1, 32>>>(o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2; ++i) {
    printf("exited:");
    for (int l = 0; l < 16; ++l) printf(" %d", h[i * 32 + l]);
    printf("\n");
  }
}
