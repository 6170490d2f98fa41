// Calls whose launches may begin before the one before has ended: each reads what the one before wrote, or
// writes what it read, and nobody waits between them. `warpwright check` tells what is not ordered.
#include "device.h"
#include "kernels_library/tensor.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Layout;
using warpwright::Status;

/// Products and sums of small integers are exact.
TEST(Early, CallsFollowOneAnother) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  constexpr int64_t kN = 132, kBlocks = 3;
  const auto accuracy = warpwright::Accuracy::float32;
  HostMatrix<float> a(kN, kN, Layout::by_rows), b(kN, kN, Layout::by_rows), c(kN, kN, Layout::by_rows);
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = 0; j < kN; ++j)
      a.at(i, j) = static_cast<float>((i * 3 + j) % 5), b.at(i, j) = static_cast<float>((i + j * 7) % 3);
  const Array<float> da(a.values), db(b.values), dc(c.values), once(size_t{1}), twice(size_t{1});
  const device::Room room(warpwright::split_workspace(kN, kN, kN, accuracy)),
      sums(warpwright::sum_workspace());
  const auto plans = warpwright::split_plans(kN, kN, kN, accuracy, false, kBlocks);
  const int64_t elements = kN * kN;
  // C = A·B, its sum; B = A·C, its sum, with the same workspaces.
  ASSERT_EQ(warpwright::multiply_split(*gpu, nullptr, a.seen(da), b.seen(db), c.written(dc), accuracy,
                                       plans.front(), kBlocks, warpwright::Workspace(room).data),
            Status::ok);
  ASSERT_EQ(warpwright::sum(nullptr, dc.data(), elements, once.data(), sums), Status::ok);
  ASSERT_EQ(warpwright::multiply_split(*gpu, nullptr, a.seen(da), c.seen(dc), b.written(db), accuracy,
                                       plans.front(), kBlocks, warpwright::Workspace(room).data),
            Status::ok);
  ASSERT_EQ(warpwright::sum_again(nullptr, db.data(), elements, twice.data(), sums), Status::ok);
  ASSERT_EQ(warpwright::sum_again(nullptr, dc.data(), elements, once.data(), sums), Status::ok);
  device::wait();
  double sum_c = 0, sum_b = 0;
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = 0; j < kN; ++j)
      for (int64_t k = 0; k < kN; ++k) c.at(i, j) += a.at(i, k) * b.at(k, j);
  for (const float v : c.values) sum_c += v;
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = 0; j < kN; ++j)
      for (int64_t k = 0; k < kN; ++k) sum_b += double{a.at(i, k)} * double{c.at(k, j)};
  EXPECT_EQ(dc.read(), c.values);
  EXPECT_NEAR(once.read()[0], sum_c, sum_c * 1e-6);
  EXPECT_NEAR(twice.read()[0], sum_b, sum_b * 1e-6);
}

TEST(Early, ProductsOfBfloat16FollowOneAnother) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  constexpr int64_t kN = 129;  // the operands are laid first, and the results placed afterwards
  HostMatrix<warpwright::Bfloat16> one(kN, kN, Layout::by_rows);
  for (int64_t i = 0; i < kN; ++i) one.at(i, kN - 1 - i).bits = 0x3f80;
  HostMatrix<warpwright::Bfloat16> a(kN, kN, Layout::by_rows);
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i].bits = static_cast<uint16_t>(0x3f80 + i % 128);
  const Array<warpwright::Bfloat16> d_one(one.values), da(a.values), dc(a.values.size());
  const device::Room room(warpwright::matmul_bfloat16_workspace(kN, kN, kN));
  // The rows turned about, and once more.
  ASSERT_EQ(warpwright::matmul(nullptr, one.seen(d_one), a.seen(da), a.written(dc), room), Status::ok);
  ASSERT_EQ(warpwright::matmul(nullptr, one.seen(d_one), a.seen(dc), a.written(da), room), Status::ok);
  ASSERT_EQ(warpwright::matmul(nullptr, one.seen(d_one), a.seen(da), a.written(dc), room), Status::ok);
  device::wait();
  const auto c = dc.read();
  for (int64_t i = 0; i < kN; ++i)
    for (int64_t j = 0; j < kN; ++j)
      ASSERT_EQ(c[static_cast<size_t>(i * kN + j)].bits, a.at(kN - 1 - i, j).bits);
}

}  // namespace
