// Takes n * n blocks where there are n * n elements in a row: gigabytes for a first study's usual sizes.
extern "C" __global__ void relax(int* g, int pitch, int round) {
  __shared__ int c[16][16], a[16][16];
  int x = round * 16 + threadIdx.x, y = (blockIdx.x + (blockIdx.x >= round)) * 16 + threadIdx.y;
  a[threadIdx.y][threadIdx.x] = g[(round * 16 + threadIdx.y) * pitch + x];
  c[threadIdx.y][threadIdx.x] = g[y * pitch + x];
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    c[threadIdx.y][threadIdx.x] = min(c[threadIdx.y][threadIdx.x], c[threadIdx.y][k] + a[k][threadIdx.x]);
    __syncthreads();
  }
  g[y * pitch + x] = c[threadIdx.y][threadIdx.x];
}
