// The plans of C = A·B on tensor cores.
#pragma once

#include "kernels/families.h"

namespace ww::kernels {

Result<Plan> tensor_bf16(const Config& config);
Result<Plan> tensor_halves(const Config& config);
Result<Plan> tensor_halves_square(const Config& config);
Result<Plan> tensor_thirds(const Config& config);
Result<Plan> tensor_karatsuba(const Config& config);

}  // namespace ww::kernels
