#include "kernels/host_rows.h"

#include <algorithm>

namespace ww::kernels {

namespace {

template <class T>
void add(T* __restrict sum, const T* __restrict from, size_t n) {
  for (size_t j = 0; j < n; ++j) sum[j] += from[j];
}

}  // namespace

void add_row(float* sum, const float* from, size_t n) { add(sum, from, n); }
void add_row(double* sum, const double* from, size_t n) { add(sum, from, n); }

void add_multiple(float* __restrict sum, float factor, const float* __restrict from, size_t n) {
  for (size_t j = 0; j < n; ++j) sum[j] += factor * from[j];
}

void add_from_ahead(double* values, size_t ahead, size_t n) {
  constexpr size_t kBlock = 64;
  double next[kBlock];  // so that nothing overlaps
  for (; n >= kBlock; values += kBlock, n -= kBlock) {
    std::copy_n(values + ahead, kBlock, next);
    add(values, next, kBlock);
  }
  for (size_t j = 0; j < n; ++j) values[j] += values[j + ahead];
}

}  // namespace ww::kernels
