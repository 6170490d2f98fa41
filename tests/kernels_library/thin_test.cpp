// Products with few columns or few rows, cut in every way: all layouts, rows that begin at any element, sizes
// that fill no chunk and no warp.
#include "kernels_library/thin.h"
#include "../long.h"
#include "kernels_library/any.h"
#include "lies.h"

namespace {

using device::Lie;
using device::Sizes;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Status;
using warpwright::ThinPlan;

constexpr Lie kThinLies[] = {{Layout::by_rows, Layout::by_rows, 1, 0, Layout::by_columns},
                             {Layout::by_columns, Layout::by_columns, 0, 3},
                             {Layout::by_rows, Layout::by_columns, 0, 4},
                             {Layout::by_columns, Layout::by_rows, 2, 1, Layout::by_columns},
                             {Layout::by_rows, Layout::by_rows, 8, 4}};
// One number; few results and long sums; one column; few rows; as many columns as there may be; many results
// of sums in pieces; a column and long rows.
constexpr Sizes kThinSizes[] = {{1, 1, 1},    {1, 1, 1030}, {3, 2, 700},    {150, 1, 68},
                                {8, 70, 132}, {41, 16, 97}, {294, 14, 580}, {257, 1, 4608}};

/// `rounding`: of the results, as a part of them.
template <class IN, class OUT>
void try_thin(double rounding) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  size_t number = 0;
  for (const Sizes& s : kThinSizes) {
    if (sizeof(IN) == 2 && std::min(s.m, s.n) > warpwright::kThinMostBfloat16) continue;
    for (const ThinPlan& plan : {ThinPlan{1, 1}, {2, 1}, {8, 1}, {4, 3}, {8, 9}}) {
      if (plan.pieces > 1 && s.k < 500) continue;
      const device::Array<uint8_t> room(
          std::vector<uint8_t>(static_cast<size_t>(plan.pieces * s.m * s.n) * sizeof(float), 0xff));
      for (const Lie& lie : kThinLies)
        if (ww::is_tried(number++, 3))
          device::try_product<IN, OUT>(
              s, lie, rounding,
              std::to_string(plan.slices) + " slices, " + std::to_string(plan.pieces) + " pieces",
              [&](auto a, auto b, auto c) {
                return warpwright::multiply_thin(*gpu, nullptr, a, b, c, plan, room.data());
              });
    }
  }
}

TEST(ThinProducts, OfFloat32AreRight) {
  if (device::compute_capability() < 90) GTEST_SKIP();
  try_thin<float, float>(0);
}
TEST(ThinProducts, OfBfloat16AreRight) {
  if (device::compute_capability() < 90) GTEST_SKIP();
  try_thin<Bfloat16, float>(0);
  try_thin<Bfloat16, Bfloat16>(std::ldexp(1, -8));
}

/// Also of products that are cut otherwise (any.h).
TEST(ThinProducts, OfFewResultsAndLongSumsFitIntoTheWorkspace) {
  for (int64_t n : {5, 40, 153, 700})
    for (int64_t m : {1, 30, 87, 500})
      for (int64_t k : {1, 200, 13143, 400000})
        EXPECT_LE(warpwright::plan_any(2, m, n, k, 132, true).pieces * m * n * 4,
                  static_cast<int64_t>(warpwright::matmul_bfloat16_workspace(m, n, k)))
            << m << " × " << n << " × " << k;
}

/// What a call takes fits into the workspace that it states.
TEST(ThinProducts, PiecesFitIntoTheWorkspace) {
  for (int64_t n : {1, 3, 16})
    for (int64_t m : {1, 16, 40, 5000})
      for (int64_t k : {1, 2000, 70000, 3000000}) {
        const warpwright::Matrix<const float> a{nullptr, m, k, k}, b{nullptr, k, n, n};
        const ThinPlan plan = plan_thin(a, b, 132);
        EXPECT_LE(plan.pieces * m * n * 4 + 256,
                  static_cast<int64_t>(matmul_workspace(m, n, k, warpwright::Accuracy::ieee)))
            << m << " × " << n << " × " << k;
        if (n > warpwright::kThinMostBfloat16) continue;
        const warpwright::Matrix<const Bfloat16> half_a{nullptr, m, k, k}, half_b{nullptr, k, n, n};
        EXPECT_LE(plan_thin(half_a, half_b, 132).pieces * m * n * 4 + 256,
                  static_cast<int64_t>(warpwright::matmul_bfloat16_workspace(m, n, k)));
      }
}

}  // namespace
