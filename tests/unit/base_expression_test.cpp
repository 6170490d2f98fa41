#include "base/expression.h"

#include <gtest/gtest.h>

namespace ww {
namespace {

Result<ExpressionValue> of(std::string_view text) {
  return evaluate(text, {"s.json", 3, 10, 1}, [](std::string_view name) -> Result<ExpressionValue> {
    if (name == "n") return ExpressionValue(int64_t{100});
    if (name == "tile") return ExpressionValue(int64_t{16});
    if (name == "time@h200") return ExpressionValue(0.5);
    if (name == "time{kernel=a/b, gpu=c}") return ExpressionValue(0.25);
    return error("unknown name '" + std::string(name) + "'", "n");
  });
}

std::string value(std::string_view text) {
  auto v = of(text);
  return v ? text_of(*v) : v.error()[0].message;
}

TEST(Expression, WholeNumbersAsInC) {
  EXPECT_EQ(value("n*n"), "10000");
  EXPECT_EQ(value("(n + tile - 1) / tile"), "7");
  EXPECT_EQ(value("cdiv(n, tile)"), "7");
  EXPECT_EQ(value("cdiv(-100, 16)"), "-6");                // -6.25 rounded up
  EXPECT_EQ(value("log2(64) + log2(n) + log2(1)"), "12");  // rounded down
  EXPECT_EQ(value("log2(0)"), "log2 takes a whole number above 0");
  EXPECT_EQ(value("log2(1.5)"), "log2 takes a whole number above 0");
  EXPECT_EQ(value("-7/2 + -7%2"), "-4");
  EXPECT_EQ(value("2+3*4-1"), "13");
  EXPECT_EQ(value("min(n, tile, 20) + max(1) - abs(-3)"), "14");
  EXPECT_EQ(value("n > 50 ? tile : 1"), "16");
  EXPECT_EQ(value("n == 100 && !(tile < 3) || 0"), "1");
}

TEST(Expression, RealNumbers) {
  EXPECT_EQ(value("1.0/n"), "0.01");
  EXPECT_EQ(value("4.0/2"), "2.0");
  EXPECT_EQ(value("1e-3*1000"), "1.0");
  EXPECT_EQ(value("time@h200 == 2*time{kernel=a/b, gpu=c}"), "1");
}

TEST(Expression, ErrorsAreLocated) {
  EXPECT_EQ(value("n / (tile - 16)"), "division by zero");
  EXPECT_EQ(of("n * m").error()[0].where, (Location{"s.json", 3, 14, 1}));
  EXPECT_EQ(value("n * m"), "unknown name 'm'");
  EXPECT_EQ(value("9223372036854775807 + 1"), "the result does not fit 64 bits");
  for (const char* bad :
       {"", "n +", "(n", "n n", "sin(n)", "cdiv(n)", "1..2", "n ? 1", "$", "99999999999999999999"})
    EXPECT_FALSE(of(bad).ok()) << bad;
  EXPECT_FALSE(of(std::string(100000, '(')).ok());
  EXPECT_FALSE(of(std::string(100000, '-') + "1").ok());
}

TEST(Expression, Names) {
  EXPECT_EQ(names_in_expression("cdiv(n, tile)*n + 1e3 + x2@g"),
            (std::vector<std::string>{"n", "tile", "x2@g"}));
}

}  // namespace
}  // namespace ww
