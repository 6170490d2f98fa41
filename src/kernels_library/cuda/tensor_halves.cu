// Float32 products on tensor cores by two float16 halves (kernels/matmul/halves.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/split.h"
#include "kernels_library/cuda/tensor.h"

extern "C" __global__ void __launch_bounds__(256) scan_halves(Sources sources) { find_largest(sources); }

extern "C" __global__ void __launch_bounds__(256) split_halves(Sources sources) {
  split<F16, 2, true>(sources);
}

/// maps: A in boxes of 64 × 256, B of 64 × 64, C of 32 × 64.
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_halves_tall(Maps, int m, int n, int k, int band, const int* rows, const int* columns) {
  const TensorMap* maps = MAPS_OF(multiply_halves_tall);
  tensor_tiles<Tensor<F16, 2, 2, 128, 2, 1, float>>(maps[0], maps[1], maps[2], m, n, k, band,
                                                    {rows, columns});
}

/// The same in tiles of 128 × 128. maps: A in boxes of 64 × 128.
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_halves(Maps, int m, int n, int k, int band, const int* rows, const int* columns,
                    LastTiles last) {
  using T = Parts<F16, 2, 3, 3, 1, true>;
  const TensorMap* maps = MAPS_OF(multiply_halves);
  part_tiles<T, true, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>({m, n, k, band}, last),
                             {rows, columns});
}

/// The same in tiles of 128 × 64.
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_halves_thin(Maps, int m, int n, int k, int band, const int* rows, const int* columns,
                         LastTiles last) {
  using T = Parts<F16, 2, 3, 4, 1, true, 64>;
  const TensorMap* maps = MAPS_OF(multiply_halves_thin);
  part_tiles<T, true, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>({m, n, k, band}, last),
                             {rows, columns});
}

/// C = A·Aᵀ. maps: A in boxes of 64 × 128 and of 64 × 64, C of 32 × 64.
extern "C" __global__ void __launch_bounds__(384, 1)
    lower_halves(Maps, int n, int k, int band, const int* rows, LastTiles last) {
  using T = Parts<F16, 2, 3, 3, 1, false>;
  const TensorMap* maps = MAPS_OF(lower_halves);
  part_tiles<T, true, true>(maps[0], maps[1], maps[2], n, n,
                            Items<MirroredLater<T>>({n, k, band, last.diagonal}, last), {rows, rows});
}

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}

extern "C" __global__ void __launch_bounds__(256)
    finish_lower(float* c, int stride, int n, int k, int band, const int* rows, LastTiles last) {
  using T = Parts<F16, 2, 3, 3, 1, false>;
  finish_lower_tiles<T, true>(c, stride, n, {n, k, band, last.diagonal}, last, {rows, rows}, {});
}
