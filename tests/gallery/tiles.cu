// Mistakes with tiles, buffers and indices, each with its fixed twin: docs/gallery.md. A comment "finds" with
// the case and the kind stands at a line that `warpwright check` must name; CASE_fixed must be clean.
#include "gallery.h"

// Dynamic shared memory cut by hand: the second part begins n bytes behind the first, not n numbers.
template <bool Fixed>
__global__ void parts(int n, float* out) {
  extern __shared__ unsigned char raw[];
  float* a = reinterpret_cast<float*>(raw);
  int* b = reinterpret_cast<int*>(raw + (Fixed ? n * sizeof(float) : n));
  const int i = threadIdx.x;
  a[i] = i;
  b[i] = 2 * i;  // finds shared_parts: race
  __syncthreads();
  out[i] = a[n - 1 - i] + b[n - 1 - i];
}
// The right halo of a stencil is not loaded.
template <int R, bool Fixed>
struct Stencil {
  static __device__ void run(const float* in, float* out, int n) {
    __shared__ float s[64 + 2 * R];
    const int g = blockIdx.x * 64 + threadIdx.x, l = threadIdx.x + R;
    s[l] = in[g];
    if (threadIdx.x < R) {
      s[l - R] = g >= R ? in[g - R] : 0;
      if (Fixed) s[l + 64] = g + 64 < n ? in[g + 64] : 0;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -R; k <= R; ++k) sum += s[l + k];
    out[g] = sum;  // finds halo: uninitialised
  }
};
template <bool Fixed>
__global__ void stencil(const float* in, float* out, int n) {
  Stencil<3, Fixed>::run(in, out, n);
}
// The edges of the second buffer are never written, and the second step reads them.
__global__ void smooth(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i + 1]) * .5f;  // finds ping_pong: uninitialised
}
// The warps' sums are overwritten by the next round while slower warps still read them.
template <bool Fixed>
__global__ void scan(const int* in, int* out, int rounds) {
  __shared__ int sums[4];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int r = 0; r < rounds; ++r) {
    int v = in[r * 128 + threadIdx.x];
    for (int o = 1; o < 32; o <<= 1) {
      const int w = __shfl_up_sync(~0u, v, o);
      if (lane >= o) v += w;
    }
    if (lane == 31) sums[warp] = v;  // finds scan_sums: race
    __syncthreads();
    for (int k = 0; k < warp; ++k) v += sums[k];  // finds scan_sums: race
    out[r * 128 + threadIdx.x] = v;
    if (Fixed) __syncthreads();
  }
}
// Two buffers, and a barrier in every second round only.
template <bool Fixed>
__global__ void buffers(const int* in, int* out, int n) {
  __shared__ int s[2][64];
  int sum = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  s[1][threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) s[(k + 1) & 1][threadIdx.x] = in[(k + 1) * 64 + threadIdx.x];  // finds double_buffer: race
    sum += s[k & 1][63 - threadIdx.x];                                            // finds double_buffer: race
    if (Fixed || (k & 1)) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// Rows and columns of an array that is not square.
template <bool Fixed>
__global__ void flip(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height)
    out[Fixed ? y * width + x : x * width + y] =
        in[y * width + x];  // finds swapped_index: out-of-bounds write
}
// One bit for each thread: eight threads share a byte.
template <bool Fixed>
__global__ void bits(unsigned* words, unsigned char* bytes) {
  const int i = threadIdx.x + blockIdx.x * 32;
  if (Fixed)
    atomicOr(&words[i / 32], 1u << (i % 32));
  else
    bytes[i / 8] |= 1 << (i % 8);  // finds bit_flags: race
}
struct Node {
  int value;
  Node* next;
};
__device__ Node* head;
__global__ void build() {
  Node* first = nullptr;
  for (int k = 0; k < 4; ++k) {
    Node* n = static_cast<Node*>(malloc(sizeof(Node)));
    n->value = k, n->next = first;
    first = n;
  }
  head = first;
}
__global__ void drop() { free(head->next); }
__global__ void walk(int* out) {
  int sum = 0;
  for (Node* n = head; n; n = n->next) sum += n->value;  // finds freed_node: use after free (read)
  *out = sum;
}

template <bool Fixed>
void shared_parts() {
  const int n = hidden(64);
  parts<Fixed><<<1, 64, n * 8>>>(n, zeros<float>(64));
}
template <bool Fixed>
void halo() {
  stencil<Fixed><<<4, 64>>>(zeros<float>(256), zeros<float>(256), 256);
}
template <bool Fixed>
void ping_pong() {
  float *a = zeros<float>(256), *b;
  cudaMalloc(&b, 256 * sizeof(float));
  if (Fixed) cudaMemcpy(b, a, 256 * sizeof(float), cudaMemcpyDeviceToDevice);
  smooth<<<4, 64>>>(a, b, 256);
  smooth<<<4, 64>>>(b, a, 256);
}
template <bool Fixed>
void scan_sums() {
  scan<Fixed><<<1, 128>>>(zeros<int>(512), zeros<int>(512), hidden(3));
}
template <bool Fixed>
void double_buffer() {
  buffers<Fixed><<<1, 64>>>(zeros<int>(64 * 4), zeros<int>(64), hidden(4));
}
template <bool Fixed>
void swapped_index() {
  flip<Fixed><<<dim3(6, 2), dim3(16, 16)>>>(zeros<float>(96 * 32), zeros<float>(96 * 32), 96, 32);
}
template <bool Fixed>
void bit_flags() {
  bits<Fixed><<<2, 32>>>(zeros<unsigned>(64), zeros<unsigned char>(64));
}
template <bool Fixed>
void freed_node() {
  build<<<1, 1>>>();
  if (!Fixed) drop<<<1, 1>>>();
  walk<<<1, 1>>>(zeros<int>(1));
}

#define CASE(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
int main(int argc, char** argv) {
  const Case cases[] = {CASE(shared_parts),  CASE(halo),          CASE(ping_pong), CASE(scan_sums),
                        CASE(double_buffer), CASE(swapped_index), CASE(bit_flags), CASE(freed_node)};
  return run_case(cases, argc, argv);
}
