// What launches of kernels on tensor cores have in common.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/matmul/tile_shapes.h"
#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"
#include "kernels_library/tensor.h"
#include "kernels_library/tensor_maps.h"

namespace warpwright {

constexpr int kTensorBand = 8;  ///< rows of tiles that are computed column by column

/// A grid of this many blocks that wait for the launch before themselves.
inline Dim early(uint64_t x, uint32_t y = 1, uint32_t cluster = 1) { return {x, y, 1, cluster, true}; }
inline Dim early(int64_t x) { return early(static_cast<uint64_t>(x)); }

/// How many tiles are computed at once where clusters of `pieces` blocks have one each: each cluster lies
/// within one of the GPU's groups of multiprocessors. (An H200 has room for 66, 39, 30 and 15 of two, three,
/// four and eight.)
inline int64_t tiles_at_once(int64_t multiprocessors, uint32_t pieces) {
  const double room = pieces == 1 ? 132 : pieces == 2 ? 66 : pieces == 3 ? 39 : pieces == 4 ? 30 : 15;
  return std::max<int64_t>(1, std::llround(static_cast<double>(multiprocessors) * room / 132));
}

/// Where the copy engine stores results: C itself, or a matrix of the workspace whose rows are aligned. Rows
/// must also end at multiples of 16 bytes, which is what it stores at least: else it would write beyond them
/// (seen on an H200).
template <class T>
Matrix<T> aligned_results(const Matrix<T>& c, Parts& workspace) {
  const int64_t pitch = ww::kernels::pitch_of(c.columns);
  T* room = workspace.take<T>(c.rows * pitch);
  return in_chunks(c) ? c : Matrix<T>{room, c.rows, c.columns, pitch};
}
/// From there to C.
template <class T>
Status place_results(Gpu& gpu, const char* file, Stream stream, const Matrix<T>& from, const Matrix<T>& c) {
  if (from.data == c.data) return Status::ok;
  return gpu.launch(file, sizeof(T) == 4 ? "place_results_4" : "place_results_2",
                    early(divide_up(c.rows * c.columns, 1024)), 256, 0, stream,
                    static_cast<const T*>(from.data), static_cast<int>(from.stride), c.data,
                    static_cast<int>(c.stride), static_cast<int>(c.rows), static_cast<int>(c.columns));
}

/// The last tiles of a product by parts as its kernels take them (kernels/matmul/tensor_parts.h); of each so
/// many pieces at most, and of all.
struct LastTiles {
  int whole, pieces;
  float* partial;
  unsigned* done;
  int diagonal;
};
constexpr int64_t kMostPiecesOfTile = 8, kMostCut = 400;
constexpr int64_t kMostTileWords = 128 * 128;  ///< of a tile that is cut
/// Tiles that are cut, each by two warpgroups, which count pieces. Kernels number clusters' tiles together.
inline LastTiles take_last_tiles(const SplitPlan& plan, Parts& workspace) {
  auto* partial =
      workspace.take<float>(plan.cut * plan.pieces * plan.form->tile.rows * plan.form->tile.columns);
  return {static_cast<int>(plan.whole / plan.form->tile.cluster), static_cast<int>(plan.pieces), partial,
          workspace.take<unsigned>(2 * kMostCut), 0};
}
/// Room for them, of so many tiles.
inline void count_last_tiles(int64_t tiles, Parts& parts) {
  parts.take<float>(kMostTileWords * std::min(tiles * kMostPiecesOfTile, kMostCut));
  parts.take<unsigned>(2 * kMostCut);
}

inline uint64_t staying_blocks(const Gpu& gpu, uint64_t tiles) {
  return std::min<uint64_t>(tiles, static_cast<uint64_t>(gpu.multiprocessors()));
}

}  // namespace warpwright
