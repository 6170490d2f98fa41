// Parents of a union-find begin as their own, points of a picture lie where loops go on, and blocks at the end of the grid that
// do nothing are left out.
// COMMAND: launch %s --kernel hook --no-count
// COMMAND: launch %s --kernel julia --no-count
// COMMAND: launch %s --kernel tiles --no-count
// COMMAND: launch %s --kernel scale --no-count
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
