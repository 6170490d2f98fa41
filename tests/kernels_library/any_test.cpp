// Products of matrices that lie anyhow, in every tile that there is for them: all layouts, rows that begin at
// any element, sizes that fill no tile and no step.
#include <string>

#include "device.h"
#include "kernels_library/any.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::AnyForm;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Status;

float value_of(float v) { return v; }
float value_of(Bfloat16 v) {
  const uint32_t bits = uint32_t{v.bits} << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
void assign(float& to, float v) { to = v; }
void assign(Bfloat16& to, float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  to.bits = static_cast<uint16_t>(bits >> 16);
}

/// Normal values; what pads the rows is NaN.
template <class T>
HostMatrix<T> drawn(int64_t rows, int64_t columns, Layout layout, int64_t padding, unsigned seed) {
  HostMatrix<float> wide(rows, columns, layout, padding);
  device::fill(wide, seed);
  HostMatrix<T> m(rows, columns, layout, padding);
  for (size_t i = 0; i < m.values.size(); ++i) assign(m.values[i], wide.values[i]);
  return m;
}

struct Lie {
  Layout a, b;
  size_t ahead;  ///< elements from an aligned address to the matrices
  int64_t padding;
};
constexpr Lie kLies[] = {{Layout::by_rows, Layout::by_rows, 1, 0},
                         {Layout::by_columns, Layout::by_columns, 0, 3},
                         {Layout::by_rows, Layout::by_columns, 0, 4},
                         {Layout::by_columns, Layout::by_rows, 2, 1}};
struct Sizes {
  int64_t m, n, k;
};
constexpr Sizes kSizes[] = {{1, 1, 1}, {130, 67, 33}, {63, 129, 150}, {20, 40, 64}};

/// All forms of a product of these elements. `rounding`: of the results, as a part of them.
template <class IN, class OUT>
void try_all(double rounding) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  for (const AnyForm* form = warpwright::any_forms(sizeof(IN)); form->name; ++form)
    for (const Sizes& s : kSizes)
      for (const Lie& lie : kLies) {
        const auto a = drawn<IN>(s.m, s.k, lie.a, lie.padding, 1),
                   b = drawn<IN>(s.k, s.n, lie.b, lie.padding, 2);
        HostMatrix<OUT> c(s.m, s.n, Layout::by_rows, lie.padding);
        std::memset(static_cast<void*>(c.values.data()), 0x7f, c.values.size() * sizeof(OUT));
        const std::vector<OUT> before = c.values;
        const Array<IN> device_a(a.values, lie.ahead), device_b(b.values, lie.ahead);
        const Array<OUT> device_c(c.values, lie.ahead);
        const Status status = warpwright::multiply_any(*gpu, nullptr, a.seen(device_a), b.seen(device_b),
                                                       c.written(device_c), *form);
        ASSERT_EQ(status, Status::ok) << warpwright::text(status) << " " << warpwright::driver_error();
        device::wait();
        c.values = device_c.read();
        const std::string what = std::string(form->name) + ": " + std::to_string(s.m) + " × " +
                                 std::to_string(s.n) + " × " + std::to_string(s.k) + ", layouts " +
                                 std::to_string(int(lie.a)) + std::to_string(int(lie.b));
        for (int64_t i = 0; i < s.m; ++i) {
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
          for (int64_t j = s.n; j < c.stride; ++j) {
            const auto at = static_cast<size_t>(i * c.stride + j);
            ASSERT_EQ(std::memcmp(&c.values[at], &before[at], sizeof(OUT)), 0) << what << ": padding";
          }
        }
      }
}

TEST(AnyProducts, OfBfloat16AreRightInEveryTile) {
  if (device::compute_capability() < 80) GTEST_SKIP();
  try_all<Bfloat16, float>(0);
  try_all<Bfloat16, Bfloat16>(std::ldexp(1, -8));
}
TEST(AnyProducts, OfFloat32AreRightInEveryTile) {
  if (device::compute_capability() < 90) GTEST_SKIP();
  try_all<float, float>(0);
}

}  // namespace
