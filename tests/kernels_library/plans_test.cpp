// The plans of products on CUDA cores, without a GPU.
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>

#include "kernels/box_sum/strips.h"
#include "kernels_library/float32.h"
#include "kernels_library/remembered.h"
#include "kernels_library/tensor.h"

namespace warpwright {
namespace {

/// A block may have 227 KB on an H200, 99 KB on GPUs of cc 8.6 and 8.9, which the largest tile does not fit
/// into.
TEST(Plans, FitIntoABlocksSharedMemory) {
  for (const int64_t shared : {227 * 1024, 163 * 1024, 99 * 1024})
    for (const int64_t n : {1, 100, 512, 1000, 2048, 4096, 8192}) {
      const Matrix<const float> a{nullptr, n, n, n};
      const Float32Plan plan = plan_float32(a, a, 56, shared);
      ASSERT_NE(plan.tile, nullptr) << n;
      EXPECT_LE(static_cast<int64_t>(plan.tile->shape.bytes(plan.lay_a ? 0 : 1)), shared)
          << n << ", " << plan.tile->file;
    }
}

/// Hulls are for rows of B that begin anywhere, not for those that all begin at multiples of 16 bytes.
TEST(Plans, TakeHullsWhereRowsDoNotBeginAtFours) {
  const Matrix<const float> a{nullptr, 1765, 514, 514};
  for (const int64_t stride : {4725, 4726, 4727, 4728}) {
    const Matrix<const float> b{nullptr, 514, 4725, stride};
    int64_t hulls = 0;
    for (const Float32Plan& plan : float32_plans(a, b, 132, 227 * 1024))
      hulls += std::string_view(plan.tile->file) == "float32_hulls";
    EXPECT_EQ(hulls > 0, stride % 4 != 0) << stride;
    const Float32Plan plan = plan_float32(a, b, 132, 227 * 1024);
    EXPECT_EQ(std::string_view(plan.tile->file) == "float32_hulls", stride % 4 != 0) << stride;
  }
}

/// What is cut never needs more than the workspace that is stated for every GPU: here the numbers that a call
/// takes from it, by hand, for thirds.
TEST(Plans, FitIntoTheWorkspace) {
  const auto up = [](size_t bytes) { return (bytes + 255) / 256 * 256; };
  for (const int64_t sms : {1, 2, 78, 114, 132, 160, 400}) {
    for (const int64_t n : {64, 128, 300, 1024, 1536, 3000, 5000}) {
      const auto pitch = static_cast<size_t>((n + 63) / 64 * 64), side = static_cast<size_t>(n);
      for (const bool lower : {false, true}) {
        const size_t room = lower ? lower_split_workspace(n, n, Accuracy::float32)
                                  : split_workspace(n, n, n, Accuracy::float32);
        for (const SplitPlan& plan : split_plans(n, n, n, Accuracy::float32, lower, sms)) {
          const auto& tile = plan.form->tile;
          const size_t pieces = static_cast<size_t>(plan.cut * plan.pieces) * tile.rows * tile.columns * 4;
          const size_t counts = static_cast<size_t>(2 * plan.cut) * 4;
          EXPECT_LE(
              (lower ? 1 : 2) * up(3 * side * pitch * 2) + up(side * pitch * 4) + up(pieces) + up(counts),
              room)
              << n << " on " << sms << ", " << plan.cut << " × " << plan.pieces;
          const auto all = static_cast<int64_t>(lower ? tile.lower_count(n) : tile.count(n, n));
          EXPECT_EQ(plan.whole + plan.cut, all);
        }
      }
    }
  }
}

/// The same by Karatsuba's scheme, the parts of the operands included; a result by columns is computed as the
/// transposed one.
TEST(Plans, OfKaratsubaFitIntoTheWorkspace) {
  const auto up = [](size_t bytes) { return (bytes + 255) / 256 * 256; };
  const auto pitch = [](int64_t n) { return static_cast<size_t>((n + 63) / 64 * 64); };
  for (const int64_t sms : {1, 2, 78, 114, 132, 160, 400}) {
    for (const auto& [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{64, 64, 64},
                                  {1025, 300, 70},
                                  {300, 1025, 70},
                                  {4096, 4096, 4096}}) {
      const size_t room = karatsuba_workspace(m, n, k);
      EXPECT_EQ(room, karatsuba_workspace(n, m, k));
      for (const SplitPlan& plan : karatsuba_plans(m, n, k, false, sms)) {
        const auto rows = static_cast<size_t>(m), columns = static_cast<size_t>(n);
        const size_t parts = up(8 * rows * pitch(k)) + up(8 * columns * pitch(k)),
                     results = up(4 * rows * pitch(n)),
                     words = up(8 * (rows + columns) + 8) + up(4 * (rows + columns)),
                     pieces = up(static_cast<size_t>(plan.cut * plan.pieces) * 128 * 128 * 4) +
                              up(static_cast<size_t>(2 * plan.cut) * 4);
        EXPECT_LE(parts + results + words + pieces, room) << m << " × " << n << " by " << k << " on " << sms;
        EXPECT_EQ(plan.whole + plan.cut, plan.form->tile.count(m, n));
      }
      if (m != n) continue;
      for (const SplitPlan& plan : karatsuba_plans(n, n, k, true, sms)) {  // six matrices of A
        const auto rows = static_cast<size_t>(n);
        const size_t pieces = up(static_cast<size_t>(plan.cut * plan.pieces) * 128 * 128 * 4) +
                              up(static_cast<size_t>(2 * plan.cut) * 4);
        EXPECT_LE(
            up(12 * rows * pitch(k)) + up(4 * rows * pitch(n)) + up(8 * rows + 8) + up(4 * rows) + pieces,
            lower_karatsuba_workspace(n, k))
            << n << " on " << sms;
      }
    }
  }
}

/// By what an H100 took (data/measured/h100-library/thirds_cut.csv).
TEST(Plans, CutTheLastTilesWhereItPays) {
  const auto pieces = [](int64_t n) { return plan_split(n, n, n, Accuracy::float32, false, 132).pieces; };
  EXPECT_GT(pieces(1536), 1);  // 144 tiles
  EXPECT_GT(pieces(3000), 1);  // 576
  EXPECT_EQ(pieces(2048), 1);  // 256
  EXPECT_EQ(pieces(4096), 1);  // 1024
}

/// The same of halves, and of A·Aᵀ, by what an H200 took (data/measured/h200-library/halves_pieces.csv).
TEST(Plans, CutTilesOfHalvesWhereItPays) {
  const auto pieces = [](int64_t n) { return plan_split(n, n, n, Accuracy::halves, false, 132).pieces; };
  EXPECT_GT(pieces(1536), 1);  // 0.075 to 0.068 ms
  EXPECT_GT(pieces(3000), 1);  // 0.347 to 0.296
  EXPECT_GT(pieces(4097), 1);  // 0.833 to 0.771
  const auto of_aat = [](int64_t n, Accuracy accuracy) {
    return plan_split(n, n, n, accuracy, true, 132).pieces;
  };
  // 45 tiles: 0.067 to 0.051 ms and 0.060 to 0.057. 66 tiles in halves are 132 pieces: 0.070 to 0.104.
  EXPECT_GT(of_aat(1150, Accuracy::float32), 1);
  EXPECT_GT(of_aat(1150, Accuracy::halves), 1);
  EXPECT_NE(of_aat(1300, Accuracy::float32), 2);
  EXPECT_NE(of_aat(1300, Accuracy::halves), 2);
}

/// By what an H200 took (data/measured/h200-library/bf16_clusters.csv, bf16_rounds.csv).
TEST(Plans, CutTilesByClustersOnlyWhereTheyAreFew) {
  const auto cut = [](int64_t m, int64_t n, int64_t k) {
    const Matrix<const Bfloat16> a{nullptr, m, k, k}, b{nullptr, k, n, n};
    const std::string_view name = bfloat16_form(plan_bfloat16(a, b, true, 132));
    return name.find("_cut") != std::string_view::npos;
  };
  EXPECT_TRUE(cut(512, 816, 4120));      // 0.66 to 1.00 of cuBLAS
  EXPECT_TRUE(cut(256, 256, 16384));     // 0.26 to 0.86
  EXPECT_TRUE(cut(1536, 1536, 8192));    // 0.87 to 1.06
  EXPECT_FALSE(cut(8192, 8192, 8192));   // whole 1.07, cut 0.89
  EXPECT_FALSE(cut(6144, 6144, 6144));   // 1.04, 0.83
  EXPECT_FALSE(cut(2048, 2048, 16384));  // 1.00, 0.95
}

/// Few rows more than whole tiles of 128, by what an H200 took
/// (data/measured/h200-library/fresh_calls_29111140.csv, bf16_finer.csv and bf16_finer_drawn.csv).
TEST(Plans, TakeTilesOf64RowsWhereLargerOnesAreMostlyEmpty) {
  const auto rows = [](int64_t m, int64_t n, int64_t k) {
    const Matrix<const Bfloat16> a{nullptr, m, k, k}, b{nullptr, k, n, k, Layout::by_columns};
    return std::string_view(bfloat16_form(plan_bfloat16(a, b, true, 132))).substr(0, 3);
  };
  EXPECT_EQ(rows(185, 4608, 3584), "64x");   // 18.8 to 13.8 µs
  EXPECT_EQ(rows(192, 5120, 5120), "64x");   // 26.8 to 20.9
  EXPECT_EQ(rows(1883, 1024, 4096), "128");  // larger tiles fill all multiprocessors
  EXPECT_EQ(rows(640, 5120, 25600), "128");
  EXPECT_EQ(rows(106, 7168, 2048), "128");  // 64 × 128 by one warpgroup 9.8 µs, 128 × 64 8.6
}

/// Clusters that share operands, by what an H200 took (data/measured/h200-library/bf16_shared.csv): mostly
/// where rows begin at odd multiples of 16 bytes.
TEST(Plans, ShareOperandsWhereItPays) {
  const auto shared = [](int64_t m, int64_t n, int64_t k, Layout layout_of_b) {
    const bool by_columns = layout_of_b == Layout::by_columns;
    const Matrix<const Bfloat16> a{nullptr, m, k, k}, b{nullptr, k, n, by_columns ? k : n, layout_of_b};
    const std::string_view name = bfloat16_form(plan_bfloat16(a, b, true, 132));
    return name.substr(name.rfind('_') + 1).size() == 3;  // 2x4
  };
  EXPECT_TRUE(shared(1000, 1000, 1000, Layout::by_rows));    // 9.4 to 8.1 µs
  EXPECT_TRUE(shared(544, 1280, 4024, Layout::by_rows));     // 17.1 to 15.1
  EXPECT_TRUE(shared(3000, 3000, 3000, Layout::by_rows));    // 91.0 to 85.3
  EXPECT_TRUE(shared(768, 1280, 8192, Layout::by_columns));  // 32.4 to 25.6
  EXPECT_FALSE(shared(4096, 4096, 4096, Layout::by_rows));   // 185 to 190 at least
  EXPECT_FALSE(shared(72, 1280, 8192, Layout::by_columns));  // 10.0 to 13.5: 56 rows of zeros are copied
}

/// By what two H200s took (data/measured/h200-library/box_sums_small.csv).
TEST(Plans, TakeLargerSmallWindowsForLargeMatricesOnly) {
  for (const int64_t r : {7, 8, 10}) {
    EXPECT_TRUE(ww::kernels::small_windows_form(r, 4, 4, 16000 * 16000)) << r;
    EXPECT_FALSE(ww::kernels::small_windows_form(r, 4, 4, 8000 * 8000)) << r;
    EXPECT_FALSE(ww::kernels::small_windows_form(r, 2, 4, 16000 * 16000)) << r;
  }
  EXPECT_FALSE(ww::kernels::small_windows_form(9, 4, 4, 16000 * 16000));
  EXPECT_TRUE(ww::kernels::small_windows_form(6, 4, 4, 100));
}

/// By what an H200 took (data/measured/h200-library/box_plans.csv).
TEST(Plans, CutSmallBoxSumsIntoLowBlocks) {
  using ww::kernels::RowEnds;
  const auto height = [](int64_t r, int64_t rows, int64_t columns, RowEnds ends) {
    return ww::kernels::rows_first_strips(r, rows - 2 * r, columns - 2 * r, ends)->cut.height;
  };
  EXPECT_LT(height(120, 524, 1400, RowEnds::sectors), 120);  // 12.9 and 10.2 µs
  EXPECT_LT(height(56, 552, 717, RowEnds::sectors), 56);     // 12.1, 9.6
  EXPECT_LT(height(32, 1519, 570, RowEnds::any), 32);        // 9.7, 8.7
  EXPECT_GT(height(123, 1850, 3357, RowEnds::any), 123);     // 25.8
  // Wide strips of the longest windows, though they read more a chunk (box_longer_cuts.csv).
  EXPECT_EQ(ww::kernels::rows_first_strips(187, 322, 4959, RowEnds::sectors)->cut.width,
            96);                                                                             // 64: 28.9, 23.9
  EXPECT_EQ(ww::kernels::rows_first_strips(160, 1987, 5292, RowEnds::any)->cut.width, 128);  // 96: 69.5, 63.0
  EXPECT_FALSE(ww::kernels::rows_first_strips(4, 1000, 1000, RowEnds::sectors));
  EXPECT_TRUE(ww::kernels::rows_first_strips(4, 1000, 1000, RowEnds::any));
}

}  // namespace
/// Also of more questions than there is room for.
TEST(Remembered, FindsEachAnswerOnce) {
  warpwright::Remembered<2, int64_t> known;
  int found = 0;
  const auto ask = [&](int64_t x, int64_t y) {
    return known.answer({x, y}, [&] { return ++found, 100 * x + y; });
  };
  EXPECT_EQ(ask(1, 2), 102);
  EXPECT_EQ(ask(1, 2), 102);
  EXPECT_EQ(found, 1);
  for (int round = 0; round < 2; ++round)
    for (int64_t x = 0; x < 10; ++x)
      for (int64_t y = 0; y < 10; ++y) EXPECT_EQ(ask(x, y), 100 * x + y);
}

}  // namespace warpwright
