#include "kernels/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/random.h"

namespace ww::kernels {
namespace {

constexpr int64_t kN = 24;

float a(int64_t i, int64_t j) { return random_value(9, 0, static_cast<uint64_t>(i * kN + j)); }
float b(int64_t i, int64_t j) { return random_value(9, 1, static_cast<uint64_t>(i * kN + j)); }

struct Answer {
  std::vector<double> exact, magnitude;
};

Answer read_all(const Reference& reference) {
  const uint64_t count = reference.rows() * reference.row_length();
  Answer all{std::vector<double>(count), std::vector<double>(count)};
  reference.read(0, reference.rows(), all.exact, all.magnitude);
  return all;
}

std::vector<float> rounded(const std::vector<double>& exact) { return {exact.begin(), exact.end()}; }

/// Checks the answers by long double sums of products.
void expect_product(const Task& task, float (*right)(int64_t, int64_t)) {
  const Answer got = read_all(**compute_reference(task));
  for (int64_t i = 0; i < kN; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      long double sum = 0, absolute = 0;
      for (int64_t k = 0; k < kN; ++k) {
        const long double term = static_cast<long double>(a(i, k)) * right(k, j);
        sum += term;
        absolute += std::abs(term);
      }
      EXPECT_NEAR(got.exact[i * kN + j], static_cast<double>(sum), 1e-12);
      EXPECT_NEAR(got.magnitude[i * kN + j], static_cast<double>(absolute),
                  1e-5 * static_cast<double>(absolute));
    }
  }
}

TEST(Reference, Products) {
  expect_product({Problem::Matmul, kN, 0, {Input(9, 0), Input(9, 1)}}, b);
  expect_product({Problem::MatmulTransposed, kN, 0, {Input(9, 0)}},
                 [](int64_t k, int64_t j) { return a(j, k); });
}

TEST(Reference, ProductsOverSeveralPanels) {
  // 300 rows are two panels of 256; the last element by hand.
  const auto reference = *compute_reference({Problem::Matmul, 300, 0, {Input(3, 0), Input(3, 1)}});
  std::vector<double> exact(300), magnitude(300);
  reference->read(299, 1, exact, magnitude);
  long double sum = 0;
  for (uint64_t k = 0; k < 300; ++k)
    sum += static_cast<long double>(random_value(3, 0, 299 * 300 + k)) * random_value(3, 1, k * 300 + 299);
  EXPECT_NEAR(exact[299], static_cast<double>(sum), 1e-12);
}

TEST(Reference, BoxSums) {
  const Task task{Problem::BoxSum, kN, 3, {Input(9, 0)}};
  const Answer got = read_all(**compute_reference(task));
  const int64_t side = kN - 6;
  ASSERT_EQ(got.exact.size(), static_cast<size_t>(side * side));
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x) {
      long double sum = 0, absolute = 0;
      for (int64_t i = 0; i < 7; ++i)
        for (int64_t j = 0; j < 7; ++j) {
          sum += a(y + i, x + j);
          absolute += std::abs(a(y + i, x + j));
        }
      EXPECT_NEAR(got.exact[y * side + x], static_cast<double>(sum), 1e-12);
      EXPECT_NEAR(got.magnitude[y * side + x], static_cast<double>(absolute), 1e-12);
    }
  }
  // Rows from the middle are the same rows.
  std::vector<double> exact(2 * side), magnitude(2 * side);
  (*compute_reference(task))->read(5, 2, exact, magnitude);
  for (int64_t i = 0; i < 2 * side; ++i) EXPECT_EQ(exact[i], got.exact[5 * side + i]);
}

TEST(Reference, BoxSumsOverSeveralStrips) {
  // 614 columns of results are three strips; those at the strips' ends by hand. 87 = 1010111 in binary.
  constexpr int64_t n = 700, window = 87, side = n - window + 1, first = 300, count = 70;
  const auto reference = *compute_reference({Problem::BoxSum, n, window / 2, {Input(4, 0)}});
  ASSERT_EQ(reference->row_length(), static_cast<uint64_t>(side));
  std::vector<double> exact(count * side), magnitude(count * side);
  reference->read(first, count, exact, magnitude);
  for (const int64_t y : {first, first + 1, first + count - 1}) {
    for (const int64_t x : {0, 255, 256, 300, 511, 512, 613}) {
      long double sum = 0, absolute = 0;
      for (int64_t i = 0; i < window; ++i)
        for (int64_t j = 0; j < window; ++j) {
          const long double term = random_value(4, 0, static_cast<uint64_t>((y + i) * n + x + j));
          sum += term;
          absolute += std::abs(term);
        }
      EXPECT_NEAR(exact[(y - first) * side + x], static_cast<double>(sum), 1e-11);
      EXPECT_NEAR(magnitude[(y - first) * side + x], static_cast<double>(absolute), 1e-10);
    }
  }
}

TEST(Reference, Sum) {
  const Task task{Problem::Sum, 100000, 0, {Input(9, 0)}};
  long double sum = 0;
  for (uint64_t i = 0; i < 100000; ++i) sum += random_value(9, 0, i);
  EXPECT_NEAR(read_all(**compute_reference(task)).exact[0], static_cast<double>(sum), 1e-9);
}

TEST(Reference, TasksAreToldApart) {
  const Task task{Problem::Sum, 10, 0, {Input(9, 0)}};
  Task other = task;
  EXPECT_EQ(task.identity(), other.identity());
  other.inputs = {Input(10, 0)};
  EXPECT_NE(task.identity(), other.identity());
  other = task;
  other.n = 11;
  EXPECT_NE(task.identity(), other.identity());
}

TEST(Verify, ErrorFactor) {
  EXPECT_DOUBLE_EQ(error_factor(1), 0x1p-24 / (1 - 0x1p-24));
  EXPECT_DOUBLE_EQ(error_factor(1 << 23), 1.0);
  EXPECT_TRUE(std::isinf(error_factor(1 << 24)));
}

class VerifyProduct : public testing::Test {
 protected:
  VerifyProduct() : answer_(read_all(*reference_)), computed_(rounded(answer_.exact)) {}
  Verification check() {
    Verifier verifier(*reference_, kFactor);
    verifier.check(0, std::span(computed_).first(10 * kN));  // in two parts, as the runner does
    verifier.check(10, std::span(computed_).subspan(10 * kN));
    return verifier.result();
  }
  /// Moves an element off by `bounds` times its error bound.
  void plant(size_t index, double bounds) {
    computed_[index] = static_cast<float>(answer_.exact[index] + bounds * kFactor * answer_.magnitude[index]);
  }

  static constexpr double kFactor = 1e-5;
  std::shared_ptr<const Reference> reference_ =
      *compute_reference({Problem::Matmul, kN, 0, {Input(9, 0), Input(9, 1)}});
  Answer answer_;
  std::vector<float> computed_;
};

TEST_F(VerifyProduct, TheRoundedAnswerIsRight) {
  const Verification found = check();
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(found.elements, static_cast<uint64_t>(kN * kN));
  EXPECT_LT(found.error_of_bound, 0.01);
}

TEST_F(VerifyProduct, WithinTheBoundIsRightBeyondIsWrong) {
  plant(100, 0.9);
  EXPECT_TRUE(check().ok());
  EXPECT_NEAR(check().error_of_bound, 0.9, 0.02);
  plant(12 * kN + 5, -2);
  const Verification found = check();
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.unwritten, 0u);
  EXPECT_NEAR(found.error_of_bound, 2, 0.02);
  const double larger = std::max(0.9 * answer_.magnitude[100], 2 * answer_.magnitude[12 * kN + 5]);
  EXPECT_NEAR(found.max_error, kFactor * larger, 1e-6);
  EXPECT_EQ(found.first_wrong.substr(0, 19), "element (12, 5) is ");
}

TEST_F(VerifyProduct, AnUnwrittenElementIsWrong) {
  computed_[7] = std::bit_cast<float>(kPoison);
  plant(9, 5);
  const Verification found = check();
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(found.unwritten, 1u);
  EXPECT_TRUE(std::isnan(found.max_error));
  EXPECT_EQ(found.first_wrong.substr(0, 33), "element (0, 7) was never written,");
}

TEST_F(VerifyProduct, NanAndInfinityAreWrong) {
  computed_[0] = std::numeric_limits<float>::quiet_NaN();
  computed_[1] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(check().wrong, 2u);
  EXPECT_EQ(check().unwritten, 0u);
}

TEST(Verify, TheFirstOfManyParts) {
  // So many elements that several threads look at them.
  constexpr int64_t n = 1004;
  const auto reference = *compute_reference({Problem::BoxSum, n, 2, {Input(4, 0)}});
  const Answer answer = read_all(*reference);
  std::vector<float> computed = rounded(answer.exact);
  for (const size_t i : {999'999, 700'001, 300'005}) computed[i] += 1;
  computed[800'000] = std::bit_cast<float>(kPoison);
  Verifier verifier(*reference, 1e-6);
  verifier.check(0, computed);
  EXPECT_EQ(verifier.result().elements, 1'000'000u);
  EXPECT_EQ(verifier.result().wrong, 4u);
  EXPECT_EQ(verifier.result().unwritten, 1u);
  EXPECT_TRUE(std::isnan(verifier.result().max_error));
  EXPECT_EQ(verifier.result().first_wrong.substr(0, 19), "element (300, 5) is");
}

}  // namespace
}  // namespace ww::kernels
