// C = A·Aᵀ in float32 on tensor cores: only the tiles on and below the diagonal are computed; those below it
// are stored a second time, mirrored. A is split into two float16 halves (see matmul/halves.h), or, where
// accuracy must not depend on the elements, into three bf16 parts (matmul/thirds.h). Both operands are rows
// of A, which wgmma takes as they are. n is a multiple of 4. Threads: 384.
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/tensor_parts.h"
#include "kernels/matmul/thirds.h"

/// Grid: n blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    aat_split_halves(const float* a, uint2* parts, int* raised, int n, int pitch) {
  split_row<2>(a, parts, raised, blockIdx.x, n, n, pitch);
}

/// maps: A in boxes of 64 × 128 and of 64 × 64, C of 32 × 64. raised: what the split raised rows by.
extern "C" __global__ void __launch_bounds__(384, 1)
    aat_tensor_lower_384(const TensorMap* maps, int n, int band, const int* raised) {
  using T = Parts<F16, 2, 3, 3, 1, false>;
  part_tiles<T, true, true>(maps[0], maps[1], maps[2], n, n, LowerOrder<T>(n, n, band), {raised, raised});
}

/// Grid: ⌈n/1024⌉ × n blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    aat_split_thirds(const float* a, uint2* parts, int n, int pitch) {
  split_thirds(a, parts, n, pitch);
}

extern "C" __global__ void __launch_bounds__(384, 1)
    aat_tensor_lower_thirds_384(const TensorMap* maps, int n, int band) {
  using T = Parts<Bf16, 3, 6, 2, 1, false>;
  part_tiles<T, false, true>(maps[0], maps[1], maps[2], n, n, LowerOrder<T>(n, n, band), {});
}
