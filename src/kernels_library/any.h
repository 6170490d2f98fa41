// Products on tensor cores in one launch, of matrices that lie anyhow (kernels/matmul/tensor_any.h).
#pragma once

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

/// A tile of cuda/tensor_any.h, and what it takes, in microseconds of an H200: once, and in each round a
/// block on a multiprocessor and each further one beside it, without its steps and for each step.
struct AnyForm {
  const char* name;
  int64_t rows, columns;
  int64_t per_sm;  ///< blocks that a multiprocessor takes at once
  double launch, block, further, step, further_step;
};
/// The one that is reckoned to be the fastest, and what it then takes.
struct AnyPlan {
  const AnyForm* form = nullptr;
  double seconds = 0;
  int64_t pieces = 1;  ///< blocks along k for a tile, whose results another launch adds up
};
/// Of elements of so many bytes (2: bfloat16, 4: float32); m × k by k × n. `cut`: in pieces, too (bfloat16,
/// from cc 9.0).
AnyPlan plan_any(size_t element, int64_t m, int64_t n, int64_t k, int64_t multiprocessors, bool cut = false);
/// All of them; the last one has no name.
const AnyForm* any_forms(size_t element);

/// C = A·B; C lies by rows, nothing is empty, all has been checked. bfloat16 from cc 8.0; float32, as sums of
/// three bf16 parts, from cc 9.0. The workspace is for pieces.
template <class IN, class OUT>
Status multiply_any(Gpu& gpu, Stream stream, const Matrix<const IN>& a, const Matrix<const IN>& b,
                    const Matrix<OUT>& c, const AnyForm& form, int64_t pieces = 1, void* workspace = nullptr);

}  // namespace warpwright
