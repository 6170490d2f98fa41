#include "cli/launch/argument.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ww::cli {
namespace {

/// The bytes as an integer, most significant digit first, and how many there are.
std::string bits(std::string_view text) {
  auto parsed = parse_argument(text);
  if (!parsed) return parsed.error()[0].message;
  const auto* scalar = std::get_if<ScalarArgument>(&*parsed);
  if (!scalar) return "an array";
  std::string out;
  for (size_t i = scalar->bytes.size(); i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(scalar->bytes[i]));
    out += digits;
  }
  return out;
}

std::string trouble_with(std::string_view text) {
  auto parsed = parse_argument(text);
  return parsed ? "none" : parsed.error()[0].message + " | " + parsed.error()[0].hint;
}

TEST(LaunchArgument, Integers) {
  EXPECT_EQ(bits("s32:7"), "00000007");
  EXPECT_EQ(bits("s32:-7"), "fffffff9");
  EXPECT_EQ(bits("s8:-128"), "80");
  EXPECT_EQ(bits("u8:255"), "ff");
  EXPECT_EQ(bits("b16:-1"), "ffff");
  EXPECT_EQ(bits("b16:65535"), "ffff");
  EXPECT_EQ(bits("u64:0xFFFFFFFFFFFFFFFF"), "ffffffffffffffff");
  EXPECT_EQ(bits("s64:-9223372036854775808"), "8000000000000000");
  EXPECT_EQ(bits("u64:18446744073709551615"), "ffffffffffffffff");
}

ArrayArgument array_in(std::string_view text) {
  auto parsed = parse_argument(text);
  EXPECT_TRUE(parsed && std::holds_alternative<ArrayArgument>(*parsed)) << text;
  return parsed ? std::get<ArrayArgument>(*parsed) : ArrayArgument();
}

TEST(LaunchArgument, ArraysThatBeginLater) {
  const ArrayArgument range = array_in("range:s32[1030]+3");
  EXPECT_EQ(range.kind, ArrayArgument::Kind::Range);
  EXPECT_EQ(range.skipped, 3u);
  EXPECT_FALSE(range.writes());
  const ArrayArgument kept = array_in("random:f32[8]:a+b.npy+2");
  EXPECT_EQ(kept.path, "a+b.npy");
  EXPECT_EQ(kept.skipped, 2u);
  EXPECT_TRUE(kept.writes());
  EXPECT_EQ(array_in("in:a.npy+4").skipped, 4u);
  EXPECT_EQ(array_in("in:a+4").path, "a+4");  // a file's name may be like that
  EXPECT_EQ(trouble_with("range:s32[4]+4"), "--arg 'range:s32[4]+4': +4 is behind the end of the array | ");
  EXPECT_NE(trouble_with("tex:f32[64]+1").find("no place to begin"), std::string::npos);
  EXPECT_NE(trouble_with("out:f32[4]x").find("means nothing"), std::string::npos);
  EXPECT_NE(trouble_with("random:f32[4]x").find("means nothing"), std::string::npos);
}

TEST(LaunchArgument, ExpressionsOfNumPy) {
  const ArrayArgument array = array_in("numpy:4*np.arange(n+1)");
  EXPECT_EQ(array.kind, ArrayArgument::Kind::Numpy);
  EXPECT_EQ(array.path, "4*np.arange(n+1)");
  EXPECT_FALSE(array.writes());
  EXPECT_NE(trouble_with("numpy:").find("no expression"), std::string::npos);
}

TEST(LaunchArgument, IntegersThatDoNotFit) {
  for (auto text : {"s8:128", "s8:-129", "u8:256", "u8:-1", "b16:65536", "b16:-32769", "s32:2147483648",
                    "s64:9223372036854775808", "s64:-9223372036854775809", "u64:18446744073709551616"})
    EXPECT_NE(trouble_with(text).find("does not fit"), std::string::npos)
        << text << ": " << trouble_with(text);
  for (auto text : {"s32:", "s32:x", "s32:1.5", "s32: 1", "s32:1 ", "u32:0x", "s32:--1", "s32:+-1"})
    EXPECT_NE(trouble_with(text).find("is not an integer"), std::string::npos)
        << text << ": " << trouble_with(text);
}

// IEEE 754 encodings.
TEST(LaunchArgument, FloatingPoint) {
  EXPECT_EQ(bits("f32:1.5"), "3fc00000");
  EXPECT_EQ(bits("f32:-0"), "80000000");
  EXPECT_EQ(bits("f32:0x1.8p3"), "41400000");
  EXPECT_EQ(bits("f32:1e-45"), "00000001");
  EXPECT_EQ(bits("f32:-inf"), "ff800000");
  EXPECT_EQ(bits("f64:0.1"), "3fb999999999999a");
  EXPECT_EQ(bits("f16:65504"), "7bff");
  EXPECT_EQ(bits("f16:inf"), "7c00");
  EXPECT_EQ(bits("bf16:1"), "3f80");
  float nan = 0;
  auto parsed = parse_argument("f32:nan");
  std::memcpy(&nan, std::get<ScalarArgument>(*parsed).bytes.data(), 4);
  EXPECT_TRUE(std::isnan(nan));
}

TEST(LaunchArgument, HalvesAreRoundedOnce) {
  // Just above the middle of 1 and 1 + 2^-10: by way of float it would become the middle, and the tie 1.
  EXPECT_EQ(bits("f16:0x1.0020000001p0"), "3c01");
  EXPECT_EQ(bits("f16:0x1.002p0"), "3c00");
  EXPECT_EQ(bits("f16:0x1.001fffffffp0"), "3c00");
  EXPECT_EQ(bits("bf16:0x1.0100000001p0"), "3f81");
}

TEST(LaunchArgument, FloatingPointThatIsWrong) {
  for (auto text : {"f16:65520", "f32:1e39", "f64:1e999", "bf16:1e39", "f32:-1e39"})
    EXPECT_NE(trouble_with(text).find("out of"), std::string::npos) << text << ": " << trouble_with(text);
  for (auto text : {"f32:", "f32:x", "f32:1.5f", "f32: 1", "f32:1,5"})
    EXPECT_NE(trouble_with(text).find("is not a number"), std::string::npos)
        << text << ": " << trouble_with(text);
}

TEST(LaunchArgument, Arrays) {
  using Kind = ArrayArgument::Kind;
  EXPECT_EQ(*parse_argument("in:a:b.npy"),
            LaunchArgument(ArrayArgument{Kind::In, {npy::Dtype::F4}, {}, "a:b.npy"}));
  EXPECT_EQ(*parse_argument("inout:x"),
            LaunchArgument(ArrayArgument{Kind::InOut, {npy::Dtype::F4}, {}, "x"}));
  EXPECT_EQ(*parse_argument("out:s16[64,32]:o[1].npy"),
            LaunchArgument(ArrayArgument{Kind::Out, npy::Dtype::I2, {64, 32}, "o[1].npy"}));
  EXPECT_EQ(*parse_argument("out:f32[4]"),
            LaunchArgument(ArrayArgument{Kind::Out, {npy::Dtype::F4}, {4}, ""}));
  EXPECT_EQ(*parse_argument("random:f64[7]"),
            LaunchArgument(ArrayArgument{Kind::Random, npy::Dtype::F8, {7}, ""}));
}

TEST(LaunchArgument, AShapeMayBeWorkedOut) {
  EXPECT_EQ(*parse_argument("random:f64[7*2, cdiv(100, 32)]"),
            LaunchArgument(ArrayArgument{ArrayArgument::Kind::Random, npy::Dtype::F8, {14, 4}, ""}));
  EXPECT_NE(trouble_with("random:f32[n*n]").find("'n' in f32[n*n] is not a number"), std::string::npos);
}

TEST(LaunchArgument, ArraysThatAreWrong) {
  for (auto text :
       {"random:f32", "random:f32[]", "random:f32[0]", "random:f32[1,]", "random:f32[1", "random:f32[-1]",
        "out:f32:o.npy", "random:f32[2,3*]", "random:f32[99999999999999999999]"})
    EXPECT_NE(trouble_with(text).find("has no shape"), std::string::npos)
        << text << ": " << trouble_with(text);
  for (auto text : {"in:", "inout:", "out:f32[4]:"})
    EXPECT_NE(trouble_with(text).find("names no file"), std::string::npos)
        << text << ": " << trouble_with(text);
  EXPECT_NE(trouble_with("random:f33[4]").find("did you mean f32"), std::string::npos);
  EXPECT_NE(trouble_with("random:f32[4294967296,4294967296]").find("too large"), std::string::npos);
  EXPECT_NE(trouble_with("out:f32[4]x").find("means nothing"), std::string::npos);
  EXPECT_NE(trouble_with("random:f32[4]x").find("means nothing"), std::string::npos);
  for (auto text : {"", "7x", "x:1", ":", "pred:1"}) EXPECT_NE(trouble_with(text), "none") << text;
  EXPECT_EQ(trouble_with("x\x1b[31m:1").find('\x1b'), std::string::npos);
}

TEST(LaunchArgument, TablesOfPointers) {
  const auto table = std::get<StructArgument>(*parse_argument("4*random:f32[2,3]"));
  EXPECT_TRUE(table.pointers);
  ASSERT_EQ(table.members.size(), 4u);
  EXPECT_EQ(std::get<ArrayArgument>(table.members[3]).shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_FALSE(std::get<StructArgument>(*parse_argument("{random:f32[2],in:b.npy}")).pointers);  // perhaps
  for (auto text : {"0*random:f32[4]", "2*7", "2*out:f32[4]:x.npy", "2*numpy:np.arange(4)", "*random:f32[4]",
                    "2*random:f32[4", "70000*out:f32[4]"})
    EXPECT_FALSE(parse_argument(text)) << text;
}

TEST(LaunchArgument, BooleansAndBf16) {
  EXPECT_EQ(bits("bool:true"), "01");
  EXPECT_EQ(bits("bool:0"), "00");
  EXPECT_FALSE(parse_argument("bool:2"));
  EXPECT_EQ(std::get<ArrayArgument>(*parse_argument("random:bool[4]")).dtype, npy::Dtype::B1);
  const auto array = std::get<ArrayArgument>(*parse_argument("random:bf16[4]"));
  EXPECT_TRUE(array.bfloat);
  EXPECT_EQ(array.dtype, npy::Dtype::U2);
}

TEST(LaunchArgument, NumbersAlone) {
  for (const char* text : {"7", "-1.5", "1e-3", "0x1f", "nan"}) {
    const auto parsed = parse_argument(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(std::get<ScalarArgument>(*parsed).type, "") << text;
  }
  const ScalarArgument number = std::get<ScalarArgument>(*parse_argument("7"));
  EXPECT_EQ(with_type(number, "s64")->bytes, std::get<ScalarArgument>(*parse_argument("s64:7")).bytes);
  EXPECT_EQ(with_type(number, "f32")->bytes, std::get<ScalarArgument>(*parse_argument("f32:7")).bytes);
  EXPECT_FALSE(with_type(std::get<ScalarArgument>(*parse_argument("7.5")), "u32"));
}

TEST(LaunchArgument, StructsAndBytes) {
  const auto parsed = parse_argument("{1,2.5,{u8:3,random:f32[4,4]},hex:00Ff}");
  ASSERT_TRUE(parsed) << parsed.error()[0].message;
  auto members = std::get<StructArgument>(*parsed).members;
  ASSERT_EQ(members.size(), 4u);
  for (size_t i : {0, 1}) {
    EXPECT_TRUE(std::get<ScalarArgument>(members[i]).guessed);
    std::get<ScalarArgument>(members[i]).guessed = false;
  }
  EXPECT_EQ(members[0], *parse_argument("s32:1"));
  EXPECT_EQ(members[1], *parse_argument("f32:2.5"));
  const auto& inner = std::get<StructArgument>(members[2]).members;
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_EQ(inner[1], *parse_argument("random:f32[4,4]"));
  EXPECT_EQ(std::get<ScalarArgument>(members[3]).bytes,
            (std::vector<std::byte>{std::byte{0}, std::byte{255}}));
  for (auto text : {"{", "{1", "{1,}", "{1}}", "{{1}", "{,1}", "hex:", "hex:1", "hex:0g", "hex:+1"})
    EXPECT_NE(trouble_with(text), "none") << text;
  EXPECT_NE(trouble_with(std::string(100000, '{') + "1" + std::string(100000, '}')), "none");
}

TEST(LaunchArgument, Textures) {
  const auto parsed = parse_argument("tex,linear,wrap,normalized,x4:in:a.npy");
  ASSERT_TRUE(parsed) << parsed.error()[0].message;
  const auto& t = std::get<TextureArgument>(*parsed);
  EXPECT_TRUE(t.linear && t.normalized && !t.surface && !t.as_float);
  EXPECT_EQ(t.address, "wrap");
  EXPECT_EQ(t.channels, 4);
  EXPECT_EQ(t.texels.path, "a.npy");
  EXPECT_EQ(std::get<TextureArgument>(*parse_argument("tex:u8[4,8]")).texels.kind,
            ArrayArgument::Kind::Random);
  EXPECT_EQ(std::get<TextureArgument>(*parse_argument("surf:f32[4,8]")).texels.kind,
            ArrayArgument::Kind::Out);
  for (auto text : {"tex,linar:f32[4]", "tex,wrap:f32[4]", "tex:out:f32[4]:a.npy", "surf,linear:f32[4]",
                    "tex:", "tex,x3:f32[4]"})
    EXPECT_NE(trouble_with(text), "none") << text;
}

TEST(LaunchArgument, Names) {
  const auto parsed = parse_named_argument("p.in.v[2]=f32:1");
  ASSERT_TRUE(parsed) << parsed.error()[0].message;
  EXPECT_EQ(parsed->name, "p");
  EXPECT_EQ(parsed->path, "in.v[2]");
  EXPECT_EQ(parse_named_argument("2+8=f32:1")->path, "+8");
  EXPECT_EQ(parse_named_argument("in:a=b.npy")->name, "");
  EXPECT_EQ(parse_named_argument("-7")->name, "");
  EXPECT_FALSE(parse_named_argument(".x=1"));
  EXPECT_FALSE(parse_argument("{1,n=2}"));
}

}  // namespace
}  // namespace ww::cli
