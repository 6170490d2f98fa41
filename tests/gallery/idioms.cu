// Mistakes in idioms that programs use every day, each with its fixed twin: docs/gallery.md. A comment
// "finds" with the case and the kind stands at a line that `warpwright check` must name, or at the call of
// the host; CASE_fixed must be clean.
#include <cooperative_groups.h>
#include <mma.h>

#include <cuda/pipeline>

#include "gallery.h"

namespace cg = cooperative_groups;

// One lane of a warp takes places for all: the others must ask that lane, not the one behind it.
template <bool Fixed>
__global__ void append_together(const int* in, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] < 0) return;
  const unsigned mask = __activemask();
  const int lane = threadIdx.x % 32, first = __ffs(mask) - 1;
  int base = 0;
  if (lane == first) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(mask, base, Fixed ? first : first + 1);  // finds leader: uninitialised
  out[base + __popc(mask & ((1u << lane) - 1))] = in[i];      // finds leader: race
}
// A stage of the pipeline is given back before it was read.
template <bool Fixed>
__global__ void staged(const int* in, int* out, int n) {
  __shared__ int stage[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int k = 0; k <= n; ++k) {
    if (k < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[k % 2], in + 64 * k, 256, pipe);  // finds released: race
      pipe.producer_commit();
    }
    if (k == 0) continue;
    pipe.consumer_wait();
    if (!Fixed) pipe.consumer_release();
    sum += stage[(k - 1) % 2][63 - threadIdx.x];  // finds released: race
    if (Fixed) pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
// A ring between two warps, with volatile counters and no fence between them and the data.
template <bool Fixed>
__global__ void ring(int* out, int n) {
  __shared__ int data[4];
  __shared__ volatile int head, tail;
  if (threadIdx.x == 0) head = tail = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 0; k < n; ++k) {
      while (head - tail >= 4) {
      }
      if (Fixed) __threadfence_block();
      data[k % 4] = k * k;  // finds volatile_ring: race
      if (Fixed) __threadfence_block();
      head = k + 1;
    }
  if (threadIdx.x == 32)
    for (int k = 0; k < n; ++k) {
      while (head <= k) {
      }
      if (Fixed) __threadfence_block();
      out[k] = data[k % 4];  // finds volatile_ring: race
      if (Fixed) __threadfence_block();
      tail = k + 1;
    }
}
// Each block moves something from one account to the next, each of which has a lock. In most runs one block
// is done before the next has got a lock.
__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1)) {  // finds lock_order: lock order
  }
  __threadfence();
}
__device__ void give_back(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}
template <bool Fixed>
__global__ void transfer(int* locks, int* accounts, int n) {
  const int from = blockIdx.x, to = (from + 1) % n;
  int *first = locks + (Fixed ? min(from, to) : from), *second = locks + (Fixed ? max(from, to) : to);
  take(first);
  take(second);
  accounts[from] -= 1;
  accounts[to] += 1;
  give_back(second);
  give_back(first);
}
// A lock whose first holder makes no fence behind taking it: only in another order of the blocks does he read
// what is old.
template <bool Fixed>
__global__ void under_lock(int* lock, int* sum) {
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1)) {
  }
  if (Fixed || blockIdx.x) __threadfence();
  sum[0] += blockIdx.x;  // finds first_lock: race
  __threadfence();
  atomicExch(lock, 0);
}
// Whose turn it is: each writes what it has waited for, so that the stores are in order.
__global__ void by_ticket(unsigned* next, volatile unsigned* serving, int* sum) {
  if (threadIdx.x) return;
  const unsigned mine = atomicAdd(next, 1);
  while (*serving != mine) {
  }
  __threadfence();
  sum[0] += 1;
  __threadfence();
  *serving = mine + 1;
}
// All store the same constant: benign, and only told when asked for (--check benign).
__global__ void any_negative(const int* in, int* found) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] <= 0) *found = 1;
}
// A stride that is a block too short: some elements are worked on twice.
template <bool Fixed>
__global__ void grid_stride(float* p, int n) {
  const int stride = blockDim.x * (Fixed ? gridDim.x : gridDim.x - 1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    p[i] = p[i] * 2 + 1;  // finds short_stride: race
}
// A structure that was not filled wholly is copied as a whole, with its padding: only what is used of it
// counts.
struct Mixed {
  char c;
  int i;
  short s;
  double d;
};
template <bool Fixed>
__global__ void fields(Mixed* out, double* sums) {
  __shared__ Mixed all[64];
  Mixed& mine = all[threadIdx.x];
  mine.c = 1, mine.i = 2, mine.d = 4;
  if (Fixed) mine.s = 3;
  __syncthreads();
  const Mixed x = all[63 - threadIdx.x];  // finds unset_field: uninitialised
  out[threadIdx.x] = x;
  sums[threadIdx.x] = x.c + x.i + x.s + x.d;  // finds unset_field: uninitialised
}
// The second warp of 48 threads has 16 lanes: what comes from the others is no number.
template <bool Fixed>
__global__ void short_warp(const int* in, int* out) {
  int v = in[threadIdx.x];
  const unsigned mask = __activemask();
  for (int distance = 16; distance; distance /= 2) {
    const int other = __shfl_down_sync(mask, v, distance);  // finds part_warp: uninitialised
    if (!Fixed || static_cast<int>(threadIdx.x) % 32 + distance < __popc(mask)) v += other;
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;  // finds part_warp: uninitialised
}
// Dynamic shared memory cut into an array with a halo and one that begins too early.
template <bool Fixed>
__global__ void halo_and_more(const int* in, int* out, int n) {
  extern __shared__ int pool[];
  int *a = pool, *b = pool + n + (Fixed ? 2 : 0);
  const int t = threadIdx.x;
  a[t + 1] = in[t];  // finds halo_parts: race
  if (t == 0) a[0] = 0;
  if (t == n - 1) a[n + 1] = 7;  // finds halo_parts: race
  b[t] = 10 + t;                 // finds halo_parts: race
  __syncthreads();
  out[t] = a[t] + a[t + 2] + b[t];
}
// A double is updated by compare-and-swap, as NVIDIA's guide has it: the first, plain read is checked by the
// swap.
template <bool Fixed>
__global__ void add_double(double* sum) {
  auto* word = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long old = *word, assumed;  // finds no_swap: race
  if (!Fixed) {
    *sum = 1 + __longlong_as_double(old);  // finds no_swap: race
    return;
  }
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(1 + __longlong_as_double(assumed)));
  } while (assumed != old);
}
// An index that leaves one local array for the other.
template <bool Fixed>
__global__ void sorted(const float* in, float* out, int n) {
  float key[8];
  int index[8];
  for (int k = 0; k < 8; ++k) key[k] = in[k], index[k] = k;
  for (int k = 1; k < 8; ++k)
    for (int j = k; j > 0 && key[j - 1] > key[j]; --j) {
      const float x = key[j];
      key[j] = key[j - 1], key[j - 1] = x;
      const int y = index[j];
      index[j] = index[j - 1], index[j - 1] = y;
    }
  const int at = Fixed ? n % 8 : n;
  out[0] = key[at] + index[7 - n % 8];  // finds local_neighbour: array
}
// A surface whose first coordinate counts bytes.
template <bool Fixed>
__global__ void columns(cudaSurfaceObject_t surface, int width) {
  const int x = threadIdx.x;
  surf2Dwrite(x, surface, (Fixed ? x : x + width - 8) * 4,
              0);  // finds surface_edge: out-of-bounds surface write
  surf2Dwrite(x, surface, (Fixed ? x : x + width - 4) * 4,
              1);  // finds surface_edge: out-of-bounds surface write
}

// A filter whose result goes into the surface that it reads.
template <bool Fixed>
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x, y = blockIdx.x;
  const int left = surf2Dread<int>(from, (x > 0 ? x - 1 : 0) * 4, y);  // finds surface_in_place: race
  surf2Dwrite((left + surf2Dread<int>(from, x * 4, y)) / 2, Fixed ? to : from, x * 4, y);
}
// Through a texture a thread may read what no other one changes: its own element, though not its neighbour's.
template <bool Fixed>
__global__ void mirror(cudaTextureObject_t in, int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = tex1Dfetch<int>(in, Fixed ? i : n - 1 - i) + 1;  // finds texture_in_place: race
}
// The accumulators of a matrix product begin as what lies in the registers.
template <bool Fixed>
__global__ void product(const half* in, float* out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  if (Fixed) wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(a, in, 16);
  wmma::load_matrix_sync(b, in, 16);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);  // finds unset_sums: uninitialised
}
// A picture of which one row was not copied, read through a texture.
__global__ void brighten(cudaTextureObject_t in, float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[32 * y + x] = 2 * tex2D<float>(in, x + .5f, y + .5f);  // finds unset_texels: uninitialised
}
// The same with gathers of four texels; of the two last rows none was copied.
__global__ void gather(cudaTextureObject_t in, float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  const float4 four = tex2Dgather<float4>(in, x + .5f, y + .5f);
  out[32 * y + x] = four.x + four.y + four.z + four.w;  // finds unset_gather: uninitialised
}
// A table of places, of which one is missing, says which texels are read.
template <bool Fixed>
__global__ void look_up(cudaTextureObject_t in, int n, int* out) {
  __shared__ int place[64];
  const int i = threadIdx.x;
  if (Fixed || i < n) place[i] = 63 - i;
  __syncthreads();
  out[i] = tex1Dfetch<int>(in, place[i] & 63);  // finds unset_place: uninitialised
}
// A surface is filled by one kernel, but for its last row, and read by the next.
template <bool Fixed>
__global__ void fill(cudaSurfaceObject_t to) {
  if (Fixed || blockIdx.x + 1 < gridDim.x) surf2Dwrite(int(threadIdx.x), to, threadIdx.x * 4, blockIdx.x);
}
__global__ void add_rows(cudaSurfaceObject_t in, int* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[64 * y + x] = surf2Dread<int>(in, x * 4, y) + 1;  // finds unset_row: uninitialised
}

// What sust.p converts was never set.
__global__ void fill_converted(cudaSurfaceObject_t to, const int* from) {
  const int x = threadIdx.x, y = blockIdx.x;
  asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(to), "r"(x), "r"(y), "r"(from[64 * y + x])
               : "memory");
}
__global__ void add_converted(cudaSurfaceObject_t in, int* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[64 * y + x] = surf2Dread<int>(in, x * 4, y) + 1;  // finds unset_texel: uninitialised
}

template <bool Fixed>
void leader() {
  int values[256];
  for (int k = 0; k < 256; ++k) values[k] = k % 3 == 1 ? -1 : k;
  int *in = zeros<int>(256), *out = zeros<int>(256), *count = zeros<int>(1);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  append_together<Fixed><<<2, 128>>>(in, 256, out, count);
}
template <bool Fixed>
void released() {
  staged<Fixed><<<1, 64>>>(zeros<int>(512), zeros<int>(64), 8);
}
template <bool Fixed>
void volatile_ring() {
  ring<Fixed><<<1, 64>>>(zeros<int>(64), 64);
}
template <bool Fixed>
void lock_order() {
  transfer<Fixed><<<3, 1>>>(zeros<int>(3), zeros<int>(3), hidden(3));
}
template <bool Fixed>
void first_lock() {
  under_lock<Fixed><<<6, 32>>>(zeros<int>(1), zeros<int>(1));
}
void tickets() { by_ticket<<<4, 32>>>(zeros<unsigned>(1), zeros<unsigned>(1), zeros<int>(1)); }
void same_flag() { any_negative<<<2, 64>>>(zeros<int>(128), zeros<int>(1)); }
template <bool Fixed>
void short_stride() {
  grid_stride<Fixed><<<4, 128>>>(zeros<float>(4096), 4096);
}
template <bool Fixed>
void unset_field() {
  Mixed *made, *copied, there[64];
  cudaMalloc(&made, sizeof there), cudaMalloc(&copied, sizeof there);
  fields<Fixed><<<1, 64>>>(made, zeros<double>(64));
  cudaMemcpy(copied, made, sizeof there, cudaMemcpyDeviceToDevice);
  cudaMemcpy(there, copied, sizeof there, cudaMemcpyDeviceToHost);
}
template <bool Fixed>
void part_warp() {
  short_warp<Fixed><<<1, 48>>>(zeros<int>(64), zeros<int>(2));
}
template <bool Fixed>
void halo_parts() {
  halo_and_more<Fixed><<<1, 64, 65 * 8>>>(zeros<int>(64), zeros<int>(64), 64);
}
template <bool Fixed>
void no_swap() {
  add_double<Fixed><<<2, 64>>>(zeros<double>(1));
}
template <bool Fixed>
void local_neighbour() {
  sorted<Fixed><<<1, 1>>>(zeros<float>(8), zeros<float>(1), hidden(9));
}
template <bool Fixed>
void surface_edge() {
  cudaArray_t array;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &ints, 64, 2, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  columns<Fixed><<<1, 32>>>(surface, 64);
  cudaDeviceSynchronize();
}

cudaSurfaceObject_t surface_of_ints(bool set = true) {
  cudaArray_t array;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &ints, 64, 4, cudaArraySurfaceLoadStore);
  const int zero[64 * 4] = {};
  if (set) cudaMemcpy2DToArray(array, 0, 0, zero, 256, 256, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}
template <bool Fixed>
void surface_in_place() {
  blur<Fixed><<<4, 64>>>(surface_of_ints(), surface_of_ints());
}
cudaTextureObject_t texture_of(const cudaResourceDesc& resource) {
  const cudaTextureDesc as_they_are = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &as_they_are, nullptr);
  return texture;
}
cudaTextureObject_t texture_of_ints(int* data, size_t count) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = count * sizeof(int);
  return texture_of(resource);
}
template <bool Fixed>
void texture_in_place() {
  int* data = zeros<int>(128);
  mirror<Fixed><<<2, 64>>>(texture_of_ints(data, 128), data);
}
template <bool Fixed>
void unset_texels() {
  static float picture[16][32];
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMallocArray(&resource.res.array.array, &floats, 32, 16);
  cudaMemcpy2DToArray(resource.res.array.array, 0, 0, picture, 128, 128, Fixed ? 16 : 15,
                      cudaMemcpyHostToDevice);
  brighten<<<16, 32>>>(texture_of(resource), zeros<float>(512));
}
template <bool Fixed>
void unset_gather() {
  static float picture[16][32];
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMallocArray(&resource.res.array.array, &floats, 32, 16, cudaArrayTextureGather);
  cudaMemcpy2DToArray(resource.res.array.array, 0, 0, picture, 128, 128, Fixed ? 16 : 14,
                      cudaMemcpyHostToDevice);
  gather<<<16, 32>>>(texture_of(resource), zeros<float>(512));
}
template <bool Fixed>
void unset_place() {
  look_up<Fixed><<<1, 64>>>(texture_of_ints(zeros<int>(64), 64), hidden(63), zeros<int>(64));
}
template <bool Fixed>
void unset_row() {
  const cudaSurfaceObject_t surface = surface_of_ints(false);
  fill<Fixed><<<4, 64>>>(surface);
  add_rows<<<4, 64>>>(surface, zeros<int>(256));
}
template <bool Fixed>
void unset_texel() {
  const cudaSurfaceObject_t surface = surface_of_ints(false);
  int* from;
  cudaMalloc(&from, 1024);
  fill_converted<<<4, 64>>>(surface, Fixed ? zeros<int>(256) : from);
  add_converted<<<4, 64>>>(surface, zeros<int>(256));
}
template <bool Fixed>
void unset_sums() {
  product<Fixed><<<1, 32>>>(zeros<half>(256), zeros<float>(256));
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {BOTH(leader),
                        BOTH(released),
                        BOTH(volatile_ring),
                        BOTH(short_stride),
                        BOTH(unset_field),
                        BOTH(part_warp),
                        BOTH(halo_parts),
                        BOTH(no_swap),
                        BOTH(lock_order),
                        BOTH(first_lock),
                        BOTH(local_neighbour),
                        BOTH(surface_edge),
                        BOTH(surface_in_place),
                        BOTH(texture_in_place),
                        BOTH(unset_sums),
                        BOTH(unset_texels),
                        BOTH(unset_gather),
                        BOTH(unset_place),
                        BOTH(unset_row),
                        BOTH(unset_texel),
                        {"tickets_fixed", tickets},
                        {"same_flag_fixed", same_flag}};
  return run_case(cases, argc, argv);
}
