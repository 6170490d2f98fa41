// Products with few columns, or few rows (kernels/matmul/thin.h).
#pragma once

#include <algorithm>

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"
#include "kernels_library/portable.h"

namespace warpwright {

/// How such a product is cut, and what it is reckoned to take.
struct ThinPlan {
  int64_t slices = 0, pieces = 0;  ///< warps of a block that share k; further blocks that do
  double seconds = 0;
};
/// More columns, or rows, are for other kernels; of bfloat16 tensor cores are faster from five on.
constexpr int64_t kThinMost = 16, kThinMostBfloat16 = 4;
template <class IN>
bool is_thin(const Matrix<const IN>& a, const Matrix<const IN>& b) {
  return std::min(a.rows, b.columns) <= (sizeof(IN) == 2 ? kThinMostBfloat16 : kThinMost);
}

/// How A·B is computed; is_thin().
template <class IN>
ThinPlan plan_thin(const Matrix<const IN>& a, const Matrix<const IN>& b, int64_t multiprocessors);

/// Results as threads store them one by one (kernels/matmul/thin_results.h).
struct ThinResults {
  void* data;
  Steps steps;
  bool bf16;
};
template <class OUT>
ThinResults thin_results(const Matrix<OUT>& c) {
  return {c.data, steps_of(c), sizeof(OUT) == 2};
}

/// C = A·B; m or n is at most kThinMost, nothing is empty, all has been checked. From cc 9.0. The workspace
/// is as for other products.
template <class IN, class OUT>
Status multiply_thin(Gpu& gpu, Stream stream, const Matrix<const IN>& a, const Matrix<const IN>& b,
                     const Matrix<OUT>& c, const ThinPlan& plan, void* workspace);

/// C = the sum of these results by rows, one behind the other; from cc 9.0.
template <class OUT>
Status add_pieces(Gpu& gpu, Stream stream, const float* partial, int64_t pieces, const Matrix<OUT>& c);

}  // namespace warpwright
