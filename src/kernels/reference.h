// What a task's answer is in float64.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// The answer, row by row (a vector is one row, a number one row of one).
class Reference {
 public:
  virtual ~Reference() = default;
  virtual uint64_t rows() const = 0;
  virtual uint64_t row_length() const = 0;
  /// Rows first … first + count − 1: the exact elements, and for each the sum of its terms' absolute values.
  virtual void read(uint64_t first, uint64_t count, std::span<double> exact,
                    std::span<double> magnitude) const = 0;
};

/// Computes the answer: products by BLAS (dgemm), sums in float64. Box sums are computed as they are read.
/// Fails where products are asked for and there is no BLAS library.
Result<std::shared_ptr<const Reference>> compute_reference(const Task& task);

}  // namespace ww::kernels
