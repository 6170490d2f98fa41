// Products of matrices that lie anyhow, of float32 or bfloat16, beside float64.
#pragma once

#include <cmath>
#include <cstring>
#include <string>

#include "device.h"

namespace device {

using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Status;

inline float value_of(float v) { return v; }
inline float value_of(Bfloat16 v) {
  const uint32_t bits = uint32_t{v.bits} << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline void assign(float& to, float v) { to = v; }
inline void assign(Bfloat16& to, float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  to.bits = static_cast<uint16_t>(bits >> 16);
}

/// Normal values; what pads the rows is NaN.
template <class T>
HostMatrix<T> drawn(int64_t rows, int64_t columns, Layout layout, int64_t padding, unsigned seed) {
  HostMatrix<float> wide(rows, columns, layout, padding);
  fill(wide, seed);
  HostMatrix<T> m(rows, columns, layout, padding);
  for (size_t i = 0; i < m.values.size(); ++i) assign(m.values[i], wide.values[i]);
  return m;
}

struct Lie {
  Layout a, b;
  size_t ahead;  ///< elements from an aligned address to the matrices
  int64_t padding;
  Layout c = Layout::by_rows;
};
struct Sizes {
  int64_t m, n, k;
};

/// call(a, b, c) computes a product, which nothing else than its results may be written by. `rounding`: of
/// the results, as a part of them.
template <class IN, class OUT, class CALL>
void try_product(const Sizes& s, const Lie& lie, double rounding, const std::string& name, CALL call) {
  const auto a = drawn<IN>(s.m, s.k, lie.a, lie.padding, 1), b = drawn<IN>(s.k, s.n, lie.b, lie.padding, 2);
  HostMatrix<OUT> c(s.m, s.n, lie.c, lie.padding);
  std::memset(static_cast<void*>(c.values.data()), 0x7f, c.values.size() * sizeof(OUT));
  const std::vector<OUT> before = c.values;
  const Array<IN> device_a(a.values, lie.ahead), device_b(b.values, lie.ahead);
  const Array<OUT> device_c(c.values, lie.ahead);
  const Status status = call(a.seen(device_a), b.seen(device_b), c.written(device_c));
  ASSERT_EQ(status, Status::ok) << warpwright::text(status) << " " << warpwright::driver_error();
  wait();
  c.values = device_c.read();
  const std::string what = name + ": " + std::to_string(s.m) + " × " + std::to_string(s.n) + " × " +
                           std::to_string(s.k) + ", layouts " + std::to_string(int(lie.a)) +
                           std::to_string(int(lie.b)) + std::to_string(int(lie.c));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0, terms = 0;
      for (int64_t k = 0; k < s.k; ++k) {
        const double term = double{value_of(a.at(i, k))} * double{value_of(b.at(k, j))};
        sum += term, terms += std::fabs(term);
      }
      // Higham: k·2⁻²⁴ of the terms.
      ASSERT_NEAR(double{value_of(c.at(i, j))}, sum,
                  terms * std::ldexp(static_cast<double>(s.k) + 2, -24) + std::fabs(sum) * rounding)
          << what << " at " << i << ", " << j;
    }
  const int64_t length = c.stride - lie.padding;
  for (size_t at = 0; at < before.size(); ++at)
    if (static_cast<int64_t>(at) % c.stride >= length) {
      ASSERT_EQ(std::memcmp(&c.values[at], &before[at], sizeof(OUT)), 0) << what << ": padding";
    }
}

}  // namespace device
