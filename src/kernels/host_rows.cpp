#include "kernels/host_rows.h"

namespace ww::kernels {

void add_row(float* __restrict sum, const float* __restrict from, size_t n) {
  for (size_t j = 0; j < n; ++j) sum[j] += from[j];
}

void add_multiple(float* __restrict sum, float factor, const float* __restrict from, size_t n) {
  for (size_t j = 0; j < n; ++j) sum[j] += factor * from[j];
}

}  // namespace ww::kernels
