// Float32 products on CUDA cores: the tiles there are, the plan that fits, and its launches.
#pragma once

#include <vector>

#include "kernels/matmul/tile_shapes.h"
#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

/// How an operand travels (kernels/matmul/async_tiles.h).
enum class Travel { chunks, words, turned };

/// Of cuda/FILE.cu; `…_chunks` and `…_wide` take operands of chunks only, `…_turned` an A that is turned and
/// chunks of B, `…_words` chunks of A and words of B, `…_hulls` chunks of A and rows of B that begin at any
/// word. Rates are an H200's (data/measured/h200-library).
struct Float32Tile {
  const char* file;
  ww::kernels::AsyncTile shape;
  int64_t per_sm;  ///< blocks that a multiprocessor takes at once
  bool trims;      ///< a last step that is not whole takes less (kernels/matmul/async_tiles.h, SHORT)
  double rate;     ///< multiply-adds that it then does in a cycle
  double alone;    ///< the part of it that is left with one block
  double turned_a, turned_b;  ///< the part that A, or B, takes away where it is turned word by word
  double words;               ///< and one that comes word by word
  double further = 1;         ///< the part of a further round's blocks' beginnings in which nobody multiplies
};
constexpr Float32Tile kFloat32Tiles[] = {
    {"float32_wide", {256, 128, 256, 16, 4}, 1, false, 97.6, 1, 0, 0, 0},
    {"float32_wide_turned", {256, 128, 256, 16, 4}, 1, false, 96.9, 1, 0.021, 0.021, 0},
    {"float32_middle_chunks", {128, 128, 128, 16, 4}, 2, true, 108.7, 0.435, 0, 0, 0},
    {"float32_middle", {256, 128, 128, 16, 3}, 2, true, 98.3, 0.914, 0.057, 0.044, 0},
    {"float32_middle_words", {128, 128, 128, 16, 4}, 2, true, 102.5, 0.435, 0, 0, 0},
    {"float32_hulls", {128, 128, 128, 16, 4}, 2, true, 105, 0.435, 0, 0, 0},
    {"float32_tall", {256, 128, 64, 32, 3}, 1, true, 106.2, 1, 0.183, 0.086, 0.012},
    {"float32_square", {256, 64, 64, 32, 4}, 2, true, 93.9, 0.995, 0.176, 0.186, 0.129},
    {"float32_small", {128, 64, 64, 32, 3}, 4, true, 97.1, 0.827, 0.187, 0.139, 0.037},
    {"float32_tiny", {256, 64, 32, 32, 4}, 1, true, 82.9, 1, 0.17, 0.13, 0.151},
    {"float32_slim", {256, 128, 32, 32, 4}, 1, true, 95.1, 1, 0.29, 0.065, 0.062},
    {"float32_flat", {256, 32, 128, 32, 4}, 1, true, 94, 1, 0.065, 0.29, 0.126},
    {"float32_square_light", {128, 64, 64, 16, 3}, 5, true, 98, 0.813, 0.087, 0.14, 0.03, 0},
    {"float32_slim_light", {128, 128, 32, 16, 3}, 5, true, 95, 0.836, 0.22, 0.055, 0.028, 0},
    {"float32_flat_light", {128, 32, 128, 16, 3}, 5, true, 99, 0.836, 0.05, 0.3, 0.028, 0},
    {"float32_tiny_light", {128, 64, 32, 32, 2}, 5, true, 91, 0.863, 0.162, 0.09, 0.066, 0.25},
};

/// The kernels of cuda/float32_lower.cu, by their names instead of files.
constexpr Float32Tile kLowerTiles[] = {
    {"lower_large", {128, 128, 128, 16, 4}, 2, true, 102.5, 0.6, 0, 0, 0},
    {"lower_small", {128, 64, 64, 32, 3}, 4, true, 97.1, 0.9, 0, 0, 0},
};

/// Who computes what (cuda/float32.h).
struct Float32Plan {
  const Float32Tile* tile = nullptr;
  int64_t whole = 0, shared = 0;        ///< tiles with a block each; tiles that are cut along k
  int64_t mains = 0, main_steps = 0;    ///< pieces of each, and steps of a piece
  int64_t helpers = 0, tails_each = 0;  ///< blocks for what is left of them, and how many tails each takes
  bool lay_a = false, lay_b = false;    ///< first laid across k in the workspace

  int64_t pieces() const { return mains + (helpers > 0 ? 1 : 0); }
  int64_t blocks() const { return whole + shared * mains + helpers; }
};
/// All that may be worth trying on a GPU with so many multiprocessors, whose blocks may have so much shared
/// memory.
std::vector<Float32Plan> float32_plans(const Matrix<const float>& a, const Matrix<const float>& b,
                                       int64_t multiprocessors, int64_t shared);
/// A rough count of the cycles that a plan takes.
double cycles(const Float32Plan& plan, const Matrix<const float>& a, const Matrix<const float>& b,
              int64_t multiprocessors);
/// The plan with the fewest.
Float32Plan plan_float32(const Matrix<const float>& a, const Matrix<const float>& b, int64_t multiprocessors,
                         int64_t shared);

/// Bytes for any plan of a product of these sizes or the transposed one.
size_t float32_workspace(int64_t m, int64_t n, int64_t k);

/// C = A·B; C lies by rows, nothing is empty, all has been checked. From cc 8.0.
Status multiply_float32(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                        const Matrix<float>& c, const Float32Plan& plan, void* workspace);
/// How C = A·Aᵀ takes the fewest cycles. No tile: the whole product is computed and then mirrored.
struct LowerPlan {
  const Float32Tile* tile = nullptr;
  double cycles = 0;
};
LowerPlan plan_lower(const Matrix<const float>& a, int64_t multiprocessors, int64_t shared);
/// What lies below the diagonal also above it.
Status mirror_lower(Gpu& gpu, Stream stream, const Matrix<float>& c);
/// C = A·Aᵀ in one of the kLowerTiles; float32_workspace(n, n, k) bytes.
Status lower_float32(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                     const Float32Tile& tile, void* workspace);

}  // namespace warpwright
