// Products and box sums for every GPU, layout and alignment, one result a thread: what there is where no
// faster kernel fits.
#include <stddef.h>

/// Elements from a row to the next, and from a column to the next.
struct Steps {
  long long row, column;
};

__device__ __forceinline__ float as_float(float v) { return v; }
__device__ __forceinline__ float as_float(unsigned short v) {
  const unsigned bits = static_cast<unsigned>(v) << 16;
  float f;
  asm("mov.b32 %0, %1;" : "=f"(f) : "r"(bits));
  return f;
}
__device__ __forceinline__ void put(float* to, float v) { *to = v; }
/// To nearest, ties to even; NaN stays NaN.
__device__ __forceinline__ void put(unsigned short* to, float v) {
  unsigned bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(v));
  if ((bits & 0x7fffffff) > 0x7f800000)
    *to = 0x7fff;
  else
    *to = static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Tiles of 16 × 16, 256 threads.
template <class IN, class OUT>
__device__ __forceinline__ void multiply(const IN* a, Steps sa, const IN* b, Steps sb, OUT* c, Steps sc,
                                         int m, int n, int k) {
  __shared__ float tile_a[16][17], tile_b[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, across = (n + 15) / 16;
  const int row = blockIdx.x / across * 16 + y, column = blockIdx.x % across * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    tile_a[y][x] = row < m && k0 + x < k ? as_float(a[row * sa.row + (k0 + x) * sa.column]) : 0;
    tile_b[y][x] = column < n && k0 + y < k ? as_float(b[(k0 + y) * sb.row + column * sb.column]) : 0;
    __syncthreads();
    const int last = min(16, k - k0);  // a product with padding could make NaN of an infinity
    for (int i = 0; i < last; ++i) sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
    __syncthreads();
  }
  if (row < m && column < n) put(c + row * sc.row + column * sc.column, sum);
}

#define MULTIPLY(NAME, IN, OUT)                                                                   \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      NAME(const IN* a, Steps sa, const IN* b, Steps sb, OUT* c, Steps sc, int m, int n, int k) { \
    multiply(a, sa, b, sb, c, sc, m, n, k);                                                       \
  }
MULTIPLY(multiply_float32, float, float)
MULTIPLY(multiply_bfloat16_to_float32, unsigned short, float)
MULTIPLY(multiply_bfloat16, unsigned short, unsigned short)

/// A thread's windows: out[i] = in(i) + … + in(i + window − 1) for i < results ≤ N. What they have in common
/// is added once; a result adds what lies before and behind. Nothing is subtracted, and a result has its own
/// elements only.
template <int N, class IN, class OUT>
__device__ __forceinline__ void add_windows(int window, int results, IN in, OUT out) {
  if (window < N) {
    for (int i = 0; i < results; ++i) {
      float sum = 0;
      for (int j = 0; j < window; ++j) sum += in(i + j);
      out(i, sum);
    }
    return;
  }
  float before[N];  // elements i … results − 2
  before[N - 1] = 0;
#pragma unroll
  for (int i = N - 2; i >= 0; --i) before[i] = i < results - 1 ? before[i + 1] + in(i) : 0;
  float common[4] = {};
  int j = results - 1;
  for (; j + 4 <= window; j += 4) {
#pragma unroll
    for (int q = 0; q < 4; ++q) common[q] += in(j + q);
  }
  for (; j < window; ++j) common[0] += in(j);
  const float middle = (common[0] + common[1]) + (common[2] + common[3]);
  float behind = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (i >= results) break;
    if (i > 0) behind += in(window + i - 1);
    out(i, before[i] + middle + behind);
  }
}

/// Sums of 2r + 1 rows: `rows` × `columns` of them. Grid: ⌈columns / 256⌉ · ⌈rows / 32⌉ blocks of 256
/// threads.
extern "C" __global__ void __launch_bounds__(256)
    sum_rows(const float* in, long long in_stride, float* out, long long out_stride, int rows, int columns,
             int r) {
  const int across = (columns + 255) / 256, column = blockIdx.x % across * 256 + threadIdx.x;
  const int row = blockIdx.x / across * 32;
  if (column >= columns) return;
  const float* from = in + row * in_stride + column;
  float* to = out + row * out_stride + column;
  add_windows<32>(
      2 * r + 1, min(32, rows - row), [&](int i) { return from[i * in_stride]; },
      [&](int i, float sum) { to[i * out_stride] = sum; });
}

/// Sums of 2r + 1 columns: `rows` × `columns` of them. Grid: ⌈columns / 1024⌉ · rows blocks of 128 threads.
/// Dynamic shared memory: 4.5 · (1024 + 2r) + 4 bytes.
extern "C" __global__ void __launch_bounds__(128)
    sum_columns(const float* in, long long in_stride, float* out, long long out_stride, int rows, int columns,
                int r) {
  extern __shared__ float values[];  // a word left out behind each eight: eight apart are in all banks
  const int across = (columns + 1023) / 1024, first = blockIdx.x % across * 1024, row = blockIdx.x / across;
  const int outputs = min(1024, columns - first);
  const auto place = [](int i) { return i + i / 8; };
  const float* from = in + row * in_stride + first;
  for (int i = threadIdx.x; i < outputs + 2 * r; i += 128) values[place(i)] = from[i];
  __syncthreads();
  float sums[8];
  const int mine = 8 * threadIdx.x;
  if (mine < outputs)
    add_windows<8>(
        2 * r + 1, min(8, outputs - mine), [&](int i) { return values[place(mine + i)]; },
        [&](int i, float sum) { sums[i] = sum; });
  __syncthreads();
  if (mine < outputs) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (mine + i < outputs) values[place(mine + i)] = sums[i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < outputs; i += 128) out[row * out_stride + first + i] = values[place(i)];
}
