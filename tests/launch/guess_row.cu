// The number of a row or step is 0, so that arrays of the size that the blocks cover are enough for it. The distance
// between rows is not: with 0 all threads would read the same row.
// COMMAND: launch %s --kernel floyd --no-count
// COMMAND: launch %s --kernel strided --no-count
__global__ void floyd(int* dist, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  int through = dist[i * n + k] + dist[k * n + j];
  if (through < dist[i * n + j]) dist[i * n + j] = through;
}
__global__ void strided(const float* rows, float* sums, int apart) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; k++) sum += rows[k * apart + i];
  sums[i] = sum;
}
// STDERR:
// note: no launch of floyd(int*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel floyd --grid 64,64 --block 16,16 --arg 'dist=random:s32[1024,1024]:dist.npy' n=1024 k=0
// note: k is 0 here: with 1024 it asks for larger arrays
// EXIT: 0
// STDERR:
// note: no launch of strided(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel strided --grid 256 --block 256 --arg 'rows=random:f32[262144]' 'sums=out:f32[262144]:sums.npy' apart=65536
// EXIT: 0
