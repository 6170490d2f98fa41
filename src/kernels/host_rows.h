// Inner loops on the host, which compilers vectorise.
#pragma once

#include <cstddef>

namespace ww::kernels {

/// sum[j] += from[j] for j < n. The rows do not overlap.
void add_row(float* sum, const float* from, size_t n);
void add_row(double* sum, const double* from, size_t n);
/// sum[j] += factor · from[j] for j < n. The rows do not overlap.
void add_multiple(float* sum, float factor, const float* from, size_t n);
/// values[j] += values[j + ahead] for j < n, in this order; ahead > 0.
void add_from_ahead(double* values, size_t ahead, size_t n);

}  // namespace ww::kernels
