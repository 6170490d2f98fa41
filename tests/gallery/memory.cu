// Classic mistakes with memory, each with its fixed twin: docs/gallery.md. A comment "finds" with the case
// and the kind stands at a line that `warpwright check` must name, or at the call of the host; CASE_fixed
// must be clean.
#include <cstdlib>

#include "gallery.h"

// A 32-bit product that is too large for 32 bits becomes negative, and then an address.
template <bool Fixed>
__global__ void matrix_element(const float* a, int row, int columns, float* out) {
  *out = Fixed ? a[static_cast<long long>(row) * columns % 1000]
               : a[row * columns];  // finds wrapped: out-of-bounds read; finds wrapped: index overflow
}
// Here it wraps into the allocation: nothing is out of bounds, and the element is a wrong one.
template <bool Fixed>
__global__ void wrapped_inside(const int* a, unsigned row, unsigned columns, int* out) {
  *out = Fixed ? a[static_cast<unsigned long long>(row) * columns % 64]
               : a[row * columns];  // finds wrapped_inside: index overflow
}
// The address of a local variable means another one in each thread.
template <bool Fixed>
__global__ void share_local(int* out, int n) {
  __shared__ int* where;
  __shared__ int value;
  int own[8];
  for (int k = 0; k < 8; ++k) own[(k + n) % 8] = threadIdx.x + k;
  if (threadIdx.x == 0) {
    where = own;  // finds others_local: another thread's local memory
    value = own[n];
  }
  __syncthreads();
  out[threadIdx.x] = Fixed ? value : where[n];  // finds others_local: another thread's local memory
}
// The address of a local array outlives its function.
__device__ __noinline__ int* own_array(int n) {
  int own[4];
  for (int k = 0; k < 4; ++k) own[(k + n) % 4] = k;
  int* p = own;
  asm volatile("" : "+l"(p));
  return p;
}
__device__ __noinline__ void fill_array(int* p, int n) {
  for (int k = 0; k < 4; ++k) p[(k + n) % 4] = k;
}
template <bool Fixed>
__global__ void use_array(int* out, int n) {
  int mine[4], *p = mine;
  if (Fixed)
    fill_array(p, n);
  else
    p = own_array(n);
  out[threadIdx.x] = p[n];  // finds returned: dangling local
}
__constant__ int table[32];
__global__ void write_constant(int* p, int v) {
  p[threadIdx.x] = v;  // finds constant: write to constant memory
}

template <bool Fixed>
__global__ void beyond(int* p, int n) {
  const int i = threadIdx.x;
  if (Fixed ? i < n : i <= n) p[i] = i;  // finds off_by_one: out-of-bounds write
}
template <bool Fixed>
__global__ void shift(int* p) {
  const int i = threadIdx.x;
  p[i] = 0;
  __syncthreads();
  if (!Fixed || i > 0) p[i] = p[i - 1] > 100 ? 1 : 2;  // finds before_first: out-of-bounds read
}
template <bool Fixed>
__global__ void shared_neighbour(int* out, int n) {
  __shared__ int one[32];
  __shared__ int two[32];
  one[threadIdx.x] = threadIdx.x;
  two[threadIdx.x] = 100 + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] =
      one[min(threadIdx.x + n, Fixed ? 31 : 63)] + two[31 - threadIdx.x];  // finds shared_neighbour: array
}
__constant__ int weights[8];
__constant__ int offsets[8];
template <bool Fixed>
__global__ void constant_neighbour(int* out, int n) {
  int sum = offsets[threadIdx.x];
  for (int k = 0; Fixed ? k < n : k <= n; ++k) sum += weights[k];  // finds constant_neighbour: array
  out[threadIdx.x] = sum;
}
template <bool Fixed>
__global__ void pairs(const int* p, int2* out) {
  out[threadIdx.x] =
      *reinterpret_cast<const int2*>(p + (Fixed ? 2 : 1));  // finds misaligned: misaligned read
}
template <bool Fixed>
__global__ void heap(int* out) {
  int* p = static_cast<int*>(malloc(64));
  p[0] = threadIdx.x;
  out[threadIdx.x] = p[0];
  if (Fixed) free(p);
}
template <bool Fixed>
__global__ void say(int* p) {
  if (Fixed)
    printf("%d of %d\n", p[0], 3);
  else
    printf("%d of %d\n", p[0]);  // finds printf_arguments: uninitialised
}
__global__ void dead(const int* p, int* out) { *out = p[1]; }  // finds freed: use after free (read)

__device__ void mix(float* p, int n) {  // more than 64 registers: 1024 threads have no place in a block
  float v[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) v[k] = p[k * 1024 + threadIdx.x];
  for (int round = 0; round < n; ++round)
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = v[k] * v[(k + 37) % 96] + v[(k * 5 + 1) % 96];
#pragma unroll
  for (int k = 0; k < 96; ++k) p[k * 1024 + threadIdx.x] = v[k];
}
__global__ void many_registers(float* p, int n) { mix(p, n); }
__global__ void __launch_bounds__(1024) fewer_registers(float* p, int n) { mix(p, n); }

template <bool Fixed>
void freed() {
  int *p = zeros<int>(64), *out = zeros<int>(1);
  if (!Fixed) cudaFree(p);
  dead<<<1, 1>>>(p, out);
  cudaDeviceSynchronize();
  if (Fixed) cudaFree(p);
}
template <bool Fixed>
void wrapped() {
  matrix_element<Fixed><<<1, 1>>>(zeros<float>(1000), hidden(70000), hidden(40000), zeros<float>(1));
}
template <bool Fixed>
void wrapped_inside_() {
  wrapped_inside<Fixed><<<1, 1>>>(zeros<int>(64), hidden(65536), hidden(65536), zeros<int>(1));
}
template <bool Fixed>
void others_local() {
  share_local<Fixed><<<1, 64>>>(zeros<int>(64), hidden(3));
}
template <bool Fixed>
void returned() {
  use_array<Fixed><<<1, 64>>>(zeros<int>(64), hidden(3));
}
template <bool Fixed>
void constant() {
  void* p = zeros<int>(32);
  if (!Fixed) cudaGetSymbolAddress(&p, table);
  write_constant<<<1, 32>>>(static_cast<int*>(p), 3);
}
template <bool Fixed>
void off_by_one() {
  beyond<Fixed><<<1, 128>>>(zeros<int>(100), 100);
}
template <bool Fixed>
void before_first() {
  shift<Fixed><<<1, 1>>>(zeros<int>(32));
}
template <bool Fixed>
void shared_neighbour_() {
  shared_neighbour<Fixed><<<1, 32>>>(zeros<int>(32), hidden(1));
}
template <bool Fixed>
void constant_neighbour_() {
  constant_neighbour<Fixed><<<1, 8>>>(zeros<int>(8), hidden(8));
}
template <bool Fixed>
void registers() {  // finds registers: too many registers; host
  (Fixed ? fewer_registers : many_registers)<<<1, 1024>>>(zeros<float>(96 * 1024), 2);
}
template <bool Fixed>
void misaligned() {
  pairs<Fixed><<<1, 1>>>(zeros<int>(32), zeros<int2>(1));
}
template <bool Fixed>
void printf_arguments() {
  say<Fixed><<<1, 1>>>(zeros<int>(1));
}
template <bool Fixed>
void heap_leak() {  // finds heap_leak: leak; host
  int* p = zeros<int>(32);
  heap<Fixed><<<1, 32>>>(p);
  cudaFree(p);
}
template <bool Fixed>
void memset_too_long() {
  int* p = zeros<int>(100);
  cudaMemset(p, 0, Fixed ? 400 : 404);  // finds memset_too_long: bad set; host
}
template <bool Fixed>
void memset_rows() {
  int* p = zeros<int>(100);
  cudaMemset2D(p, 40, 0, 40, Fixed ? 10 : 11);  // finds memset_rows: bad set; host
}
__global__ void count_values(const int* in, int* bins) {
  atomicAdd(bins + (in[threadIdx.x] & 7), 1);  // finds managed_unset: uninitialised
}
// Managed memory, too, holds nothing until somebody sets it.
template <bool Fixed>
void managed_unset() {
  int* bins;
  cudaMallocManaged(&bins, 8 * sizeof(int));
  if (Fixed)
    for (int k = 0; k < 8; ++k) bins[k] = 0;
  count_values<<<1, 64>>>(zeros<int>(64), bins);
}
template <bool Fixed>
void leaked() {  // finds leaked: leak; host
  int* p = zeros<int>(100);
  if (Fixed) cudaFree(p);
}

int main(int argc, char** argv) {
#define BOTH(name, function) \
  {#name, function<false>}, { #name "_fixed", function < true> }
  const Case cases[] = {BOTH(wrapped, wrapped),
                        BOTH(wrapped_inside, wrapped_inside_),
                        BOTH(others_local, others_local),
                        BOTH(returned, returned),
                        BOTH(constant, constant),
                        BOTH(off_by_one, off_by_one),
                        BOTH(before_first, before_first),
                        BOTH(shared_neighbour, shared_neighbour_),
                        BOTH(constant_neighbour, constant_neighbour_),
                        BOTH(misaligned, misaligned),
                        BOTH(registers, registers),
                        BOTH(printf_arguments, printf_arguments),
                        BOTH(freed, freed),
                        BOTH(memset_too_long, memset_too_long),
                        BOTH(memset_rows, memset_rows),
                        BOTH(managed_unset, managed_unset),
                        BOTH(heap_leak, heap_leak),
                        BOTH(leaked, leaked)};
  return run_case(cases, argc, argv);
}
