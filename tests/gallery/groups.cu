// Mistakes with cooperative groups, barriers, pipelines and atomics of libcu++, each with its fixed twin:
// docs/gallery.md. A comment "finds" with the case and the kind stands at a line that `warpwright check` must
// name; CASE_fixed must be clean.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "gallery.h"

namespace cg = cooperative_groups;

// Each block needs what other blocks wrote, and waits for its own threads only.
template <bool Fixed>
__global__ void phases(int* a, int* out, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  a[i] = i;  // finds grid_phases: race
  if (Fixed)
    grid.sync();
  else
    __syncthreads();
  out[i] = a[(i + 100) % n];  // finds grid_phases: race
}
// A tile of 16 lanes hands values on through shared memory.
template <bool Fixed>
__global__ void tile_of_16(int* out) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = threadIdx.x;  // finds tile_sync: race
  if (Fixed) tile.sync();
  out[threadIdx.x] = s[(threadIdx.x & ~15) + (tile.thread_rank() + 1) % 16];  // finds tile_sync: race
}
// The warp waits for itself, and reads what another warp writes.
template <bool Fixed>
__global__ void narrow(int* out) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  s[block.thread_rank()] = threadIdx.x;  // finds narrow_group: race
  if (Fixed)
    block.sync();
  else
    tile.sync();
  out[threadIdx.x] = s[(threadIdx.x + 32) % 128];  // finds narrow_group: race
}
// The threads of a divergent branch read their neighbours' results.
template <bool Fixed>
__global__ void coalesced(int* out) {
  __shared__ int s[32];
  if (threadIdx.x & 1) {
    auto group = cg::coalesced_threads();
    s[group.thread_rank()] = threadIdx.x;  // finds branch_group: race
    if (Fixed) group.sync();
    out[threadIdx.x] = s[(group.thread_rank() + 1) % group.size()];  // finds branch_group: race
  }
}
// Arriving is not waiting.
template <bool Fixed>
__global__ void arrive(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;  // finds arrive_only: race
  auto token = barrier.arrive();
  if (Fixed) barrier.wait(std::move(token));
  out[threadIdx.x] = s[63 - threadIdx.x];  // finds arrive_only: race
  if (!Fixed) barrier.wait(std::move(token));
}
// Others must not come to a barrier before it is initialised.
template <bool Fixed>
__global__ void made(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int value;
  if (threadIdx.x == 0) {
    init(&barrier, 64);
    value = 5;
  }
  if (Fixed) __syncthreads();
  barrier.arrive_and_wait();  // finds barrier_made: race
  out[threadIdx.x] = value;
}
// The tile is filled again, round after round, while others still add it up.
template <bool Fixed>
__global__ void rounds(const int* in, int* out, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    s[threadIdx.x] = in[k * 64 + threadIdx.x];
    barrier.arrive_and_wait();
    sum += s[(threadIdx.x + 33) % 64];  // finds barrier_rounds: race
    if (Fixed) barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}
// A thread has waited for its own copy, not for those of the others.
template <bool Fixed>
__global__ void copies(const int* in, int* out) {
  __shared__ int s[64];
  auto pipe = cuda::make_pipeline();
  const int i = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[i], in + i, sizeof(int), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  if (Fixed) __syncthreads();
  out[i] = s[63 - i];  // finds others_copies: race
  pipe.consumer_release();
}
// All have arrived and met at another barrier, but nobody has waited for the one that the copies complete.
template <bool Fixed>
__global__ void tracked(const int* in, int* out) {
  __shared__ int s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), s, in, sizeof s, bar);  // finds sync_for_wait: race
  auto token = bar.arrive();
  if (Fixed)
    bar.wait(std::move(token));
  else
    __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];  // finds sync_for_wait: race
}
// Two stages of a pipeline, and a wait that leaves both in flight.
template <bool Fixed>
__global__ void stages(const int* in, int* out, int n) {
  __shared__ int s[2][64];
  auto pipe = cuda::make_pipeline();
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k <= n; ++k) {
    pipe.producer_acquire();
    if (k < n) cuda::memcpy_async(&s[k & 1][i], in + k * 64 + i, sizeof(int), pipe);
    pipe.producer_commit();
    if (k == 0) continue;
    cuda::pipeline_consumer_wait_prior<Fixed ? 1 : 2>(pipe);
    sum += s[(k - 1) & 1][i];  // finds wait_prior: race
    pipe.consumer_release();
  }
  out[i] = sum;
}
// The lock is given back without saying what was done under it.
template <bool Fixed>
__global__ void locked(int* lock, int* data) {
  cuda::atomic_ref<int, cuda::thread_scope_device> taken(*lock);
  if (threadIdx.x) return;
  while (taken.exchange(1, cuda::memory_order_acquire))
    ;
  *data += 1;  // finds relaxed_unlock: race
  taken.store(0, Fixed ? cuda::memory_order_release : cuda::memory_order_relaxed);
}

// A barrier that waits for more threads than there are. Who waits looks at the clock now and then.
template <bool Fixed>
__global__ void expects(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, Fixed ? blockDim.x : blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();  // finds too_many_expected: mbarrier deadlock
  out[threadIdx.x] = 1;
}

template <bool Fixed>
void grid_phases() {
  int n = 256, *a = zeros<int>(n), *out = zeros<int>(n);
  void* arguments[] = {&a, &out, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(phases<Fixed>), dim3(4), dim3(64), arguments, 0, 0);
}
template <bool Fixed>
void tile_sync() {
  tile_of_16<Fixed><<<1, 64>>>(zeros<int>(64));
}
template <bool Fixed>
void narrow_group() {
  narrow<Fixed><<<1, 128>>>(zeros<int>(128));
}
template <bool Fixed>
void branch_group() {
  coalesced<Fixed><<<1, 32>>>(zeros<int>(32));
}
template <bool Fixed>
void arrive_only() {
  arrive<Fixed><<<1, 64>>>(zeros<int>(64));
}
template <bool Fixed>
void barrier_made() {
  made<Fixed><<<1, 64>>>(zeros<int>(64));
}
template <bool Fixed>
void barrier_rounds() {
  rounds<Fixed><<<1, 64>>>(zeros<int>(64 * 4), zeros<int>(64), hidden(4));
}
template <bool Fixed>
void others_copies() {
  copies<Fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}
template <bool Fixed>
void sync_for_wait() {
  tracked<Fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}
template <bool Fixed>
void wait_prior() {
  stages<Fixed><<<1, 64>>>(zeros<int>(64 * 4), zeros<int>(64), hidden(4));
}
template <bool Fixed>
void too_many_expected() {
  expects<Fixed><<<1, 64>>>(zeros<int>(64));
}
template <bool Fixed>
void relaxed_unlock() {
  locked<Fixed><<<8, 32>>>(zeros<int>(1), zeros<int>(1));
}

#define CASE(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
int main(int argc, char** argv) {
  const Case cases[] = {CASE(grid_phases),    CASE(tile_sync),         CASE(narrow_group),
                        CASE(branch_group),   CASE(arrive_only),       CASE(barrier_made),
                        CASE(barrier_rounds), CASE(others_copies),     CASE(wait_prior),
                        CASE(relaxed_unlock), CASE(too_many_expected), CASE(sync_for_wait)};
  return run_case(cases, argc, argv);
}
