// Parents of a union-find begin as their own, points of a picture lie where loops go on, and blocks at the end of the grid that
// do nothing are left out. A step is 1 where the size of the array leaves nothing to do, a kernel that never asks for its block is
// launched with one, and each thread of a row has a whole row.
// COMMAND: launch %s --kernel hook --no-count
// COMMAND: launch %s --kernel julia --no-count
// COMMAND: launch %s --kernel tiles --no-count
// COMMAND: launch %s --kernel scale --no-count
// COMMAND: launch %s --kernel exchange --no-count
// COMMAND: launch %s --kernel last --no-count
// COMMAND: launch %s --kernel turns --no-count
// COMMAND: launch %s --kernel packets --no-count
// COMMAND: launch %s --kernel sixth_warp --no-count
// COMMAND: launch %s --kernel column --no-count
__device__ int root(volatile int* parent, int x) {
  while (parent[x] != x) x = parent[x];
  return x;
}
__global__ void hook(int* parent, const int* src, const int* dst) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  int u = root(parent, src[e]), v = root(parent, dst[e]);
  while (u != v) {
    int high = max(u, v), low = min(u, v);
    int old = atomicCAS(&parent[high], high, low);
    u = root(parent, old), v = low;
  }
}
__global__ void julia(int* rounds, int w, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0;
  int k = 0;
  for (; k < 100 && a < 4; ++k) a = a * a + x * step;
  rounds[x] = k;
}
__global__ void tiles(const float* in, float* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n / 8) out[t] = in[t] + 1;
}
__global__ void scale(float* a, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] *= by;
}
__global__ void exchange(unsigned* key, int j, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, p = i ^ j;
  if (p <= i || p >= n) return;
  unsigned a = key[i], b = key[p];
  if (a > b) key[i] = b, key[p] = a;
}
__global__ void last(const float* sums, int blocks, float* out) {
  __shared__ float s[256];
  float mine = 0;
  for (int i = threadIdx.x; i < blocks; i += 256) mine += sums[i];
  s[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 256; ++i) mine += s[i];
    *out = mine;
  }
}
__global__ void turns(int* next, float* out) {  // its blocks take numbers
  __shared__ int b;
  if (threadIdx.x == 0) b = atomicAdd(next, 1);
  __syncthreads();
  out[b * blockDim.x + threadIdx.x] = b;
}
__global__ void packets(const unsigned char* data, int* sum, int length, int packets) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= packets) return;
  int s = 0;
  for (int i = 0; i < length; ++i) s += data[p * length + i];
  sum[p] = s;
}
__global__ void sixth_warp(float* a) {
  if (threadIdx.x / 32 == 5) a[blockIdx.x * 32 + threadIdx.x % 32] = 1;
}
__global__ void column(float* m, const float* a, int size, int t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
  if (i < size) m[size * i + t] = a[size * i + t] / a[size * t + t];
}
// STDERR:
// note: no launch of hook(int*, int const*, int const*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel hook --grid 256 --block 256 --arg 'parent=range:s32[65536]:parent.npy' 'src=range:s32[65536]' 'dst=out:s32[65536]'
// note: src holds 0, 1, 2, … here, dst only zeros: with your data the kernel may do something else
//   hint: --arg 'src=in:FILE.npy' reads them from a file
// note: parent holds 0, 1, 2, … here: its elements are places in it
// EXIT: 0
// STDERR:
// note: no launch of julia(int*, int, float) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel julia --grid 64 --block 256 --arg 'rounds=out:s32[16384]:rounds.npy' w=16384 step=0.0001
// note: floating-point numbers are 0.0001 here: with 1.5 its loops end sooner
// EXIT: 0
// STDERR:
// note: no launch of tiles(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel tiles --grid 32 --block 256 --arg 'in=random:f32[65536]' 'out=out:f32[65536]:out.npy' n=65536
// EXIT: 0
// STDERR:
// note: no launch of scale(float*, float) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel scale --grid 256 --block 256 --arg 'a=random:f32[65536]:a.npy' by=1.5
// EXIT: 0
// STDERR:
// note: no launch of exchange(unsigned int*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel exchange --grid 256 --block 256 --arg 'key=random:u32[65536]:key.npy' j=1 n=65536
// note: j is 1 here: with 65536 it does less
// EXIT: 0
// STDERR:
// note: no launch of last(float const*, int, float*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel last --grid 1 --block 256 --arg 'sums=random:f32[256]' blocks=256 'out=out:f32[256]:out.npy'
// EXIT: 0
// STDERR:
// note: no launch of turns(int*, float*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel turns --grid 256 --block 256 --arg 'next=out:s32[65536]:next.npy' 'out=out:f32[65536]:out.npy'
// EXIT: 0
// STDERR:
// note: no launch of packets(unsigned char const*, int*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel packets --grid 4 --block 256 --arg 'data=random:u8[1048576]' 'sum=out:s32[1048576]:sum.npy' length=1024 packets=1024
// EXIT: 0
// STDERR:
// note: no launch of sixth_warp(float*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel sixth_warp --grid 256 --block 256 --arg 'a=out:f32[65536]:a.npy'
// note: 1792 of its 2048 warps neither read nor write: the grid or the sizes may be wrong
// EXIT: 0
// STDERR:
// note: no launch of column(float*, float const*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel column --grid 4 --block 256 --arg 'm=out:f32[1048576]:m.npy' 'a=random:f32[1048576]' size=1024 t=1
// note: t is 1 here: with 1024 it does less
// EXIT: 0
