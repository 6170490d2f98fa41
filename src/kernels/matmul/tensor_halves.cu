// C = A·B in float32 on tensor cores: every operand is split into two float16 halves (see halves.h), and
// of their four products three are summed (see tensor_tiles.h). n is a multiple of 4. Threads: 384.
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/halves.h"
#include "kernels/matmul/tensor_parts.h"

/// Splits the rows of A and scans the columns of B. Grid: n + 16 · ⌈n/128⌉ blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_split_rows(const float* a, const float* b, uint2* halves, int* raised, unsigned* largest, int n,
                      int pitch) {
  if (static_cast<int>(blockIdx.x) < n)
    split_row<2>(a, halves, raised, blockIdx.x, n, n, pitch);
  else
    scan_columns(b, largest, blockIdx.x - n, n, n);
}

/// Splits the columns of B. Grid: ⌈n/128⌉ × ⌈n/128⌉ blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_split_columns(const float* b, const unsigned* largest, uint2* halves, int* raised, int n,
                         int pitch) {
  split_columns<2>(b, largest, halves, raised, n, n, pitch);
}

/// maps: A in boxes of 64 × 256, B of 64 × 64, C of 32 × 64. raised: what the splits raised by.
extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_tensor_halves_384(const TensorMap* maps, int n, int band, const int* rows, const int* columns) {
  tensor_tiles<Tensor<F16, 2, 2, 128, 2, 1, float>>(maps[0], maps[1], maps[2], n, n, n, band,
                                                    {rows, columns});
}

/// The same in tiles of 128 × 128 (see tensor_parts.h), for small products. maps: A in boxes of 64 × 128.
extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_tensor_halves_square_384(const TensorMap* maps, int n, int band, const int* rows,
                                    const int* columns) {
  using T = Parts<F16, 2, 3, 3, 1, true>;
  part_tiles<T, true, false>(maps[0], maps[1], maps[2], n, n, Order<T>(n, n, n, band), {rows, columns});
}
