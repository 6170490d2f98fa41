// Which products become addresses.
#include "analysis/index_products.h"

#include <gtest/gtest.h>

#include <optional>

#include "ptx/parser.h"

namespace ww::analysis {
namespace {

IndexProducts products(const std::string& body, std::optional<ir::Module>& module) {
  const std::string text =
      ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n" +
      body + "ret;\n}\n";
  auto parsed = ptx::parse("t.ptx", text);
  EXPECT_TRUE(parsed) << (parsed ? "" : render(parsed.error(), text));
  module = std::move(*parsed);
  return index_products(module->functions[0]);
}

TEST(IndexProducts, OfASignedIndex) {
  std::optional<ir::Module> m;
  const auto found = products(
      "mul.lo.s32 %r3, %r1, %r2;\nadd.s32 %r4, %r3, 1;\nmul.wide.s32 %d2, %r4, 4;\nadd.s64 %d3, %d1, %d2;\n"
      "ld.global.u32 %r5, [%d3];\n",
      m);
  ASSERT_EQ(found.always.size(), 1u);
  EXPECT_EQ(found.always.begin()->second, Widened::Signed);
}

TEST(IndexProducts, OfAnUnsignedIndex) {
  std::optional<ir::Module> m;
  const auto found = products(
      "mad.lo.s32 %r3, %r1, %r2, %r4;\ncvt.u64.u32 %d2, %r3;\nshl.b64 %d2, %d2, 2;\nadd.s64 %d3, %d1, %d2;\n"
      "st.global.u32 [%d3], %r5;\n",
      m);
  ASSERT_EQ(found.always.size(), 1u);
  EXPECT_EQ(found.always.begin()->second, Widened::Unsigned);
}

TEST(IndexProducts, NotWhereBitsAreMeantToBeLost) {
  std::optional<ir::Module> m;
  EXPECT_TRUE(products("mul.lo.u32 %r3, %r1, %r2;\nshr.u32 %r4, %r3, 20;\nmul.wide.u32 %d2, %r4, 4;\n"
                       "add.s64 %d3, %d1, %d2;\nld.global.u32 %r5, [%d3];\n",
                       m)
                  .empty());
  EXPECT_TRUE(products("mul.lo.u32 %r3, %r1, %r2;\nrem.u32 %r4, %r3, 64;\nmul.wide.u32 %d2, %r4, 4;\n"
                       "add.s64 %d3, %d1, %d2;\nld.global.u32 %r5, [%d3];\n",
                       m)
                  .empty());
}

TEST(IndexProducts, NotOfWhatARegisterHeldBefore) {
  const std::string product = "mul.lo.s32 %r3, %r1, %r2;\nst.global.u32 [%d1], %r3;\n",
                    end = "mul.wide.s32 %d2, %r3, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r5, [%d3];\n";
  std::optional<ir::Module> m;
  EXPECT_EQ(products(product + end, m).always.size(), 1u);
  EXPECT_TRUE(products(product + "mov.u32 %r3, 0;\n" + end, m).empty());
  // Where it may still hold it, it counts.
  EXPECT_EQ(products(".reg .pred %p;\n" + product + "@%p mov.u32 %r3, 0;\n" + end, m).always.size(), 1u);
  EXPECT_EQ(products(".reg .pred %p;\n" + product + "@%p bra PAST;\nmov.u32 %r3, 0;\nPAST:\n" + end, m)
                .always.size(),
            1u);
}

TEST(IndexProducts, OfAChoice) {
  const std::string start = ".reg .pred %p<2>;\nmul.lo.s32 %r3, %r1, %r2;\n",
                    end =
                        "selp.b32 %r4, %r5, %r3, %p1;\nmul.wide.s32 %d2, %r4, 4;\n"
                        "add.s64 %d3, %d1, %d2;\nld.global.u32 %r6, [%d3];\n";
  std::optional<ir::Module> m;
  const auto found = products(start + end, m);
  EXPECT_TRUE(found.always.empty());
  ASSERT_EQ(found.chosen.size(), 1u);
  const auto& of = found.chosen.begin()->second;
  ASSERT_EQ(of.size(), 1u);
  EXPECT_FALSE(of[0].where_true);
  EXPECT_EQ(of[0].product->operands[0].reg, found.chosen.begin()->first->operands[2].reg);
  // A factor is another one by then.
  EXPECT_TRUE(products(start + "add.s32 %r1, %r1, 1;\n" + end, m).empty());
}

TEST(IndexProducts, NotOfValues) {
  std::optional<ir::Module> m;
  EXPECT_TRUE(products("mul.lo.u32 %r3, %r1, %r2;\nst.global.u32 [%d3], %r3;\n", m).empty());
}

}  // namespace
}  // namespace ww::analysis
