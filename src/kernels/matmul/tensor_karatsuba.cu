// C = A·B in float32 on tensor cores by Karatsuba's scheme (see karatsuba.h): operands in four matrices each,
// of whose products four of the pace of one float16 product are summed (see tensor_karatsuba.h). For elements
// that are not small beside the largest of their row of A or column of B. n is a multiple of 4. Threads: 384.
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/tensor_karatsuba.h"

/// Splits the rows of A and scans the columns of B. Grid: n + 16 · ⌈n/128⌉ blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_split_rows_karatsuba(const float* a, const float* b, uint4* parts, int* raised, unsigned* largest,
                                int n, int pitch) {
  const int row = blockIdx.x;
  if (row >= n) return scan_columns(b, largest, row - n, n, n);
  const int exponent = exponent_of_row(a, raised, row, n);
  const float4* const from = reinterpret_cast<const float4*>(a + static_cast<size_t>(row) * n);
  for (int i = threadIdx.x; i < pitch / 8; i += 256) {
    const float4 none = make_float4(0, 0, 0, 0), low = 2 * i < n / 4 ? from[2 * i] : none,
                 high = 2 * i + 1 < n / 4 ? from[2 * i + 1] : none;
    split_karatsuba<SplitFor::first>({low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}, exponent,
                                     parts + (static_cast<size_t>(row) * pitch / 8 + i),
                                     static_cast<size_t>(n) * (pitch / 8), 8 * i);
  }
}

/// Splits the columns of B, which become rows along k: 8-bit products want them so. 32 columns of 128 k a
/// block. Grid: ⌈n/32⌉ × ⌈n/128⌉ blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_split_columns_karatsuba(const float* b, const unsigned* largest, uint4* parts, int* raised, int n,
                                   int pitch) {
  __shared__ float values[128][33];
  __shared__ int most[32];  // bits of magnitudes
  const int column0 = blockIdx.x * 32, k0 = blockIdx.y * 128, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32, column = column0 + lane;
  if (threadIdx.x < 32) most[threadIdx.x] = 0;
  __syncthreads();
  if (column < n)
    for (int slice = warp; slice < kScanSlices; slice += 8)
      atomicMax(&most[lane], static_cast<int>(largest[static_cast<size_t>(slice) * n + column]));
#pragma unroll 4
  for (int k = warp; k < 128; k += 8)
    values[k][lane] = column < n && k0 + k < n ? b[static_cast<size_t>(k0 + k) * n + column] : 0;
  __syncthreads();
  // A warp has two rows at a time.
#pragma unroll
  for (int i = 0; i < 32; i += 16) {
    const int x = i + 2 * warp + lane / 16, row = column0 + x, at = lane % 16 * 8,
              exponent = exponent_for(static_cast<unsigned>(most[x]));
    if (row >= n) continue;
    if (k0 == 0 && at == 0) raised[row] = exponent;
    if (k0 + at >= pitch) continue;
    float v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = values[at + j][x];
    split_karatsuba<SplitFor::second>(v, exponent, parts + (static_cast<size_t>(row) * pitch + k0 + at) / 8,
                                      static_cast<size_t>(n) * (pitch / 8), k0 + at);
  }
}

/// In pairs of blocks, one below the other, which share what they read of B: clusters of two. maps: A in
/// boxes of 64 × 128, B of 64 × 64, C of 32 × 64. raised: what the splits raised by.
extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_tensor_karatsuba_384(const TensorMap* maps, int n, int band, const int* rows, const int* columns) {
  using T = Karatsuba<6, 2>;
  karatsuba_tiles<T, false>(maps[0], maps[1], maps[2], n, n, Items<Order<T>>(Order<T>(n, n, n, band)),
                            {rows, columns}, {});
}
