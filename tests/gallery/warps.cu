// Classic mistakes with barriers, masks and undefined values, each with its fixed twin: docs/gallery.md. A
// comment "finds" with the case and the kind stands at a line that `warpwright check` must name, or at the
// call of the host; CASE_fixed must be clean.
#include <cassert>

#include "gallery.h"

template <bool Fixed>
__global__ void barrier_in_branch(int* out) {
  __shared__ int sum[64];
  sum[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x < 32) {
    sum[threadIdx.x] += 1;
    if (!Fixed) __syncthreads();  // finds barrier_in_branch: barrier
  }
  if (Fixed) __syncthreads();
  out[threadIdx.x] = sum[63 - threadIdx.x];  // finds barrier_in_branch: race
  __syncthreads();
}
// A warp whose lanes want a lock one after the other: whoever has it waits for those who spin.
template <bool Fixed>
__global__ void lane_lock(int* lock, int* value) {
  if (Fixed) {
    bool done = false;
    while (!done)
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        *value += 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
  } else {
    for (int k = 0; k < 2; ++k)
      while (atomicCAS(lock, 0, 1) != 0) {  // finds never_given_back: endless loop
      }
    *value += 1;
  }
}
template <bool Fixed>
__global__ void half_shuffle(const int* in, int* out) {
  const int i = threadIdx.x;
  int v = in[i];
  if (Fixed || i < 16)
    for (int d = 8; d; d /= 2)
      v += __shfl_down_sync(0xffffffffu, v, d);  // finds half_shuffle: mask names lanes that do not come
  out[i] = v;
}
template <bool Fixed>
__global__ void absent_lane(const int* in, int* out) {
  const int i = threadIdx.x;
  int v = in[i];
  if (i < 16) v += __shfl_sync(0xffffu, v, Fixed ? 15 - i : 31 - i);  // finds absent_lane: uninitialised
  out[i] = v;
}
template <bool Fixed>
__global__ void no_mask(const int* in, int* out, unsigned mask) {
  out[threadIdx.x] = __shfl_sync(mask, in[threadIdx.x], 0);  // finds mask_zero: mask
}
template <bool Fixed>
__global__ void not_in_mask(int* out, unsigned mask) {
  out[threadIdx.x] = __any_sync(mask, threadIdx.x == 3);  // finds not_in_mask: mask
}
// 48 threads at a barrier that counts warps.
template <bool Fixed>
__global__ void counted(int* out) {
  __shared__ int sum[96];
  sum[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, %0;" ::"n"(Fixed ? 64 : 96)
                 : "memory");  // finds barrier_count: barrier deadlock
  else
    sum[threadIdx.x] += 1;
  out[threadIdx.x] = sum[threadIdx.x];
}

// ---- values ----
template <bool Fixed>
__global__ void accumulate(const float* in, float* out, int n) {
  float sum[8];
  if (Fixed)
    for (int k = 0; k < 8; ++k) sum[k] = 0;
  for (int k = 0; k < n; ++k) sum[(k + n) & 7] += in[k];
  out[threadIdx.x] = sum[(n + threadIdx.x) & 7];  // finds sum_unset: uninitialised
}
template <bool Fixed>
__global__ void half_tile(const float* in, float* out, int n) {
  __shared__ float tile[64];
  if (threadIdx.x < n)
    tile[threadIdx.x] = in[threadIdx.x];
  else if (Fixed)
    tile[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x] * 2;  // finds half_tile: uninitialised
}
__global__ void twice(const int* in, int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = 3 * in[threadIdx.x];  // finds never_copied: uninitialised
}
__global__ void numbers(float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = x + y;  // finds rounded_down: uninitialised; finds
  // rounded_columns: uninitialised
}
template <bool Fixed>
__global__ void by_zero(const int* in, int* out, int n) {
  out[threadIdx.x] = Fixed && n == 0 ? 0 : in[threadIdx.x] / n;  // finds by_zero: division by zero
}
template <bool Fixed>
__global__ void claim(const int* in) {
  assert(in[threadIdx.x] == 0 || Fixed);  // finds asserted: assertion failed
}

template <bool Fixed>
void barrier_in_branch_() {
  barrier_in_branch<Fixed><<<1, 64>>>(zeros<int>(64));
}
template <bool Fixed>
void never_given_back() {
  lane_lock<Fixed><<<1, 32>>>(zeros<int>(1), zeros<int>(1));
}
template <bool Fixed>
void half_shuffle_() {
  half_shuffle<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32));
}
template <bool Fixed>
void absent_lane_() {
  absent_lane<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32));
}
template <bool Fixed>
void mask_zero() {
  no_mask<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32), Fixed ? ~0u : 0);
}
template <bool Fixed>
void not_in_mask_() {
  not_in_mask<Fixed><<<1, 16>>>(zeros<int>(32), Fixed ? 0xffffu : 0xfffeu);
}
template <bool Fixed>
void barrier_count() {
  counted<Fixed><<<1, 96>>>(zeros<int>(96));
}
template <bool Fixed>
void sum_unset() {
  accumulate<Fixed><<<1, 32>>>(zeros<float>(8), zeros<float>(32), hidden(8));
}
template <bool Fixed>
void half_tile_() {
  half_tile<Fixed><<<1, 64>>>(zeros<float>(64), zeros<float>(64), hidden(40));
}
template <bool Fixed>
void never_copied() {
  int* in = nullptr;
  cudaMalloc(&in, 256);
  if (Fixed) cudaMemset(in, 0, 256);
  twice<<<1, 64>>>(in, zeros<int>(64), 64);
}
template <bool Fixed>
void rounded(int width, int height, dim3 block) {
  const int more = Fixed ? block.x - 1 : 0;
  float *out = nullptr, back[1000];
  cudaMalloc(&out, sizeof back);
  numbers<<<dim3((width + more) / block.x, (height + block.y - 1) / block.y), block>>>(out, width, height);
  cudaMemcpy(back, out, width * height * sizeof(float), cudaMemcpyDeviceToHost);
}
template <bool Fixed>
void rounded_down() {
  rounded<Fixed>(1000, 1, 256);
}
template <bool Fixed>
void rounded_columns() {
  rounded<Fixed>(50, 20, dim3(16, 8));
}
template <bool Fixed>
void by_zero_() {
  by_zero<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32), hidden(0));
}
template <bool Fixed>
void asserted() {
  int* p = zeros<int>(32);
  cudaMemset(p, 1, 128);
  claim<Fixed><<<1, 32>>>(p);
}

int main(int argc, char** argv) {
#define BOTH(name, function) \
  {#name, function<false>}, { #name "_fixed", function < true> }
  const Case cases[] = {BOTH(barrier_in_branch, barrier_in_branch_),
                        BOTH(never_given_back, never_given_back),
                        BOTH(half_shuffle, half_shuffle_),
                        BOTH(absent_lane, absent_lane_),
                        BOTH(mask_zero, mask_zero),
                        BOTH(not_in_mask, not_in_mask_),
                        BOTH(barrier_count, barrier_count),
                        BOTH(sum_unset, sum_unset),
                        BOTH(half_tile, half_tile_),
                        BOTH(never_copied, never_copied),
                        BOTH(rounded_down, rounded_down),
                        BOTH(rounded_columns, rounded_columns),
                        BOTH(by_zero, by_zero_),
                        BOTH(asserted, asserted)};
  return run_case(cases, argc, argv);
}
