// Mistakes between threads that wait for each other, of which a run in one order shows nothing, each with its
// fixed twin: docs/gallery.md. A comment "finds" is as in races.cu.
#include <cuda/atomic>

#include "gallery.h"

struct Node {
  int value;
  Node* next;
};
__device__ Node* top;
__device__ unsigned long long word(const Node* n) { return reinterpret_cast<unsigned long long>(n); }
// A node gets its link when it is in the list already.
template <bool Fixed>
__global__ void push(Node* nodes, int* out) {
  auto* list = reinterpret_cast<unsigned long long*>(&top);
  Node* mine = nodes + blockIdx.x;
  mine->value = blockIdx.x;
  unsigned long long old = atomicAdd(list, 0ull);
  for (;;) {
    if (Fixed) mine->next = reinterpret_cast<Node*>(old);
    __threadfence();
    const unsigned long long seen = atomicCAS(list, old, word(mine));
    if (seen == old) break;
    old = seen;
  }
  if (!Fixed) mine->next = reinterpret_cast<Node*>(old);
  int sum = 0;
  auto* at = reinterpret_cast<Node*>(atomicAdd(list, 0ull));
  __threadfence();
  for (; at; at = at->next) sum += at->value;  // finds late_link: race
  out[blockIdx.x] = sum;
}
template <bool Fixed>
void late_link() {
  push<Fixed><<<8, 1>>>(zeros<Node>(8), zeros<int>(8));
}

// As many may come in as the number says at the beginning.
template <bool Fixed>
__global__ void enter(int* places, int* sum) {
  int free = atomicAdd(places, 0);
  while (free == 0 || atomicCAS(places, free, free - 1) != free) free = atomicAdd(places, 0);
  __threadfence();
  *sum += 1;  // finds two_places: race
  __threadfence();
  atomicAdd(places, 1);
}
template <bool Fixed>
void two_places() {
  int* places = zeros<int>(1);
  const int first = Fixed ? 1 : 2;
  cudaMemcpy(places, &first, sizeof first, cudaMemcpyHostToDevice);
  enter<Fixed><<<8, 1>>>(places, zeros<int>(1));
}

// Two announce what they have stored by one flag, and the third waits until it is set.
template <bool Fixed>
__global__ void two_of_three(int* values, int* flag, int* out) {
  if (blockIdx.x < 2) {
    values[blockIdx.x] = 1;
    __threadfence();
    if (Fixed)
      atomicAdd(flag, 1);
    else
      atomicExch(flag, 1);
    return;
  }
  while (atomicAdd(flag, 0) < (Fixed ? 2 : 1)) {
  }
  __threadfence();
  *out = values[0] + values[1];  // finds one_flag: race
}
template <bool Fixed>
void one_flag() {
  two_of_three<Fixed><<<3, 1>>>(zeros<int>(2), zeros<int>(1), zeros<int>(1));
}

// What is read between two looks at a counter is thrown away if it has changed, but it must be read
// atomically.
template <bool Fixed>
__device__ int take(const int* p) {
  return Fixed ? atomicAdd(const_cast<int*>(p), 0) : *p;  // finds plain_data: race
}
template <bool Fixed>
__global__ void versions(int* version, int* data, int* out) {
  if (blockIdx.x == 0) {
    for (int k = 1; k < 5; ++k) {
      atomicAdd(version, 1);
      __threadfence();
      if (Fixed)
        atomicExch(data, k), atomicExch(data + 1, k);
      else
        data[0] = k, data[1] = k;
      __threadfence();
      atomicAdd(version, 1);
    }
    return;
  }
  for (int k = 0; k < 4; ++k) {
    int before, first, second;
    do {
      before = atomicAdd(version, 0);
      __threadfence();
      first = take<Fixed>(data), second = take<Fixed>(data + 1);
      __threadfence();
    } while (before % 2 || atomicAdd(version, 0) != before);
    out[blockIdx.x] += first - second;
  }
}
template <bool Fixed>
void plain_data() {
  versions<Fixed><<<3, 1>>>(zeros<int>(1), zeros<int>(2), zeros<int>(3));
}

// A ring of four places between two warps. The one that fills it must know what the other has taken out.
template <bool Fixed>
__global__ void ring(int* out, int n) {
  __shared__ int places[4], filled, taken;
  if (threadIdx.x == 0) filled = taken = 0;
  __syncthreads();
  using Count = cuda::atomic_ref<int, cuda::thread_scope_block>;
  constexpr auto kAcquire = cuda::memory_order_acquire, kRelease = cuda::memory_order_release;
  if (threadIdx.x == 0)
    for (int i = 0; i < n; ++i) {
      while (Fixed && i - Count(taken).load(kAcquire) >= 4) {
      }
      places[i % 4] = i;  // finds overtaken: race
      Count(filled).store(i + 1, kRelease);
    }
  if (threadIdx.x == 32) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      while (Count(filled).load(kAcquire) <= i) {
      }
      sum += places[i % 4];
      Count(taken).store(i + 1, kRelease);
    }
    *out = sum;
  }
}
template <bool Fixed>
void overtaken() {
  ring<Fixed><<<1, 64>>>(zeros<int>(1), hidden(12));
}

// The first of four blocks fills their table, and the others take it for full.
template <bool Fixed>
__global__ void fill_once(int* states, int* tables, int* out) {
  int *state = states + blockIdx.x / 4, *table = tables + blockIdx.x / 4 * 8;
  if (threadIdx.x == 0) {
    if (atomicCAS(state, 0, 1) == 0) {
      for (int i = 0; i < 8; ++i) table[i] = i;
      __threadfence();
      atomicExch(state, 2);
    }
    while (Fixed && atomicAdd(state, 0) != 2) {
    }
    __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = table[threadIdx.x % 8];  // finds not_awaited: race
}
template <bool Fixed>
void not_awaited() {
  fill_once<Fixed><<<32, 32>>>(zeros<int>(8), zeros<int>(64), zeros<int>(1024));
}

// Sums up a tree from its leaves: of two children, who comes second goes on with their parent. Both may be
// lanes of one warp, and update the parent's counter in one instruction.
template <bool Fixed>
__global__ void sum_tree(int* value, int* arrived, int leaves) {
  const int leaf = blockIdx.x * blockDim.x + threadIdx.x;
  int node = leaves - 1 + leaf;
  value[node] = leaf;
  while (node > 0) {
    node = (node - 1) / 2;
    if (Fixed) __threadfence();
    if (atomicAdd(&arrived[node], 1) == 0) return;
    if (Fixed) __threadfence();
    value[node] = value[2 * node + 1] + value[2 * node + 2];  // finds children: race
  }
}
template <bool Fixed>
void children() {
  sum_tree<Fixed><<<2, 64>>>(zeros<int>(255), zeros<int>(127), 128);
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {BOTH(late_link), BOTH(two_places),  BOTH(one_flag), BOTH(plain_data),
                        BOTH(overtaken), BOTH(not_awaited), BOTH(children)};
  return run_case(cases, argc, argv);
}
