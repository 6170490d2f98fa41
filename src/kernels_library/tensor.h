// Products on tensor cores (cc 9.0): maps for the copy engine, 16-bit parts of the operands, launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/matmul/tile_shapes.h"
#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

/// A kernel's tile, and the cycles that a step of 64 k takes (of an H100 or H200;
/// data/measured/h200-library).
struct TensorForm {
  const char* name;
  ww::kernels::TensorTile tile;
  double step;
};
/// Who computes what (kernels/matmul/tensor_parts.h): the first `whole` tiles, then the others in `pieces`
/// each.
struct SplitPlan {
  const TensorForm* form = nullptr;
  int64_t whole = 0, cut = 0, pieces = 1;
  int64_t diagonal = 0;  ///< tiles that are computed without a quarter, the last whole ones
  int64_t items() const { return whole + cut * pieces; }
};
/// Those of a form for so many tiles; `cut`: its kernel can cut them.
void add_plans(std::vector<SplitPlan>& plans, const TensorForm& form, int64_t tiles, int64_t k, bool cut,
               int64_t multiprocessors);
/// All that may be worth trying on a GPU with so many multiprocessors. `lower`: for A·Aᵀ, m × k by k × m.
std::vector<SplitPlan> split_plans(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower,
                                   int64_t multiprocessors);
/// A rough count of the cycles that a plan takes.
double cycles(const SplitPlan& plan, int64_t k, int64_t multiprocessors);
/// The plan with the fewest.
SplitPlan plan_split(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower, int64_t multiprocessors);

/// What a product by Karatsuba's scheme found out about small elements (kernels/matmul/karatsuba.h).
struct Smalls {
  const int* most = nullptr;
  int k = 0;
};

/// C = A·B in float32 by parts of the operands. C lies by rows, nothing is empty, all has been checked. The
/// workspace has split_workspace() bytes. `blocks`: at most, one for each multiprocessor. `smalls`: of
/// thirds, computed only where these do not fit.
Status multiply_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                      const Matrix<float>& c, Accuracy accuracy, const SplitPlan& plan, int64_t blocks,
                      void* workspace, const Smalls& smalls = {});
/// C = A·B in float32 by Karatsuba's scheme, or, where elements of it are too small, as the GPU finds out, by
/// thirds; karatsuba_workspace() bytes.
Status multiply_karatsuba(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                          const Matrix<float>& c, const SplitPlan& plan, int64_t blocks, void* workspace);
std::vector<SplitPlan> karatsuba_plans(int64_t m, int64_t n, int64_t k, bool lower, int64_t multiprocessors);
SplitPlan plan_karatsuba(int64_t m, int64_t n, int64_t k, bool lower, int64_t multiprocessors);
size_t karatsuba_workspace(int64_t m, int64_t n, int64_t k);
/// C = A·Aᵀ, the same with lower_split_workspace() and lower_karatsuba_workspace() bytes.
Status lower_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                   Accuracy accuracy, const SplitPlan& plan, int64_t blocks, void* workspace,
                   const Smalls& smalls = {});
Status lower_karatsuba(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                       const SplitPlan& plan, int64_t blocks, void* workspace);
size_t lower_karatsuba_workspace(int64_t n, int64_t k);
/// C = A·B of bfloat16 elements, results float32 or bfloat16; bfloat16_workspace() bytes. `form`: of the
/// bfloat16_forms() tiles the one to take, else the best.
template <class T>
Status multiply_bfloat16(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& a,
                         const Matrix<const Bfloat16>& b, const Matrix<T>& c, void* workspace,
                         std::optional<size_t> form = {});
size_t bfloat16_forms(bool to_float32);
/// The number of the one that is reckoned the fastest, for operands that the copy engine takes.
size_t plan_bfloat16(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b, bool to_float32,
                     int64_t multiprocessors);
/// What multiply_bfloat16() is reckoned to take, its other launches included.
template <class T>
double bfloat16_seconds(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b, const Matrix<T>& c,
                        int64_t multiprocessors);
const char* bfloat16_form(size_t number);  ///< its name
/// A matrix by rows of pitch_of() elements, which begin at lines of 128 bytes; and what a launch for so many
/// elements is reckoned to take.
Status lay_by_rows(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& m, Bfloat16* room);
double laying_seconds(int64_t elements);

size_t split_workspace(int64_t m, int64_t n, int64_t k, Accuracy accuracy);
size_t lower_split_workspace(int64_t n, int64_t k, Accuracy accuracy);
size_t bfloat16_workspace(int64_t m, int64_t n, int64_t k);

}  // namespace warpwright
