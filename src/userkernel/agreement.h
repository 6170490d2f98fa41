// Whether an array holds what its reference says.
#pragma once

#include <cstdint>
#include <string>

#include "base/npy.h"
#include "base/result.h"

namespace ww::userkernel {

struct ArrayAgreement {
  uint64_t elements = 0, wrong = 0;
  double max_error = 0;  ///< largest |element - reference|; NaN if an element alone is one
  double of_bound = 0;   ///< largest |element - reference| / bound
  std::string first;     ///< "element (3, 17) is 4.5, must be 4.2"
};

/// An element is right when it lies within absolute + relative * |reference| of its reference; NaN where the
/// reference is NaN, infinite where it is. Negative tolerances mean those of the element type: relative 0 for
/// whole numbers, 4e-3 for f2, 1e-5 for f4, 1e-12 for f8; absolute the same times the largest |reference|.
/// Error: other numbers of elements.
Result<ArrayAgreement> compare_arrays(const npy::Array& found, const npy::Array& reference, double relative,
                                      double absolute);

}  // namespace ww::userkernel
