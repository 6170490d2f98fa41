// Floating-point operations of matrix instructions: 2 · m · n · k by hand, of tests/data/matrix_products.ptx.
#include <gtest/gtest.h>

#include "counters/counters.h"
#include "run_ptx.h"

namespace ww::counters {
namespace {

struct Product {
  const char* kernel;
  engine::u32 threads;
  int64_t flop;
};

class FlopOfProducts : public testing::TestWithParam<Product> {};

TEST_P(FlopOfProducts, AreTwoForEachProductOfElements) {
  test::PtxProgram program{"matrix_products.ptx"};
  program.counted = true;
  const auto result = program.launch(GetParam().kernel, {}, {GetParam().threads, 1, 1});
  for (const auto& f : result.faults) ADD_FAILURE() << f.message;
  EXPECT_EQ(flop_of(result), GetParam().flop);
  std::vector<Value> values;
  count_flop(result, values);
  int64_t tensor = 0;
  for (const Value& v : values)
    if (v.tag == "flop_tensor") tensor = std::get<int64_t>(v.value);
  EXPECT_EQ(tensor, GetParam().flop);
}

INSTANTIATE_TEST_SUITE_P(
    , FlopOfProducts,
    testing::Values(Product{"m16n8k16_f16", 64, 2 * (2 * 16 * 8 * 16)},  // two warps, one each
                    Product{"m8n8k4_f16", 32, 4 * (2 * 8 * 8 * 4)},      // eight lanes each, four times
                    Product{"m8n8k4_f64", 32, 2 * 8 * 8 * 4},            // the whole warp, once
                    Product{"m16n8k32_s8", 32, 0},                       // not floating-point numbers
                    Product{"m64n8k16_bf16", 128, 2 * 64 * 8 * 16}),     // four warps together
    [](const auto& i) { return i.param.kernel; });

}  // namespace
}  // namespace ww::counters
