// Products by Karatsuba's scheme: as exact as the elements' 24 bits, and left to thirds where elements are
// too small for it.
#include <set>
#include <string>

#include "device.h"
#include "kernels_library/tensor.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Layout;
using warpwright::SplitPlan;
using warpwright::Status;

constexpr int kBlocks = 5;  // so that tiles are left over, which are cut along k

warpwright::Gpu* gpu() {
  warpwright::Gpu* found = nullptr;
  EXPECT_EQ(warpwright::Gpu::current(&found), Status::ok);
  return found;
}

/// The product by `call`, in a workspace full of ones.
template <class CALL>
HostMatrix<float> product(const HostMatrix<float>& a, const HostMatrix<float>& b, size_t ahead, size_t bytes,
                          CALL call) {
  HostMatrix<float> c(a.rows, b.columns, Layout::by_rows);
  const Array<float> on_a(a.values, ahead), on_b(b.values, ahead),
      on_c(std::vector<float>(c.values.size(), std::nanf("")), ahead);
  const Array<uint8_t> room(std::vector<uint8_t>(bytes, 0xff));
  const Status status = call(a.seen(on_a), b.seen(on_b), c.written(on_c), room.data());
  EXPECT_EQ(status, Status::ok) << warpwright::text(status);
  device::wait();
  c.values = on_c.read();
  return c;
}
HostMatrix<float> by_karatsuba(const HostMatrix<float>& a, const HostMatrix<float>& b, const SplitPlan& plan,
                               size_t ahead = 0) {
  return product(a, b, ahead, warpwright::karatsuba_workspace(a.rows, b.columns, a.columns),
                 [&](auto on_a, auto on_b, auto on_c, void* room) {
                   return warpwright::multiply_karatsuba(*gpu(), nullptr, on_a, on_b, on_c, plan, kBlocks,
                                                         room);
                 });
}
HostMatrix<float> by_thirds(const HostMatrix<float>& a, const HostMatrix<float>& b) {
  using warpwright::Accuracy;
  const SplitPlan plan =
      warpwright::plan_split(a.rows, b.columns, a.columns, Accuracy::float32, false, kBlocks);
  return product(a, b, 0, warpwright::split_workspace(a.rows, b.columns, a.columns, Accuracy::float32),
                 [&](auto on_a, auto on_b, auto on_c, void* room) {
                   return warpwright::multiply_split(*gpu(), nullptr, on_a, on_b, on_c, Accuracy::float32,
                                                     plan, kBlocks, room);
                 });
}
SplitPlan first_plan(const HostMatrix<float>& a, const HostMatrix<float>& b) {
  return warpwright::karatsuba_plans(a.rows, b.columns, a.columns, false, kBlocks).front();
}

/// Rows of A and columns of B of one value each: what a part loses adds up instead of cancelling. Values from
/// 1 up to 2, with 24 bits, times a power of two that differs from row to row.
void fill_equal(HostMatrix<float>& m, bool by_row, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(1, 2);
  for (float& v : m.values) v = std::nanf("");
  for (int64_t line = 0; line < (by_row ? m.rows : m.columns); ++line) {
    const float v = std::ldexp(uniform(random), static_cast<int>(random() % 80) - 40);
    for (int64_t k = 0; k < (by_row ? m.columns : m.rows); ++k) (by_row ? m.at(line, k) : m.at(k, line)) = v;
  }
}

/// Both tiles, whole and cut, in every layout; rows of which a block has several, one, and one that it reads
/// again in part. Of the elements nothing is lost but l times what rounding h to
/// 4 bits leaves, 2^-24 of a product. Tensor cores cut off up to 2^-23 of the sum for every 16 k, and every
/// step of 64 k is rounded twice when it is added up. Without l the error would be 2^-20, which k = 16 would
/// show.
TEST(Karatsuba, HasAllBitsOfTheElements) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  std::set<std::string> seen;
  for (const auto& [m, n, k, ahead, la, lb] : {std::tuple<int64_t, int64_t, int64_t, size_t, Layout, Layout>{
                                                   260, 250, 84, 0, Layout::by_rows, Layout::by_rows},
                                               {260, 252, 128, 1, Layout::by_columns, Layout::by_columns},
                                               {130, 36, 16, 0, Layout::by_columns, Layout::by_rows},
                                               {130, 4, 37, 1, Layout::by_rows, Layout::by_columns},
                                               {260, 130, 260, 0, Layout::by_columns, Layout::by_rows},
                                               {200, 390, 260, 0, Layout::by_rows, Layout::by_columns},
                                               {3, 8, 4500, 0, Layout::by_rows, Layout::by_columns}}) {
    HostMatrix<float> a(m, k, la), b(k, n, lb);
    fill_equal(a, true, 1), fill_equal(b, false, 2);
    for (const SplitPlan& plan : warpwright::karatsuba_plans(m, n, k, false, kBlocks)) {
      seen.insert(plan.form->name + std::string(plan.cut > 0 ? " cut" : ""));
      const HostMatrix<float> c = by_karatsuba(a, b, plan, ahead);
      double largest = 0;
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const double exact = double{a.at(i, 0)} * double{b.at(0, j)} * static_cast<double>(k);
          const double error = std::fabs(double{c.at(i, j)} / exact - 1);
          largest = std::isnan(error) ? 1e9 : std::max(largest, error);
        }
      const auto steps = static_cast<double>((k + 15) / 16);
      EXPECT_LT(largest, std::ldexp(5 + 2.5 * steps, -24))
          << plan.form->name << " " << plan.pieces << ", k = " << k;
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"", " cut", "_pair", "_pair_cut cut"}));
}

/// One row of A has too many elements that are small beside the largest, or one column of B: thirds, to the
/// last bit. With fewer of them: no.
TEST(Karatsuba, LeavesSmallElementsToThirds) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  constexpr int64_t kM = 40, kN = 36, kDepth = 128;
  HostMatrix<float> a(kM, kDepth, Layout::by_rows), b(kDepth, kN, Layout::by_rows);
  fill_equal(a, true, 3), fill_equal(b, false, 4);
  EXPECT_NE(by_karatsuba(a, b, first_plan(a, b)).values, by_thirds(a, b).values);
  // Of a row's 128 elements at most 96 together: of the others at most 16 count as 16.
  for (const bool of_a : {true, false}) {
    for (const auto& [smalls, thirds] : {std::pair<int, bool>{80, false}, {81, true}}) {
      HostMatrix<float> x = a, y = b;
      for (int k = 0; k < smalls; ++k) (of_a ? x.at(7, k) : y.at(k, 7)) *= 1e-3f;
      EXPECT_EQ(by_karatsuba(x, y, first_plan(x, y)).values == by_thirds(x, y).values, thirds)
          << smalls << " small elements of " << (of_a ? "A" : "B");
    }
  }
  // So long a row that a block reads the end of it again: at most 3375, of the others at most 562 count so.
  for (const auto& [smalls, thirds] : {std::pair<int, bool>{2813, false}, {2814, true}}) {
    HostMatrix<float> x(2, 4500, Layout::by_rows), y(4500, 4, Layout::by_rows);
    fill_equal(x, true, 13), fill_equal(y, false, 14);
    for (int k = 0; k < smalls; ++k) x.at(1, 4499 - k) *= 1e-3f;
    EXPECT_EQ(by_karatsuba(x, y, first_plan(x, y)).values == by_thirds(x, y).values, thirds) << smalls;
  }
  // Results that the copy engine cannot store are put into their places once.
  HostMatrix<float> x(kM, kDepth, Layout::by_rows), y(kDepth, kN - 1, Layout::by_rows);
  fill_equal(x, true, 5), fill_equal(y, false, 6);
  for (int k = 0; k < 100; ++k) x.at(3, k) = 0;
  EXPECT_EQ(by_karatsuba(x, y, first_plan(x, y)).values, by_thirds(x, y).values);
}

/// Thirds add up the sums of some stages of 64 k before all: of 256 stages, whose sum grows as elements are
/// positive, far less is rounded away than by adding each to the sum of all.
TEST(Karatsuba, LeavesErrorsThatHardlyGrow) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  constexpr int64_t kN = 8, kStage = 64, kDepth = 256 * kStage;
  HostMatrix<float> a(kN, kDepth, Layout::by_rows), b(kDepth, kN, Layout::by_rows);
  uint32_t bits = 1;
  for (auto* values : {&a.values, &b.values})
    for (float& v : *values) v = static_cast<float>((bits = bits * 1664525 + 1013904223) >> 8) / 0x1p24f;
  const HostMatrix<float> c = by_thirds(a, b);
  double largest = 0, stage_by_stage = 0;
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = 0; j < kN; ++j) {
      double exact = 0, stage = 0;
      float sum = 0;
      for (int64_t k = 0; k < kDepth; ++k) {
        exact += double{a.at(i, k)} * double{b.at(k, j)};
        stage += double{a.at(i, k)} * double{b.at(k, j)};
        if (k % kStage == kStage - 1) sum += static_cast<float>(stage), stage = 0;
      }
      largest = std::max(largest, std::fabs(double{c.at(i, j)} / exact - 1));
      stage_by_stage = std::max(stage_by_stage, std::fabs(double{sum} / exact - 1));
    }
  EXPECT_LT(1.5 * largest, stage_by_stage);
}

/// A·Aᵀ in an n × n result, by `call` of a workspace of `bytes`.
template <class CALL>
HostMatrix<float> lower(const HostMatrix<float>& a, size_t bytes, CALL call) {
  HostMatrix<float> none(a.columns, a.rows, Layout::by_rows);
  return product(a, none, 0, bytes,
                 [&](auto on_a, auto, auto on_c, void* room) { return call(on_a, on_c, room); });
}
HostMatrix<float> lower_by_karatsuba(const HostMatrix<float>& a, const SplitPlan& plan,
                                     int64_t blocks = kBlocks) {
  return lower(a, warpwright::lower_karatsuba_workspace(a.rows, a.columns),
               [&](auto on_a, auto on_c, void* room) {
                 return warpwright::lower_karatsuba(*gpu(), nullptr, on_a, on_c, plan, blocks, room);
               });
}

/// A·Aᵀ as HasAllBitsOfTheElements; and symmetric to the last bit. Several squares of a pair on the diagonal
/// and below it.
TEST(Karatsuba, HasAllBitsOfTheElementsInLowerTiles) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  std::set<std::string> seen;
  for (const auto& [n, k, blocks, layout] :
       {std::tuple<int64_t, int64_t, int64_t, Layout>{388, 84, kBlocks, Layout::by_rows},
        {130, 260, kBlocks, Layout::by_columns},
        {600, 260, 2 * kBlocks, Layout::by_rows},
        {37, 16, kBlocks, Layout::by_rows}}) {
    HostMatrix<float> a(n, k, layout);
    fill_equal(a, true, 9);
    for (const SplitPlan& plan : warpwright::karatsuba_plans(n, n, k, true, blocks)) {
      seen.insert(plan.form->name + std::string(plan.cut > 0 ? " cut" : ""));
      const HostMatrix<float> c = lower_by_karatsuba(a, plan, blocks);
      double largest = 0;
      bool symmetric = true;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const double exact = double{a.at(i, 0)} * double{a.at(j, 0)} * static_cast<double>(k);
          const double error = std::fabs(double{c.at(i, j)} / exact - 1);
          largest = std::isnan(error) ? 1e9 : std::max(largest, error);
          symmetric &= c.at(i, j) == c.at(j, i);
        }
      const auto steps = static_cast<double>((k + 15) / 16);
      EXPECT_LT(largest, std::ldexp(5 + 2.5 * steps, -24))
          << plan.form->name << " " << plan.pieces << ", k = " << k;
      EXPECT_TRUE(symmetric) << plan.form->name << " " << plan.pieces;
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"", " cut", "_pair", "_pair_cut cut"}));
}

/// A row counts for both operands: of 128 elements 48 may be small.
TEST(Karatsuba, LeavesSmallElementsOfLowerTilesToThirds) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  using warpwright::Accuracy;
  constexpr int64_t kN = 40, kDepth = 128;
  for (const auto& [smalls, thirds] : {std::pair<int, bool>{48, false}, {49, true}}) {
    HostMatrix<float> a(kN, kDepth, Layout::by_rows);
    fill_equal(a, true, 3);
    for (int k = 0; k < smalls; ++k) a.at(7, k) *= 1e-3f;
    const SplitPlan plan = warpwright::plan_split(kN, kN, kDepth, Accuracy::float32, true, kBlocks);
    const auto by_thirds = lower(a, warpwright::lower_split_workspace(kN, kDepth, Accuracy::float32),
                                 [&](auto on_a, auto on_c, void* room) {
                                   return warpwright::lower_split(*gpu(), nullptr, on_a, on_c,
                                                                  Accuracy::float32, plan, kBlocks, room);
                                 });
    const auto by_karatsuba =
        lower_by_karatsuba(a, warpwright::karatsuba_plans(kN, kN, kDepth, true, kBlocks).front());
    EXPECT_EQ(by_karatsuba.values == by_thirds.values, thirds) << smalls;
  }
}

/// Infinities and NaNs do not vanish.
TEST(Karatsuba, KeepsWhatIsNoNumber) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  constexpr int64_t kN = 36, kDepth = 64;
  for (const float bad : {HUGE_VALF, std::nanf("")}) {
    HostMatrix<float> a(kN, kDepth, Layout::by_rows), b(kDepth, kN, Layout::by_rows);
    fill_equal(a, true, 7), fill_equal(b, false, 8);
    a.at(5, 9) = bad;
    const HostMatrix<float> c = by_karatsuba(a, b, first_plan(a, b));
    for (int64_t i = 0; i < kN; ++i)
      for (int64_t j = 0; j < kN; ++j) EXPECT_EQ(std::isfinite(c.at(i, j)), i != 5) << i << ", " << j;
  }
}

}  // namespace
