// Float32 products on tensor cores by three bf16 parts (kernels/matmul/thirds.h).
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/karatsuba.h"
#include "kernels_library/cuda/split.h"
#include "kernels_library/cuda/tensor.h"

/// Whether a product by Karatsuba's scheme, if there is one before this (`most` not null), has been computed.
__device__ __forceinline__ bool is_done(const Smalls& smalls) {
  if (!smalls.most) return false;
  wait_for_launch();
  return smalls.fit();
}

extern "C" __global__ void __launch_bounds__(256) split_thirds(Sources sources, Smalls smalls) {
  if (!is_done(smalls)) split<Bf16, 3, false>(sources);
}

/// N: columns of a tile. maps: A in boxes of 64 × 128, B of 64 × 64, C of 32 × 64.
#define PRODUCT(NAME, N)                                                                                 \
  extern "C" __global__ void __launch_bounds__(384, 1)                                                   \
      NAME(Maps, int m, int n, int k, int band, LastTiles last, Smalls smalls) {                         \
    if (is_done(smalls)) return;                                                                         \
    using T = Parts<Bf16, 3, 6, 2, 1, true, N>;                                                          \
    const TensorMap* maps = MAPS_OF(NAME);                                                               \
    part_tiles<T, false, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>({m, n, k, band}, last), \
                                {});                                                                     \
  }
/// C = A·Aᵀ. maps: A in boxes of 64 × 128 and of 64 × 64, C of 32 × 64.
#define LOWER(NAME)                                                                             \
  extern "C" __global__ void __launch_bounds__(384, 1)                                          \
      NAME(Maps, int n, int k, int band, LastTiles last, Smalls smalls) {                       \
    if (is_done(smalls)) return;                                                                \
    using T = Parts<Bf16, 3, 6, 2, 1, false>;                                                   \
    const TensorMap* maps = MAPS_OF(NAME);                                                      \
    part_tiles<T, false, true>(maps[0], maps[1], maps[2], n, n,                                 \
                               Items<MirroredLater<T>>({n, k, band, last.diagonal}, last), {}); \
  }
PRODUCT(multiply_thirds, 128)
PRODUCT(multiply_thirds_thin, 64)
LOWER(lower_thirds)

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}

extern "C" __global__ void __launch_bounds__(256)
    finish_lower(float* c, int stride, int n, int k, int band, LastTiles last, Smalls smalls) {
  using T = Parts<Bf16, 3, 6, 2, 1, false>;
  finish_lower_tiles<T, false>(c, stride, n, {n, k, band, last.diagonal}, last, {}, smalls);
}
