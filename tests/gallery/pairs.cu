// Mistakes that were planted to try the checks, each with its fixed twin, for GPUs with clusters (sm_90):
// docs/gallery.md. A comment "finds" is as in races.cu.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "gallery.h"

namespace cg = cooperative_groups;

// __ffs counts from 1: the leader is the lane after it, which mostly belongs to another group.
template <bool Fixed>
__global__ void number_groups(const int* keys, int* sizes, int* places) {
  const int lane = threadIdx.x, key = (keys[lane] + lane) & 3;
  const unsigned group = __match_any_sync(~0u, key);
  const int leader = Fixed ? __ffs(group) - 1 : __ffs(group) & 31;
  int first = 0;
  if (lane == leader) first = atomicAdd(sizes + key, __popc(group));
  first = __shfl_sync(group, first, leader);
  places[lane] = first + __popc(group & ((1u << lane) - 1));  // finds other_group: uninitialised
}
template <bool Fixed>
void other_group() {
  number_groups<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(4), zeros<int>(32));
}

// The width of a shuffle is a power of two.
__global__ void sum_by_width(const int* in, int* out, int width) {
  int sum = in[threadIdx.x];
  for (int step = 4; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step, width);
  out[threadIdx.x] = sum;  // finds odd_width: uninitialised
}
template <bool Fixed>
void odd_width() {
  sum_by_width<<<1, 32>>>(zeros<int>(32), zeros<int>(32), hidden(Fixed ? 8 : 24));
}

// Only groups that were committed are waited for.
template <bool Fixed>
__global__ void copy_uncommitted(const int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, 4);  // finds no_commit: race
  if (Fixed) __pipeline_commit();
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
template <bool Fixed>
void no_commit() {
  copy_uncommitted<Fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}

// Only the first warp waits for what one thread copies in bulk.
template <bool Fixed>
__global__ void copy_in_bulk(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ alignas(8) unsigned long long came;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&came)),
                 to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to),
        "l"(in), "r"(bar)
        : "memory");
  }
  if (Fixed || threadIdx.x < 32)
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W;}" ::"r"(bar)
                 : "memory");
  out[threadIdx.x] =
      tile[63 - threadIdx.x] + 1;  // finds bulk_unwaited: race; finds bulk_unwaited: uninitialised
}
template <bool Fixed>
void bulk_unwaited() {
  copy_in_bulk<Fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
}

// Other blocks of the cluster add to a sum that its block sets to 0 at the same time.
template <bool Fixed>
__global__ void __cluster_dims__(2, 1, 1) sum_in_cluster(int* out) {
  __shared__ int total;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) total = 0;
  Fixed ? cluster.sync() : __syncthreads();
  atomicAdd(cluster.map_shared_rank(&total, 0), 1);  // finds cluster_unset: race
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) *out = total;
}
template <bool Fixed>
void cluster_unset() {
  sum_in_cluster<Fixed><<<2, 32>>>(zeros<int>(1));
}

// Between arriving and waiting nothing is known of the others.
template <bool Fixed>
__global__ void __cluster_dims__(2, 1, 1) read_neighbour(int* out) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  int got = 0;
  auto token = cluster.barrier_arrive();
  if (!Fixed) got = other[threadIdx.x];  // finds cluster_early: race
  cluster.barrier_wait(std::move(token));
  if (Fixed) got = other[threadIdx.x];
  out[blockIdx.x * 32 + threadIdx.x] = got + 1;  // finds cluster_early: uninitialised
  cluster.sync();
}
template <bool Fixed>
void cluster_early() {
  read_neighbour<Fixed><<<2, 32>>>(zeros<int>(64));
}

// A block ends while another reads its shared memory.
template <bool Fixed>
__global__ void __cluster_dims__(2, 1, 1) read_last(int* out) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  cluster.sync();
  if (cluster.block_rank() == 0)
    out[threadIdx.x] = cluster.map_shared_rank(mine, 1)[threadIdx.x];  // finds cluster_exit: race;
  // finds cluster_exit: read of another block's shared memory
  if (Fixed) cluster.sync();
}
template <bool Fixed>
void cluster_exit() {
  read_last<Fixed><<<2, 32>>>(zeros<int>(32));
}

template <bool Fixed>
__global__ void __cluster_dims__(2, 1, 1) read_next(int* out) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  cluster.sync();
  const int next = Fixed ? (cluster.block_rank() + 1) % 2 : cluster.block_rank() + 1;
  out[blockIdx.x * 32 + threadIdx.x] =
      cluster.map_shared_rank(mine, next)[threadIdx.x];  // finds beyond_cluster: no such block in the cluster
  cluster.sync();
}
template <bool Fixed>
void beyond_cluster() {
  read_next<Fixed><<<2, 32>>>(zeros<int>(64));
}

// Two buffers need one barrier in each round, but behind the use.
template <bool Fixed>
__global__ void two_buffers(const int* in, int* out, int rounds) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x;
  int sum = 0;
  tile[0][t] = in[t];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds) tile[(r + 1) & 1][t] = in[(r + 1) * 64 + t];
    if (!Fixed) __syncthreads();
    sum += tile[r & 1][63 - t];  // finds barrier_early: race
    if (Fixed) __syncthreads();
  }
  out[t] = sum;
}
template <bool Fixed>
void barrier_early() {
  two_buffers<Fixed><<<1, 64>>>(zeros<int>(256), zeros<int>(64), hidden(4));
}

__device__ unsigned ready = 0;
// The fence stands before the store that it should publish.
template <bool Fixed>
__global__ void sum_of_blocks(int* partial, int* out) {
  if (!Fixed) __threadfence();
  partial[blockIdx.x] = blockIdx.x;
  if (Fixed) __threadfence();
  if (atomicInc(&ready, gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // finds fence_first: race
  *out = sum;
}
template <bool Fixed>
void fence_first() {
  sum_of_blocks<Fixed><<<4, 1>>>(zeros<int>(4), zeros<int>(1));
}

// The head of a list is read before its lock is taken.
template <bool Fixed>
__global__ void insert(int* next, int* head, int* locks) {
  const int node = blockIdx.x * 32 + threadIdx.x, list = node % 5;
  int old = Fixed ? 0 : head[list];
  for (bool done = false; !done;)
    if (atomicCAS(locks + list, 0, 1) == 0) {
      __threadfence();
      if (Fixed) old = head[list];
      next[node] = old;
      head[list] = node;  // finds read_unlocked: race
      __threadfence();
      atomicExch(locks + list, 0);
      done = true;
    }
}
template <bool Fixed>
void read_unlocked() {
  insert<Fixed><<<2, 32>>>(zeros<int>(64), zeros<int>(5), zeros<int>(5));
}

// Four edges of the halo are loaded, but not its corners, which a stencil of nine points reads.
template <bool Fixed>
__global__ void nine_points(const float* in, float* out, int width) {
  __shared__ float tile[10][10];
  const int x = threadIdx.x, y = threadIdx.y;
  const bool corner = (x == 0 || x == 9) && (y == 0 || y == 9);
  if (Fixed || !corner) tile[y][x] = in[y * width + x];
  __syncthreads();
  if (x < 1 || x > 8 || y < 1 || y > 8) return;
  float sum = 0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) sum += tile[y + i][x + j];
  out[y * width + x] = sum;  // finds corners: uninitialised
}
template <bool Fixed>
void corners() {
  nine_points<Fixed><<<1, dim3(10, 10)>>>(zeros<float>(100), zeros<float>(100), 10);
}

template <bool Fixed>
__global__ void sum_half(const int* in, int* out) {
  const unsigned mask = !Fixed || threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
  out[threadIdx.x] = __reduce_add_sync(mask, in[threadIdx.x]);  // finds foreign_mask: mask
}
template <bool Fixed>
void foreign_mask() {
  sum_half<Fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32));
}

// A volatile flag in shared memory announces data without a fence.
template <bool Fixed>
__global__ void hand_over(const int* in, int* out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {
    data[t] = in[t];
    if (Fixed) __threadfence_block();
    __syncwarp();
    if (t == 0) flag = 1;
  } else {
    while (!flag) {
    }
    if (Fixed) __threadfence_block();
    out[t - 32] = data[63 - t];  // finds volatile_flag: race
  }
}
template <bool Fixed>
void volatile_flag() {
  hand_over<Fixed><<<1, 64>>>(zeros<int>(32), zeros<int>(32));
}

// Who waits for a flag by an atomic must fence, too.
template <bool Fixed>
__global__ void receive(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    if (Fixed) __threadfence();
    *out = *data;  // finds receiver: race
  }
}
template <bool Fixed>
void receiver() {
  receive<Fixed><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1));
}

// store_matrix_sync is no barrier for the lanes' memory.
template <bool Fixed>
__global__ void doubled(const half* in, float* out) {
  __shared__ float tile[256];
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.f);
  wmma::load_matrix_sync(a, in, 16);
  wmma::load_matrix_sync(b, in, 16);
  wmma::mma_sync(sums, a, b, sums);
  wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
  if (Fixed) __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) out[i] = 2 * tile[255 - i];  // finds matrix_read: race
}
template <bool Fixed>
void matrix_read() {
  doubled<Fixed><<<1, 32>>>(zeros<half>(256), zeros<float>(256));
}

extern __shared__ char parts[];
// Doubles behind an odd number of integers.
template <bool Fixed>
__global__ void two_parts(double* out, int count) {
  const int bytes = count * sizeof(int);
  auto* doubles = reinterpret_cast<double*>(parts + (Fixed ? (bytes + 7) / 8 * 8 : bytes));
  doubles[threadIdx.x] = threadIdx.x;  // finds odd_doubles: misaligned write
  out[threadIdx.x] = doubles[threadIdx.x];
}
template <bool Fixed>
void odd_doubles() {
  two_parts<Fixed><<<1, 32, 512>>>(zeros<double>(32), hidden(33));
}

// Rows of 66 numbers do not all begin at a multiple of 16 bytes.
template <bool Fixed>
__global__ void by_fours(const float* in, float* out, int width) {
  const float* row = in + blockIdx.x * width;
  float sum = 0;
  if (Fixed) {
    for (int j = 0; j < 4; ++j) sum += row[4 * threadIdx.x + j];
  } else {
    const float4 four = reinterpret_cast<const float4*>(row)[threadIdx.x];  // finds odd_rows: misaligned read
    sum = four.x + four.y + four.z + four.w;
  }
  out[blockIdx.x * 16 + threadIdx.x] = sum;
}
template <bool Fixed>
void odd_rows() {
  by_fours<Fixed><<<2, 16>>>(zeros<float>(132), zeros<float>(32), hidden(66));
}

__device__ __noinline__ int length(const int* next, int node) {
  int here[16];
  here[node & 15] = node;
  return (next[node] < 0 ? 0 : length(next, next[node])) + here[node & 15];  // finds too_deep: stack overflow
}
__global__ void follow(int* next, int count, int* out) {
  for (int i = 0; i < count; ++i) next[i] = i + 1 < count ? i + 1 : -1;
  *out = length(next, 0);
}
template <bool Fixed>
void too_deep() {
  follow<<<1, 1>>>(zeros<int>(2000), hidden(Fixed ? 8 : 2000), zeros<int>(1));
}

// The heap of kernels is too small for it.
template <bool Fixed>
__global__ void take(size_t bytes, int* out) {
  auto* mine = static_cast<int*>(malloc(bytes));
  if (Fixed && !mine) return;
  *mine = 1;  // finds no_memory: out-of-bounds write
  *out = *mine;
  free(mine);
}
template <bool Fixed>
void no_memory() {
  take<Fixed><<<1, 1>>>(size_t{1} << 30, zeros<int>(1));
}

// free() takes what malloc() gave in a kernel, not what cudaMalloc() gave.
template <bool Fixed>
__global__ void give_back(int* array, int* out) {
  auto* mine = static_cast<int*>(malloc(64));
  if (!mine) return;
  *mine = *array;
  *out = *mine;
  free(Fixed ? mine : array);  // finds wrong_free: invalid free
  if (!Fixed) free(mine);
}
template <bool Fixed>
void wrong_free() {
  give_back<Fixed><<<1, 1>>>(zeros<int>(1), zeros<int>(1));
}

template <bool Fixed>
__global__ void print(const int* values) {
  if (Fixed)
    printf("%f\n", static_cast<double>(*values));
  else
    printf("%f\n", *values);  // finds float_format: uninitialised
}
template <bool Fixed>
void float_format() {
  print<Fixed><<<1, 1>>>(zeros<int>(1));
}

// The index of the largest element is stored beside the largest element, not with it.
template <bool Fixed>
__global__ void largest(const int* in, int* best, int* where) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (Fixed)
    atomicMax(reinterpret_cast<unsigned long long*>(best), static_cast<unsigned long long>(in[i]) << 32 | i);
  else if (atomicMax(best, in[i]) <= in[i])
    *where = i;  // finds two_words: race
}
template <bool Fixed>
void two_words() {
  int* both = zeros<int>(2);
  largest<Fixed><<<2, 32>>>(zeros<int>(64), both, both + 1);
}

// A row ends before the next begins.
template <bool Fixed>
__global__ void row_sums(const int* rows, const int* values, int* out) {
  int sum = 0;
  for (int j = rows[threadIdx.x]; Fixed ? j < rows[threadIdx.x + 1] : j <= rows[threadIdx.x + 1]; ++j)
    sum += values[j];  // finds row_end: out-of-bounds read
  out[threadIdx.x] = sum;
}
template <bool Fixed>
void row_end() {
  int host[33], *rows = zeros<int>(33);
  for (int i = 0; i < 33; ++i) host[i] = 2 * i;
  cudaMemcpy(rows, host, sizeof host, cudaMemcpyHostToDevice);
  row_sums<Fixed><<<1, 32>>>(rows, zeros<int>(64), zeros<int>(32));
}

__global__ void fill(int* a) { a[threadIdx.x] = threadIdx.x; }  // finds capture_edge: race
__global__ void reverse(const int* a, int* out) { out[threadIdx.x] = a[63 - threadIdx.x]; }
// In a capture, too, the second stream waits for what stands before the event only.
template <bool Fixed>
void capture_edge() {
  int *a = zeros<int>(64), *out = zeros<int>(64);
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  if (!Fixed) cudaEventRecord(fork, first);
  fill<<<1, 64, 0, first>>>(a);
  if (Fixed) cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  reverse<<<1, 64, 0, second>>>(a, out);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join, 0);
  cudaGraph_t graph;
  cudaStreamEndCapture(first, &graph);
  cudaGraphExec_t made;
  cudaGraphInstantiate(&made, graph, 0);
  cudaGraphLaunch(made, first);
  cudaStreamSynchronize(first);
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {
      BOTH(other_group),   BOTH(odd_width),    BOTH(no_commit),      BOTH(bulk_unwaited), BOTH(cluster_unset),
      BOTH(cluster_early), BOTH(cluster_exit), BOTH(beyond_cluster), BOTH(barrier_early), BOTH(fence_first),
      BOTH(read_unlocked), BOTH(corners),      BOTH(foreign_mask),   BOTH(volatile_flag), BOTH(receiver),
      BOTH(matrix_read),   BOTH(odd_doubles),  BOTH(odd_rows),       BOTH(too_deep),      BOTH(no_memory),
      BOTH(wrong_free),    BOTH(float_format), BOTH(two_words),      BOTH(row_end),       BOTH(capture_edge)};
  return run_case(cases, argc, argv);
}
