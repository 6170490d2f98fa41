// The inner loops of the sequential cases, which compilers vectorise: rows that do not overlap.
#pragma once

#include <cstddef>

namespace ww::kernels {

/// sum[j] += from[j] for j < n.
void add_row(float* sum, const float* from, size_t n);
/// sum[j] += factor · from[j] for j < n.
void add_multiple(float* sum, float factor, const float* from, size_t n);

}  // namespace ww::kernels
