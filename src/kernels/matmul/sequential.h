// C = A·B on one core of the host.
#pragma once

#include <span>
#include <vector>

#include "kernels/plan.h"

namespace ww::kernels {

/// Three nested loops (i, k, j) over A and B, n × n by rows; writes all of C.
void multiply_on_host(const Task& task, std::span<const std::vector<float>> inputs, std::span<float> c);

}  // namespace ww::kernels
