// Half precision and tensor cores as CUDA's headers use them, compiled by nvcc, run on the engine, against
// double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "base/half.h"
#include "engine/engine.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::engine {
namespace {

class MatrixCuda : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ifstream file(GetParam());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    auto parsed = ptx::parse(GetParam(), text);
    ASSERT_TRUE(parsed) << parsed.error()[0].message;
    auto module = std::make_shared<ir::Module>(std::move(*parsed));
    for (const auto& problem : ir::verify(*module)) ADD_FAILURE() << problem.message;
    auto loaded = engine_.load(module);
    ASSERT_TRUE(loaded);
    module_ = *loaded;
  }

  template <class T>
  u64 upload(const std::vector<T>& v) {
    u64 at = *engine_.memory().allocate(v.size() * sizeof(T));
    std::memcpy(engine_.memory().host(at), v.data(), v.size() * sizeof(T));
    return at;
  }
  std::vector<float> download(u64 at, size_t count) {
    std::vector<float> v(count);
    std::memcpy(v.data(), engine_.memory().host(at), count * sizeof(float));
    return v;
  }
  template <class... A>
  std::string run(const char* kernel, Extent3 grid, Extent3 block, A... arguments) {
    LaunchRequest request;
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    auto add = [&](auto v) {
      request.arguments.emplace_back(sizeof v);
      std::memcpy(request.arguments.back().data(), &v, sizeof v);
    };
    (add(arguments), ...);
    auto result = engine_.run(*module_, request);
    if (!result) return result.error()[0].message;
    return result->faults.empty() ? "" : result->faults[0].message;
  }

  std::vector<float> random(size_t count, float (*round)(float)) {
    std::uniform_real_distribution<float> any(-2, 2);
    std::vector<float> v(count);
    for (float& x : v) x = round(any(random_));
    return v;
  }

  Engine engine_{Settings{.threads = 2, .memory_limit = 1 << 24}};
  std::shared_ptr<LoadedModule> module_;
  std::mt19937 random_{7};
};

float round_f16(float v) { return to_float(to_f16(v)); }
float round_bf16(float v) { return to_float(to_bf16(v)); }
float round_tf32(float v) { return std::bit_cast<float>(std::bit_cast<u32>(v) & 0xffffe000u); }

/// alpha·A·B in double, with the sum of magnitudes that bounds the error of any order of summation in f32.
void expect_product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                    int n, double alpha) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int k = 0; k < n; ++k) {
        double term = double(a[i * n + k]) * b[k * n + j];
        sum += term;
        size += std::fabs(term);
      }
      ASSERT_NEAR(c[i * n + j], alpha * sum, alpha * size * 0x1p-20) << i << "," << j;
    }
}

constexpr int kSize = 64;
constexpr float kAlpha = 1.5f;

template <class Bits, class Round>
std::vector<Bits> bits_of(const std::vector<float>& v, Round round) {
  std::vector<Bits> out;
  for (float x : v) out.push_back(round(x));
  return out;
}

TEST_P(MatrixCuda, ProductOfF16) {
  auto a = random(kSize * kSize, round_f16), b = random(kSize * kSize, round_f16);
  u64 da = upload(bits_of<f16>(a, to_f16)), db = upload(bits_of<f16>(b, to_f16));
  for (auto [kernel, grid] : {std::pair{"product_f16", Extent3{4, 4}}, {"product_f16_wide", Extent3{2, 8}}}) {
    u64 c = upload(std::vector<float>(kSize * kSize, 99));
    ASSERT_EQ(run(kernel, grid, {32}, da, db, c, kSize, kAlpha), "");
    expect_product(a, b, download(c, kSize * kSize), kSize, kAlpha);
  }
}

TEST_P(MatrixCuda, ProductOfBf16) {
  auto a = random(kSize * kSize, round_bf16), b = random(kSize * kSize, round_bf16);
  u64 c = upload(std::vector<float>(kSize * kSize, 99));
  ASSERT_EQ(run("product_bf16", {8, 2}, {32}, upload(bits_of<bf16>(a, to_bf16)),
                upload(bits_of<bf16>(b, to_bf16)), c, kSize, kAlpha),
            "");
  expect_product(a, b, download(c, kSize * kSize), kSize, kAlpha);
}

TEST_P(MatrixCuda, ProductOfTf32) {
  auto a = random(kSize * kSize, round_tf32), b = random(kSize * kSize, round_tf32);
  u64 c = upload(std::vector<float>(kSize * kSize, 99));
  ASSERT_EQ(run("product_tf32", {4, 4}, {32}, upload(a), upload(b), c, kSize, kAlpha), "");
  expect_product(a, b, download(c, kSize * kSize), kSize, kAlpha);
}

TEST_P(MatrixCuda, MmaFedByLdmatrix) {
  auto a = random(256, round_f16), b = random(128, round_f16);
  u64 c = upload(std::vector<float>(128, 99));
  ASSERT_EQ(
      run("product_ldmatrix", {1}, {32}, upload(bits_of<f16>(a, to_f16)), upload(bits_of<f16>(b, to_f16)), c),
      "");
  auto got = download(c, 128);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) sum += double(a[i * 16 + k]) * b[j * 16 + k];
      EXPECT_NEAR(got[i * 8 + j], sum, 64 * 0x1p-20);
    }
}

TEST_P(MatrixCuda, AWarpWithoutAllItsLanesIsAFault) {
  u64 memory = upload(std::vector<float>(4096));
  EXPECT_NE(run("product_ldmatrix", {1}, {16}, memory, memory, memory).find("incomplete warp"),
            std::string::npos);
}

TEST_P(MatrixCuda, MatrixBeyondItsAllocationIsAFault) {
  u64 half = upload(std::vector<f16>(kSize * kSize)), c = upload(std::vector<float>(kSize * kSize - 1));
  std::string message = run("product_f16", {4, 4}, {32}, half, half, c, kSize, kAlpha);
  EXPECT_NE(message.find("out-of-bounds write"), std::string::npos) << message;
}

TEST_P(MatrixCuda, HalfIntrinsics) {
  constexpr int kCount = 1000, kResults = 8;
  auto a = random(kCount, round_f16), b = random(kCount, round_f16);
  u64 out = upload(std::vector<float>(kCount * kResults));
  ASSERT_EQ(run("halves", {8}, {128}, upload(bits_of<f16>(a, to_f16)), upload(bits_of<f16>(b, to_f16)), out,
                kCount),
            "");
  auto got = download(out, kCount * kResults);
  auto half_ulp = [](double v, int bits) { return std::ldexp(0.5, std::max(std::ilogb(v), -14) - bits); };
  for (int i = 0; i < kCount; ++i) {
    double x = a[i], y = b[i];
    const float* r = &got[i * kResults];
    double fma = x * y + x, product = y * y, exponential = std::exp2(x);
    EXPECT_LE(std::fabs(r[0] - fma), fma == 0 ? 0 : half_ulp(fma, 10)) << x << " " << y;
    EXPECT_NEAR(r[1], std::fmin(std::fmax(x + y, 0), 1), 0x1p-12);
    EXPECT_EQ(r[2], std::fmax(x, y));
    EXPECT_LE(std::fabs(r[3] - product), product == 0 ? 0 : half_ulp(product, 10));
    EXPECT_EQ(r[4], x < y ? 1 : 0);
    EXPECT_LE(std::fabs(r[5] - exponential), 2 * half_ulp(exponential, 10));
    double through = double(round_bf16(a[i])) * round_bf16(b[i]);
    EXPECT_LE(std::fabs(r[6] - through), std::fabs(through) * 0x1p-8);
    EXPECT_LE(std::fabs(r[7] - x), std::fmax(std::fabs(x) * 0x1p-4, 0x1p-10));
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, MatrixCuda, testing::Values(WW_PTX_80, WW_PTX_90),
                         [](const auto& info) { return info.index == 0 ? "compute_80" : "compute_90"; });

}  // namespace
}  // namespace ww::engine
