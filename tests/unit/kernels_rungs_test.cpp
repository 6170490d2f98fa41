// The upper rungs (docs/rungs.md): right at odd sizes, and the counts that each rung is there for.
#include <gtest/gtest.h>

#include "../long.h"
#include "kernels/run.h"
#include "kernels_runs.h"

namespace ww::kernels {
namespace {

class Rungs : public CaseRuns {
 protected:
  Row verified(const std::string& kernel, const Config& config) { return run(kernel, config, {}); }
  /// With what an H200 counts, too.
  Row counted(const std::string& kernel, const Config& config) { return run(kernel, config, {"h200"}); }

 private:
  Row run(const std::string& kernel, const Config& config, std::vector<const char*> gpus) {
    Row row = CaseRuns::run(kernel, config, std::move(gpus))[0];
    EXPECT_EQ(row.refused, "") << title(kernel, config);
    EXPECT_EQ(number(row, "verified"), 1) << title(kernel, config) << (row.find("fault") ? " faults" : "");
    return row;
  }
};

TEST_F(Rungs, ProductsOfAnySize) {
  for (const char* kernel : {"matmul/async_double", "matmul/async_stages", "matmul/operands_ahead"})
    for (int64_t n : {1, 97, 130, 132}) verified(kernel, {n, {256, 8, 8}});
  for (int64_t n : {1, 97, 260}) {
    verified("matmul/wide_tiles", {n, {256, 16, 8}});
    verified("matmul/laid_first", {n, {256, 8, 16}});
    for (int rows : {1, 2, 16}) verified("matmul/bands", {n, {256, 16, 8}, 0, rows});
    for (int groups : {2, 4, 8}) verified("matmul/warp_groups", {n, {256, 8, 8}, 0, groups});
    for (int slices : {1, 3, 8}) verified("matmul/split_k", {n, {128, 4, 8}, 0, slices});
    verified("aat/lower_tiles", {n, {128, 8, 16}});
  }
  for (int64_t n : {4, 100}) {
    verified("matmul/vector_loads", {n, {256, 8, 8}});
    verified("matmul/warp_tiles", {n, {256, 8, 8}});
  }
}

/// All tile shapes (128 × 256, 256 × 128, 128 × 128) cut off at the edges, k no multiple of a step, several
/// tiles. (With WW_LONG each with both bands.)
TEST_F(Rungs, ProductsOnTensorCores) {
  for (int64_t n : {4, 68, 100, 260, 388})
    for (const char* kernel :
         {"matmul/tensor_bf16", "matmul/tensor_halves", "matmul/tensor_halves_square", "matmul/tensor_thirds",
          "matmul/tensor_karatsuba", "aat/tensor_lower", "aat/tensor_lower_thirds"})
      for (int band : {1, 4})
        if (band == (n == 260 ? 1 : 4) || all_are_tried()) verified(kernel, {n, {384}, 0, band});
}

TEST_F(Rungs, WhatEachProductSaves) {
  const Config config{256, {256, 8, 8}};
  const Row vector = counted("matmul/vector_loads", config), warp = counted("matmul/warp_tiles", config),
            async = counted("matmul/async_double", config);
  // 4 blocks of 8 warps; in each of 32 steps two reads of 16 bytes a lane of global memory (clang makes three
  // instructions of them), for each k four of shared memory.
  EXPECT_EQ(number(vector, "global_load_bytes"), 4 * 8 * 32 * 2 * 32 * 16);
  EXPECT_EQ(number(vector, "shared_load_requests"), 4 * 8 * 256 * 4);
  EXPECT_GT(number(vector, "shared_load_bank_conflicts"), 0);
  EXPECT_EQ(number(warp, "shared_load_requests"), 4 * 8 * 256 * 4);
  EXPECT_EQ(number(warp, "shared_load_bank_conflicts"), 0);
  // Copies count as requests: in each of 16 steps 128 × 16 words of A one by one, 16 × 128 of B by fours.
  EXPECT_EQ(number(async, "global_load_requests"), 4 * 16 * (128 * 16 / 32 + 16 * 128 / 4 / 32));
  // Results leave through boxes of shared memory, two to a lane: a warp's 256 bytes are two wavefronts.
  const Row tensor = counted("matmul/tensor_bf16", {256, {384}, 0, 1});
  EXPECT_EQ(number(tensor, "shared_store_requests"), 256 * 256 / 64);
  EXPECT_EQ(number(tensor, "shared_store_wavefronts"), 2 * 256 * 256 / 64);
  EXPECT_EQ(number(tensor, "shared_store_bank_conflicts"), 0);
}

/// The bound is that of two roundings: the sums are float64, whatever R is.
TEST_F(Rungs, BoxSumsOfAnyRadius) {
  for (int block : {128, 256, 512})
    for (int r : {1, 4, 7, 16})
      for (int64_t n : {203, 300}) verified("box_sum/running", {n, {block}, r});
  verified("box_sum/running", {301, {512}, 128});
  verified("box_sum/running", {257, {512}, 128});  // one output
}

/// Windows that end in a four and in the next one (R even, odd), last chunks of 3 and 5 rows, rows that are
/// no multiple of 16 bytes, parts of one block of rows and of several, one output.
TEST_F(Rungs, BoxSumsByBlocks) {
  for (int block : {64, 128, 256})
    for (int r : {2, 3, 4, 7, 16})
      for (int64_t n : {203, 300}) verified("box_sum/block_sums", {n, {block}, r});
  verified("box_sum/block_sums", {1001, {256}, 9});  // three chunks ahead
  verified("box_sum/block_sums", {129, {64}, 64});
}

TEST_F(Rungs, BoxSumsOfChunks) {
  for (int block : {512, 1024})
    for (int r : {16, 17, 31, 64, 143})
      for (int64_t n : {301, 517}) verified("box_sum/chunk_sums", {n, {block}, r});
  verified("box_sum/chunk_sums", {1203, {512}, 47});  // several strips and parts, up and down
}

/// Lanes of 12 and 20 columns, R odd (words stored one by one) and even, windows that end at the beginning of
/// a lane's columns and within, every remainder of 2R + 1 rows by 8, a matrix with one output and one whose
/// ring of rows goes round several times.
TEST_F(Rungs, BoxSumsOfBulkRows) {
  for (int r : {6, 7, 10, 16, 17, 20, 33, 50})
    for (int64_t n : {300, 516}) verified("box_sum/bulk_rows", {n, {800}, r});
  verified("box_sum/bulk_rows", {192, {800}, 95});
  verified("box_sum/bulk_rows", {1604, {800}, 12});
  const Case& rows = **find_case("box_sum/bulk_rows");
  EXPECT_FALSE(make_plan(rows, {302, {800}, 8}));  // rows of 1208 bytes
  EXPECT_FALSE(make_plan(rows, {300, {800}, 5}));
}

/// Lanes of 12 and 20 columns, long windows of lanes of 36 and 20, R odd and even, windows that end at the
/// beginning of a lane's columns and within, every remainder of 2R + 1 rows by 8, some by 16, one chunk of
/// rows in a window, one output, several strips and parts, the last columns of a strip cut off, rows of
/// results that are no multiple of 16 bytes.
TEST_F(Rungs, BoxSumsOfRowsFirst) {
  for (int r : {6, 7, 10, 12, 17, 33, 64}) verified("box_sum/rows_first", {300, {640}, r});
  for (int r : {16, 20, 72, 79, 80, 95, 128}) verified("box_sum/rows_first", {516, {640}, r});
  verified("box_sum/rows_first", {404, {640}, 200});
  for (int64_t n : {1600, 1604}) verified("box_sum/rows_first", {n, {640}, 12});
  verified("box_sum/rows_first", {1084, {640}, 9});
  const Case& rows = **find_case("box_sum/rows_first");
  EXPECT_FALSE(make_plan(rows, {302, {640}, 8}));  // rows of 1208 bytes
  EXPECT_FALSE(make_plan(rows, {300, {640}, 5}));
  EXPECT_FALSE(make_plan(rows, {500, {640}, 201}));
}

/// Rows that begin one, two and three words behind a multiple of 16 bytes, and at one; the forms of
/// rows_first_form on both sides of where they change; the last row's last words, which the copy engine must
/// not take.
TEST_F(Rungs, BoxSumsOfAnyRows) {
  for (int r : {4, 5, 6, 9, 10, 30, 31, 64}) verified("box_sum/any_rows", {301, {512}, r});
  for (int64_t n : {300, 302, 303}) verified("box_sum/any_rows", {n, {512}, 15});
  for (int r : {16, 72, 128, 200}) verified("box_sum/any_rows", {613, {512}, r});
}

/// Every form of small_windows_form: rows that begin at multiples of four, two and one words.
TEST_F(Rungs, BoxSumsOfSmallWindows) {
  for (int r : {1, 2, 3, 4, 5, 6, 7, 8, 10}) verified("box_sum/small_windows", {300, {256}, r});
  for (int r : {1, 3, 5, 6, 7, 8, 10})
    verified("box_sum/small_windows", {612, {256}, r});  // warps without edges
  for (int r : {1, 2, 3, 4, 5}) verified("box_sum/small_windows", {301, {256}, r});
  for (int r : {1, 3, 5}) verified("box_sum/small_windows", {1202, {256}, r});
  verified("box_sum/small_windows", {11, {256}, 5});  // one output
  const Case& small = **find_case("box_sum/small_windows");
  for (int r : {6, 7, 8, 10}) EXPECT_FALSE(make_plan(small, {301, {256}, r}));
  EXPECT_FALSE(make_plan(small, {300, {256}, 9}));
}

TEST_F(Rungs, SumsOfAnyLength) {
  for (int64_t n : {1, 4095, 4096, 100000, 5000003}) verified("sum/bulk_loads", {n, {544}});
  for (int block : {512, 1024})
    for (int64_t n : {1, 3, 1000, 4096, 65537, 5000003}) verified("sum/wide_loads", {n, {block}});
}

}  // namespace
}  // namespace ww::kernels
