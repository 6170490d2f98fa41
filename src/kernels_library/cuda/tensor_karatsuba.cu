// Float32 products on tensor cores by Karatsuba's scheme (kernels/matmul/karatsuba.h).
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/tensor_karatsuba.h"
#include "kernels_library/cuda/split_karatsuba.h"
#include "kernels_library/cuda/tensor.h"

/// Grids: blocks of the first matrix and behind them of the second, in the second launch of those that lie by
/// columns alone; 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    scan_karatsuba(Sources sources, SmallCounts counts, int blocks_of_first) {
  begin_scan(sources);
  scan_both(sources, counts, blocks_of_first);
}
extern "C" __global__ void __launch_bounds__(256)
    split_karatsuba(Sources sources, SmallCounts counts, int blocks_of_first) {
  wait_for_launch();
  let_next_launch();
  split_both(sources, counts, blocks_of_first);
}
/// The same for A·Aᵀ.
extern "C" __global__ void __launch_bounds__(256) scan_lower(Sources sources, SmallCounts counts) {
  begin_scan(sources);
  scan_one<SplitFor::lower>(sources.of[0], blockIdx.x, counts);
}
extern "C" __global__ void __launch_bounds__(256) split_lower(Sources sources, SmallCounts counts) {
  wait_for_launch();
  let_next_launch();
  split_turned<SplitFor::lower>(sources.of[0], blockIdx.x, counts);
}

/// maps: A in boxes of 64 × 128, B of 64 × 64, C of 32 × 64. Where small elements do not fit nothing is done.
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_karatsuba(Maps, int m, int n, int k, int band, const int* rows, const int* columns,
                       LastTiles last, Smalls smalls) {
  using T = Karatsuba<6, 1>;
  const TensorMap* maps = MAPS_OF(multiply_karatsuba);
  karatsuba_tiles<T, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>({m, n, k, band}, last),
                            {rows, columns}, smalls);
}

/// The same in pairs of blocks, one below the other, which share what they read of B: all tiles whole, and
/// the last ones cut along k, whose loop takes 1 % longer.
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_karatsuba_pair(Maps, int m, int n, int k, int band, const int* rows, const int* columns,
                            LastTiles, Smalls smalls) {
  using T = Karatsuba<6, 2>;
  const TensorMap* maps = MAPS_OF(multiply_karatsuba_pair);
  karatsuba_tiles<T, false, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>(Order<T>(m, n, k, band)),
                                   {rows, columns}, smalls);
}
extern "C" __global__ void __launch_bounds__(384, 1)
    multiply_karatsuba_pair_cut(Maps, int m, int n, int k, int band, const int* rows, const int* columns,
                                LastTiles last, Smalls smalls) {
  using T = Karatsuba<6, 2>;
  const TensorMap* maps = MAPS_OF(multiply_karatsuba_pair_cut);
  karatsuba_tiles<T, false>(maps[0], maps[1], maps[2], m, n, Items<Order<T>>({m, n, k, band}, last),
                            {rows, columns}, smalls);
}

/// C = A·Aᵀ, of parts for both operands; the maps likewise.
extern "C" __global__ void __launch_bounds__(384, 1)
    lower_karatsuba(Maps, int n, int k, int band, const int* raised, LastTiles last, Smalls smalls) {
  using T = Karatsuba<6, 1>;
  const TensorMap* maps = MAPS_OF(lower_karatsuba);
  karatsuba_tiles<T, true>(maps[0], maps[1], maps[2], n, n, Items<LowerOrder<T>>({n, k, band}, last),
                           {raised, raised}, smalls);
}
extern "C" __global__ void __launch_bounds__(384, 1)
    lower_karatsuba_pair(Maps, int n, int k, int band, const int* raised, LastTiles, Smalls smalls) {
  using T = Karatsuba<6, 2>;
  const TensorMap* maps = MAPS_OF(lower_karatsuba_pair);
  karatsuba_tiles<T, true, false>(maps[0], maps[1], maps[2], n, n,
                                  Items<LowerOrder<T>>(LowerOrder<T>(n, k, band)), {raised, raised}, smalls);
}
extern "C" __global__ void __launch_bounds__(384, 1)
    lower_karatsuba_pair_cut(Maps, int n, int k, int band, const int* raised, LastTiles last, Smalls smalls) {
  using T = Karatsuba<6, 2>;
  const TensorMap* maps = MAPS_OF(lower_karatsuba_pair_cut);
  karatsuba_tiles<T, true>(maps[0], maps[1], maps[2], n, n, Items<LowerOrder<T>>({n, k, band}, last),
                           {raised, raised}, smalls);
}

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
