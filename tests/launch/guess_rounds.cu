// What keeps a kernel busy for ever is made small; dynamic shared memory is made as large as it needs; and of several
// elements for each thread the block is taken whose blocks do not store over each other. Sizes are the same, although
// the blocks are not.
// COMMAND: launch %s --kernel relax --no-count
// COMMAND: launch %s --kernel staged --no-count
// COMMAND: launch %s --kernel four --no-count
__global__ void relax(float* a, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  for (long s = 0; s < (long)steps * steps * steps * steps; s++) x = 0.5f * x + 1;
  a[i] = x;
}
__global__ void staged(const float* in, float* out) {
  extern __shared__ float s[];
  for (int k = 0; k < 24; k++) s[k * 256 + threadIdx.x % 256] = in[threadIdx.x] + k;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[23 * 256 + 255 - threadIdx.x % 256];
}
__global__ void four(const float* a, float* b, int n) {
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 512 + k * 128 + threadIdx.x;
    if (i < n) b[i] = 2 * a[i];
  }
}
// STDERR:
// note: no launch of relax(float*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel relax --grid 64 --block 256 --arg 'a=random:f32[16384]:a.npy' n=16384 steps=4
// note: steps is 4 here: with 16384 it does not end soon
// EXIT: 0
// STDERR:
// note: no launch of staged(float const*, float*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel staged --grid 256 --block 256 --shared 24576 --arg 'in=random:f32[65536]' 'out=out:f32[65536]:out.npy'
// EXIT: 0
// STDERR:
// note: no launch of four(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel four --grid 128 --block 128 --arg 'a=random:f32[65536]' 'b=out:f32[65536]:b.npy' n=65536
// EXIT: 0
