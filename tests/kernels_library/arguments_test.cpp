// What is wrong with arguments comes back as a value, and nothing is launched.
#include "device.h"

namespace {

using device::Array;
using warpwright::Accuracy;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Matrix;
using warpwright::Status;

class Arguments : public testing::Test {
 protected:
  Arguments() : memory_(std::vector<float>(4096, 3.0f)) {}
  float* at(size_t element) const { return memory_.data() + element; }
  Matrix<const float> a() const { return {at(0), 8, 8, 8}; }
  Matrix<const float> b() const { return {at(64), 8, 8, 8}; }
  Matrix<float> c() const { return {at(128), 8, 8, 8}; }
  Status multiply(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c) const {
    return warpwright::matmul(nullptr, a, b, c, Accuracy::ieee, room_);
  }
  void TearDown() override { EXPECT_EQ(memory_.read(), std::vector<float>(4096, 3.0f)); }

  Array<float> memory_;
  device::Room room_{warpwright::matmul_workspace(8, 8, 8, Accuracy::ieee)};
};

TEST_F(Arguments, NullPointers) {
  EXPECT_EQ(multiply({nullptr, 8, 8, 8}, b(), c()), Status::null_pointer);
  EXPECT_EQ(multiply(a(), b(), {nullptr, 8, 8, 8}), Status::null_pointer);
  EXPECT_EQ(warpwright::sum(nullptr, nullptr, 5, at(0), {at(1024), 8192}), Status::null_pointer);
  EXPECT_EQ(warpwright::sum(nullptr, at(0), 5, nullptr, {at(1024), 8192}), Status::null_pointer);
}

TEST_F(Arguments, Shapes) {
  EXPECT_EQ(multiply({at(0), 8, 7, 8}, b(), c()), Status::bad_shape);
  EXPECT_EQ(multiply({at(0), 7, 8, 8}, b(), c()), Status::bad_shape);
  EXPECT_EQ(multiply({at(0), -8, 8, 8}, b(), c()), Status::bad_shape);
  EXPECT_EQ(multiply({at(0), int64_t{1} << 40, 8, 8}, b(), c()), Status::bad_shape);
  EXPECT_EQ(warpwright::aat(nullptr, a(), {at(128), 8, 7, 8}, Accuracy::ieee, {}), Status::bad_shape);
  EXPECT_EQ(warpwright::box_sum(nullptr, a(), {at(128), 5, 4, 4}, 2, room_), Status::bad_shape);
  EXPECT_EQ(warpwright::box_sum(nullptr, a(), {at(128), 12, 12, 12}, -2, room_), Status::bad_shape);
  EXPECT_EQ(warpwright::sum(nullptr, at(0), -1, at(1000), {at(1024), 8192}), Status::bad_shape);
}

TEST_F(Arguments, Strides) {
  EXPECT_EQ(multiply({at(0), 8, 8, 7}, b(), c()), Status::bad_stride);
  EXPECT_EQ(multiply(a(), {at(64), 8, 8, 4, Layout::by_columns}, c()), Status::bad_stride);
}

TEST_F(Arguments, Alignment) {
  const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(at(0)) + 2);
  EXPECT_EQ(multiply({odd, 8, 8, 8}, b(), c()), Status::misaligned);
  EXPECT_EQ(warpwright::sum(nullptr, at(0), 5, at(1000), {at(1025), 8192}), Status::misaligned);
}

TEST_F(Arguments, Overlap) {
  EXPECT_EQ(multiply(a(), b(), {at(60), 8, 8, 8}), Status::overlap);
  EXPECT_EQ(multiply(a(), b(), {at(127), 8, 8, 8}), Status::overlap);
  EXPECT_EQ(warpwright::box_sum(nullptr, a(), {at(63), 4, 4, 4}, 2, room_), Status::overlap);
  EXPECT_EQ(warpwright::sum(nullptr, at(0), 2000, at(3500), {at(1024), 8192}), Status::overlap);
}

TEST_F(Arguments, Workspaces) {
  EXPECT_EQ(warpwright::sum(nullptr, at(0), 5, at(1000), {at(1024), 100}), Status::small_workspace);
  EXPECT_EQ(warpwright::sum(nullptr, at(0), 5, at(1000), {}), Status::small_workspace);
  EXPECT_EQ(warpwright::matmul(nullptr, a(), b(), c(), Accuracy::ieee, {}), Status::small_workspace);
  const size_t bytes = warpwright::matmul_workspace(8, 8, 8, Accuracy::ieee);
  EXPECT_EQ(warpwright::matmul(nullptr, a(), b(), c(), Accuracy::ieee, {nullptr, bytes}),
            Status::null_pointer);
  EXPECT_EQ(warpwright::matmul(nullptr, a(), b(), c(), Accuracy::ieee, {at(128), bytes}), Status::overlap);
  // Rows that the copy engine cannot take are laid there.
  const auto* halves = reinterpret_cast<const Bfloat16*>(at(0));
  const Matrix<const Bfloat16> x{halves, 8, 5, 5}, y{halves + 64, 5, 8, 8};
  EXPECT_EQ(warpwright::matmul(nullptr, x, y, c(), {}), Status::small_workspace);
  EXPECT_EQ(warpwright::matmul(nullptr, x, y, c(), {nullptr, warpwright::matmul_bfloat16_workspace(8, 8, 5)}),
            Status::null_pointer);
}

TEST_F(Arguments, Combinations) {
  EXPECT_EQ(warpwright::box_sum(nullptr, a(), {at(128), 4, 4, 4, Layout::by_columns}, 2, room_),
            Status::unsupported);
  EXPECT_EQ(warpwright::matmul(nullptr, a(), b(), c(), static_cast<Accuracy>(7), {}), Status::unsupported);
}

TEST_F(Arguments, WithoutAContext) {
  void* context = nullptr;
  device::entry<int(void**)>("cuCtxGetCurrent")(&context);
  device::entry<int(void*)>("cuCtxSetCurrent")(nullptr);
  EXPECT_EQ(multiply(a(), b(), c()), Status::no_context);
  device::entry<int(void*)>("cuCtxSetCurrent")(context);
}

}  // namespace
