// Products of bfloat16 matrices with few columns, or few rows, on tensor cores
// (kernels/matmul/tensor_narrow.h).
#pragma once

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

/// Rows of a tile, and blocks of a cluster that share its k; what that is reckoned to take.
struct NarrowPlan {
  int64_t rows = 0, pieces = 0;
  double seconds = 0;
};
/// More columns, or rows, are for other kernels.
constexpr int64_t kNarrowMost = 64;

/// Whether A·B is such a product: the longer operand has to lie as the copy engine takes it.
bool is_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b);
/// Whether the other one has to be laid first.
bool lays_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b);
/// How it is computed; is_narrow().
NarrowPlan plan_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b,
                       int64_t multiprocessors);

/// C = A·B; is_narrow(), nothing is empty, all has been checked. cc 9.0; narrow_workspace() bytes.
template <class OUT>
Status multiply_narrow(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& a,
                       const Matrix<const Bfloat16>& b, const Matrix<OUT>& c, const NarrowPlan& plan,
                       void* workspace);
size_t narrow_workspace(int64_t m, int64_t n, int64_t k);

}  // namespace warpwright
