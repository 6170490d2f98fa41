// Flags that threads wait for begin with zeros, a mask is all bits of a place, a pattern is no longer than its array in
// constant memory, a logarithm is that of the size, a loop over threadIdx.x says how many threads share a row, and blocks that
// would have nothing to store are left out, or said.
// COMMAND: launch %s --kernel wait --no-count
// COMMAND: launch %s --kernel hash --no-count
// COMMAND: launch %s --kernel reversed --no-count
// COMMAND: launch %s --kernel match --no-count
// COMMAND: launch %s --kernel rows --no-count
// COMMAND: launch %s --kernel pairs --no-count
// COMMAND: launch %s --kernel third --no-count
// COMMAND: launch %s --kernel odd --no-count
// COMMAND: launch %s --kernel heads --no-count
__global__ void wait(const int* in, int* out, volatile int* ready) {
  __shared__ int s;
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    while (b > 0 && ready[b - 1] == 0)
      ;
    s = in[b];
    __threadfence();
    ready[b] = 1;
  }
  __syncthreads();
  out[b * blockDim.x + threadIdx.x] = s;
}
__global__ void hash(unsigned* table, const unsigned* keys, unsigned mask) {
  unsigned k = keys[blockIdx.x * blockDim.x + threadIdx.x];
  atomicMax(&table[k * 2654435761u & mask], k);
}
__global__ void reversed(const float* in, float* out, int logn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - logn)] = in[i];
}
__constant__ char pattern[16];
__global__ void match(const char* text, int* found, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m > n) return;
  int same = 1;
  for (int k = 0; k < m; k++) same &= text[i + k] == pattern[k];
  found[i] = same;
}
__global__ void rows(const float* in, float* out, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int c = threadIdx.x; c < n; c += 32) sum += in[row * n + c];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) out[row] = sum;
}
__global__ void pairs(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float x = a[2 * i];
  a[2 * i] = a[2 * i + 1];
  a[2 * i + 1] = x;
}
__global__ void third(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 3) a[i] = a[i] + 1;
}
__global__ void odd(float* a) {
  if (blockIdx.x % 2) a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void heads(const float* keys, float* out, int length, int heads) {
  float sum = 0;
  for (int t = 0; t < length; t++) sum += keys[(t * heads + blockIdx.x % heads) * 128 + threadIdx.x % 128];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// STDERR:
// note: no launch of wait(int const*, int*, int volatile*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel wait --grid 256 --block 256 --arg 'in=random:s32[65536]' 'out=out:s32[65536]:out.npy' 'ready=out:s32[65536]:ready.npy'
// note: ready holds zeros here, as flags, locks and counters do at first
// EXIT: 0
// STDERR:
// note: no launch of hash(unsigned int*, unsigned int const*, unsigned int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel hash --grid 256 --block 256 --arg 'table=out:u32[65536]:table.npy' 'keys=random:u32[65536]' mask=65535
// EXIT: 0
// STDERR:
// note: no launch of reversed(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel reversed --grid 256 --block 256 --arg 'in=random:f32[65536]' 'out=out:f32[65536]:out.npy' logn=16
// EXIT: 0
// STDERR:
// note: no launch of match(char const*, int*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel match --grid 256 --block 256 --arg 'text=random:s8[65536]' 'found=out:s32[65536]:found.npy' n=65536 m=4
// note: m is 4 here: with 65536 it reads behind the end of constant memory
// %s:39: note: pattern is read here but was never set: it holds zeros
//   hint: --symbol pattern=… sets it
// EXIT: 0
// STDERR:
// note: no launch of rows(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel rows --grid 2048 --block 32,8 --arg 'in=random:f32[8,2097152]' 'out=out:f32[8,2097152]:out.npy' n=1024
// EXIT: 0
// STDERR:
// note: no launch of pairs(float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel pairs --grid 128 --block 256 --arg 'a=random:f32[65536]:a.npy' n=65536
// EXIT: 0
// STDERR:
// note: no launch of third(float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel third --grid 86 --block 256 --arg 'a=random:f32[65536]:a.npy' n=65536
// EXIT: 0
// STDERR:
// note: no launch of odd(float*) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel odd --grid 256 --block 256 --arg 'a=out:f32[65536]:a.npy'
// note: 128 of its 256 blocks store nothing: the grid or the sizes may be wrong
// EXIT: 0
// STDERR:
// note: no launch of heads(float const*, float*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel heads --grid 64 --block 256 --arg 'keys=random:f32[16777216]' 'out=out:f32[16777216]:out.npy' length=256 heads=256
// EXIT: 0
