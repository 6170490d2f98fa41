// What is right but slow, each with its fixed twin: docs/gallery.md. A comment "finds" with the case and the
// kind stands at a line that `warpwright check --check hints` must name; CASE_fixed must be clean.
#include "gallery.h"

// 32 lanes read a column: all of it lies in one bank.
template <int Columns>
__global__ void transpose(const float* in, float* out) {
  __shared__ float s[32][Columns];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];  // finds column: bank conflicts
}
template <int Step>
__global__ void copy(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * Step];  // finds strided: uncoalesced access
}
// One lane of each warp works, or all lanes of each 32nd warp.
template <bool Fixed>
__global__ void work(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = i;
  if ((Fixed ? i / 32 : i) % 32 == 0)
    for (int k = 0; k < 200; ++k) s = s * 3 + in[k & 31];  // finds one_lane: divergence
  out[i] = s;
}
template <bool Fixed>
__global__ void count(const int* in, int* counter) {
  int v = in[threadIdx.x];
  if (Fixed) v = __reduce_add_sync(~0u, v);
  if (!Fixed || threadIdx.x % 32 == 0) atomicAdd(counter, v);  // finds one_word: atomics in one word
}

// Two barriers in a round of which one is enough, and one that only lanes of a warp need.
template <bool Fixed>
__global__ void rounds(const float* in, float* out) {
  __shared__ float s[2][256];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[k % 2][threadIdx.x] = in[k * 256 + threadIdx.x];
    __syncthreads();
    sum += s[k % 2][255 - threadIdx.x];
    if (!Fixed) __syncthreads();  // finds spare_barrier: redundant barrier
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
template <bool Fixed>
__global__ void in_warps(const float* in, float* out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  if (Fixed)
    __syncwarp();
  else
    __syncthreads();  // finds warp_barrier: redundant barrier
  out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1];
}

template <bool Fixed>
void spare_barrier() {
  rounds<Fixed><<<16, 256>>>(zeros<float>(1024), zeros<float>(16 * 256));
}
template <bool Fixed>
void warp_barrier() {
  in_warps<Fixed><<<16, 256>>>(zeros<float>(256), zeros<float>(16 * 256));
}
template <bool Fixed>
void column() {
  transpose<Fixed ? 33 : 32><<<64, dim3(32, 32)>>>(zeros<float>(1024), zeros<float>(1024));
}
template <bool Fixed>
void strided() {
  copy<Fixed ? 1 : 32><<<64, 256>>>(zeros<float>(64 * 256 * 32), zeros<float>(64 * 256));
}
template <bool Fixed>
void one_lane() {
  work<Fixed><<<64, 256>>>(zeros<int>(32), zeros<int>(64 * 256));
}
template <bool Fixed>
void one_word() {
  count<Fixed><<<64, 256>>>(zeros<int>(256), zeros<int>(1));
}

#define CASE(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
int main(int argc, char** argv) {
  const Case cases[] = {CASE(column),   CASE(strided),       CASE(one_lane),
                        CASE(one_word), CASE(spare_barrier), CASE(warp_barrier)};
  return run_case(cases, argc, argv);
}
