// One block of 16 threads in a long loop, and one of 40.
#include <cstdio>
#include <cstdlib>
__global__ void k(unsigned *out, int n) { 
  __shared__ unsigned s[64];
  unsigned x = threadIdx.x + 1; s[threadIdx.x] = x; __syncthreads();
  for (int i = 0; i < n; i++) { x = x * 1664525u + s[(threadIdx.x + i) % blockDim.x]; x ^= x >> 7; __syncthreads(); s[threadIdx.x] = x; __syncthreads(); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void l(unsigned *out, int n) { 
  unsigned x = threadIdx.x + 1; 
  for (int i = 0; i < n; i++) { x = x * 1664525u + (x >> 5); x ^= x >> 7; if (x % 3 == 0) x += 77; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x; }
int main(int c, char **w) { int b = atoi(w[1]), n = atoi(w[3]); unsigned *d, h; cudaMalloc(&d, 1<<20); if (atoi(w[2])) k<<<8, b>>>(d, n); else l<<<8, b>>>(d, n); cudaMemcpy(&h, d + 3, 4, cudaMemcpyDefault);
 printf("%u %d\n", h, cudaDeviceSynchronize()); }
