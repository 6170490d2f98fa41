// Products of bfloat16 matrices with few columns or few rows on tensor cores, cut in every way: all layouts,
// operands that are laid first, sizes that fill no tile and no step.
#include "kernels_library/narrow.h"
#include "../long.h"
#include "lies.h"

namespace {

using device::Lie;
using device::Sizes;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::NarrowPlan;
using warpwright::Status;

// A by rows or columns, B and C likewise; the last two have rows of B that are laid first.
constexpr Lie kNarrowLies[] = {{Layout::by_rows, Layout::by_columns, 0, 8},
                               {Layout::by_columns, Layout::by_columns, 8, 0, Layout::by_columns},
                               {Layout::by_rows, Layout::by_rows, 0, 16},
                               {Layout::by_columns, Layout::by_rows, 0, 0, Layout::by_columns}};

template <class OUT>
void try_narrow(const Sizes& s, const NarrowPlan& plan, double rounding) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const device::Array<uint8_t> room(std::vector<uint8_t>(warpwright::narrow_workspace(s.m, s.n, s.k), 0xff));
  for (const Lie& lie : kNarrowLies) {
    // The operand with more rows or columns has to be aligned, and its tiles are of 64 rows across k.
    const bool across = s.m >= s.n ? lie.a == Layout::by_columns : lie.b == Layout::by_rows;
    if (across && plan.rows % 64 != 0) continue;
    device::try_product<Bfloat16, OUT>(
        s, lie, rounding, std::to_string(plan.rows) + " rows, " + std::to_string(plan.pieces) + " pieces",
        [&](auto a, auto b, auto c) {
          EXPECT_TRUE(warpwright::is_narrow(a, b));
          return warpwright::multiply_narrow(*gpu, nullptr, a, b, c, plan, room.data());
        });
  }
}

TEST(NarrowProducts, AreRightInEveryCut) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  size_t number = 0;
  // Each width; few rows instead of few columns; more tiles than multiprocessors.
  for (const NarrowPlan& plan : {NarrowPlan{8, 1}, {64, 1}, {104, 1}, {128, 2}, {64, 3}, {40, 4}}) {
    if (ww::is_tried(number++, 2)) try_narrow<float>({200, 5, 520}, plan, 0);
    if (ww::is_tried(number++, 2)) try_narrow<Bfloat16>({27, 136, 776}, plan, std::ldexp(1, -8));
    if (ww::is_tried(number++, 2)) try_narrow<float>({72, 64, 264}, plan, 0);
  }
  try_narrow<Bfloat16>({1104, 3, 72}, {8, 1}, std::ldexp(1, -8));
}

/// The plan's tiles fit the GPU, and each block has some of k.
TEST(NarrowProducts, PlansAreComplete) {
  for (int64_t m : {65, 1000, 4096, 11008, 300000})
    for (int64_t n : {1, 16, 17, 33, 64})
      for (int64_t k : {8, 128, 4096, 28672})
        for (Layout layout : {Layout::by_rows, Layout::by_columns}) {
          const warpwright::Matrix<const Bfloat16> a{nullptr, m, k, 300000 - 300000 % 8, layout},
              b{nullptr, k, n, k, Layout::by_columns};
          if (!warpwright::is_narrow(a, b)) continue;
          const NarrowPlan plan = plan_narrow(a, b, 132);
          const std::string what = std::to_string(m) + " × " + std::to_string(n) + " × " + std::to_string(k);
          EXPECT_TRUE(plan.rows > 0 && plan.rows <= 128 && plan.rows % 8 == 0) << what;
          EXPECT_TRUE(layout == Layout::by_rows || plan.rows % 64 == 0) << what;
          EXPECT_LE(plan.pieces, (k + 127) / 128) << what;
          EXPECT_LE(plan.pieces == 1 ? 1 : plan.pieces * ((m + plan.rows - 1) / plan.rows), 132) << what;
        }
}

}  // namespace
