// Classic data races, each with its fixed twin: docs/gallery.md. A comment "finds" with the case and the kind
// stands at a line that `warpwright check` must name, or at the call of the host; CASE_fixed must be clean.
#include <cuda_pipeline.h>
#include <cuda/atomic>

#include "gallery.h"

constexpr int kTile = 16;

// The barrier behind the use of a tile is as necessary as the one before.
template <bool Fixed>
__global__ void tile_product(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];  // finds tile: race
    if (Fixed) __syncthreads();
  }
  c[row * n + col] = sum;
}

template <bool Fixed>
__global__ void reduce_block(const int* in, int* out) {
  __shared__ int part[128];
  part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  if (Fixed) __syncthreads();
  for (int half = 64; half; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  // finds reduction: race
    if (Fixed) __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];  // finds reduction: uninitialised
}

// The last warp needs no __syncthreads(), but it needs __syncwarp(): since Volta its lanes need not run in
// step.
template <bool Fixed>
__global__ void reduce_warp(const int* in, int* out) {
  __shared__ int part[32];
  const int lane = threadIdx.x;
  part[lane] = in[lane];
  __syncwarp();
  for (int half = 16; half; half /= 2) {
    int other = lane < half ? part[lane + half] : 0;
    if (Fixed) __syncwarp();
    part[lane] += other;  // finds warp_reduction: race
    if (Fixed) __syncwarp();
  }
  if (lane == 0) *out = part[0];
}

__device__ unsigned came = 0;
// The last block adds up what the others wrote: their fence makes it visible.
template <bool Fixed>
__global__ void sum_in_last_block(const int* in, int* partial, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    if (Fixed) __threadfence();
    last = atomicAdd(&came, 1u) == gridDim.x - 1;
    if (Fixed) __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  int sum = 0;
  for (int k = 0; k < gridDim.x; ++k)
    sum += static_cast<volatile int*>(partial)[k];  // finds last_block: race
  *out = sum;
  came = 0;
}

// A counter in the upper half of a word that others update as a whole.
template <bool Fixed>
__global__ void two_sizes(unsigned long long* word) {
  if (threadIdx.x < 32)
    atomicAdd(word, 1ull);  // finds two_sizes: race
  else if (Fixed)
    atomicAdd(word, 1ull << 32);
  else
    atomicAdd(reinterpret_cast<unsigned*>(word) + 1, 1u);
}

// A value of 64 bits that another block waits for comes in two halves: it may see the first alone.
template <bool Fixed>
__global__ void hand_over(volatile unsigned long long* word, unsigned long long* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) {
    unsigned long long seen = 0;
    while (seen == 0) seen = *word;  // finds torn: race
    *out = seen;
  } else if (Fixed) {
    *word = 9ull << 32 | 7;
  } else {
    volatile unsigned* half = reinterpret_cast<volatile unsigned*>(word);
    half[0] = 7, half[1] = 9;
  }
}

// __syncthreads() orders one block; the others may have added already.
template <bool Fixed>
__global__ void set_and_add(const int* in, int* sum) {
  if (!Fixed && blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
  __syncthreads();
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // finds set_to_zero: race
}

template <bool Fixed>
__global__ void histogram(const unsigned char* in, int* bins) {
  const int bin = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (Fixed)
    atomicAdd(&bins[bin], 1);
  else
    bins[bin] += 1;  // finds histogram: race
}

// atomicAdd_block() is atomic for threads of one block only.
template <bool Fixed>
__global__ void count_all(int* count) {
  if (Fixed)
    atomicAdd(count, 1);
  else
    atomicAdd_block(count, 1);  // finds narrow_scope: race
}

// Blocks read what their neighbours overwrite.
template <bool Fixed>
__global__ void smooth(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) to[i] = 0.5f * (from[i] + from[i + 1]);  // finds in_place: race
}

template <bool Fixed>
__global__ void flag(int* data, int* ready, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> set(*ready);
  if (blockIdx.x == 0) {
    *data = 42;
    set.store(1, Fixed ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (set.load(Fixed ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    *out = *data;  // finds relaxed_flag: race
  }
}

// A copy that goes on by itself has arrived only when it has been waited for.
template <bool Fixed>
__global__ void copy_ahead(const int* in, int* out) {
  __shared__ int buffer[64];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], 4);  // finds pipeline: race
  __pipeline_commit();
  if (Fixed) __pipeline_wait_prior(0);
  out[threadIdx.x] = buffer[threadIdx.x];
}

// What one thread makes for all must be there before they use it.
template <bool Fixed>
__global__ void broadcast(const int* in, int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = in[0];
  if (Fixed) __syncthreads();
  out[threadIdx.x] = base + threadIdx.x;  // finds broadcast: race; finds broadcast: uninitialised
}

// Each warp appends to a list at a place that it takes without an atomic.
template <bool Fixed>
__global__ void append(int* list, int* length) {
  int at;
  if (Fixed) {
    at = atomicAdd(length, 1);
  } else {
    at = *length;
    *length = at + 1;  // finds append: race
  }
  list[at] = threadIdx.x;  // finds append: race
}

template <bool Fixed>
void tile() {
  tile_product<Fixed>
      <<<dim3(2, 2), dim3(kTile, kTile)>>>(zeros<float>(1024), zeros<float>(1024), zeros<float>(1024), 32);
}
template <bool Fixed>
void reduction() {
  reduce_block<Fixed><<<2, 128>>>(zeros<int>(256), zeros<int>(2));
}
template <bool Fixed>
void warp_reduction() {
  reduce_warp<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(1));
}
template <bool Fixed>
void last_block() {
  sum_in_last_block<Fixed><<<4, 32>>>(zeros<int>(4), zeros<int>(4), zeros<int>(1));
}
template <bool Fixed>
void set_to_zero() {
  set_and_add<Fixed><<<4, 64>>>(zeros<int>(256), zeros<int>(1));
}
template <bool Fixed>
void histogram_() {
  histogram<Fixed><<<4, 64>>>(zeros<unsigned char>(256), zeros<int>(256));
}
template <bool Fixed>
void narrow_scope() {
  count_all<Fixed><<<4, 64>>>(zeros<int>(1));
}
template <bool Fixed>
void in_place() {
  float* a = zeros<float>(256);
  smooth<Fixed><<<2, 128>>>(Fixed ? zeros<float>(256) : a, a, 256);
}
template <bool Fixed>
void relaxed_flag() {
  flag<Fixed><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1));
}
template <bool Fixed>
void pipeline() {
  copy_ahead<Fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}
template <bool Fixed>
void broadcast_() {
  broadcast<Fixed><<<1, 64>>>(zeros<int>(1), zeros<int>(64));
}
template <bool Fixed>
void sizes() {
  two_sizes<Fixed><<<1, 64>>>(zeros<unsigned long long>(1));
}
template <bool Fixed>
void torn() {
  hand_over<Fixed><<<2, 32>>>(zeros<unsigned long long>(1), zeros<unsigned long long>(1));
}
template <bool Fixed>
void append_() {
  append<Fixed><<<2, 64>>>(zeros<int>(256), zeros<int>(1));
}

int main(int argc, char** argv) {
#define BOTH(name, function) \
  {#name, function<false>}, { #name "_fixed", function < true> }
  const Case cases[] = {BOTH(tile, tile),
                        BOTH(reduction, reduction),
                        BOTH(warp_reduction, warp_reduction),
                        BOTH(last_block, last_block),
                        BOTH(histogram, histogram_),
                        BOTH(narrow_scope, narrow_scope),
                        BOTH(in_place, in_place),
                        BOTH(relaxed_flag, relaxed_flag),
                        BOTH(pipeline, pipeline),
                        BOTH(broadcast, broadcast_),
                        BOTH(append, append_),
                        BOTH(set_to_zero, set_to_zero),
                        BOTH(two_sizes, sizes),
                        BOTH(torn, torn)};
  return run_case(cases, argc, argv);
}
