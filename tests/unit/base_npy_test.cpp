// The bytes are put together by hand after NumPy's description of the format
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#include "base/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

namespace ww::npy {
namespace {

std::string file(int major, const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += {static_cast<char>(major), 0};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) out += static_cast<char>(header.size() >> 8 * i & 0xff);
  return out + header + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::string why(const std::string& content) {
  auto result = parse(content, "a.npy");
  return result.ok() ? "" : result.error().at(0).message;
}

TEST(Npy, ReadsAFileMadeByHand) {
  // 1.0f is 3f800000, -2.5f is c0200000: low byte first.
  std::string data("\x00\x00\x80\x3f\x00\x00\x20\xc0", 8);
  for (int major : {1, 2, 3}) {
    auto array = parse(file(major, header("<f4", "(2, 1)"), data), "a.npy");
    ASSERT_TRUE(array.ok()) << render(array.error());
    EXPECT_EQ(array->dtype, Dtype::F4);
    EXPECT_EQ(array->shape, (std::vector<uint64_t>{2, 1}));
    float values[2];
    std::memcpy(values, array->bytes.data(), 8);
    EXPECT_EQ(values[0], 1.0f);
    EXPECT_EQ(values[1], -2.5f);
  }
}

TEST(Npy, ReadsWhatOtherWritersWrite) {
  EXPECT_EQ(why(file(1, "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"|u1\"}", "ab")), "");
  EXPECT_EQ(why(file(1, header("|b1", "()"), "\x01")), "");
  EXPECT_EQ(why(file(1, header("<f8", "(0, 18446744073709551615)"), "")), "");
}

TEST(Npy, WritesTheBytesOfTheFormat) {
  Array array{Dtype::U2,
              {3},
              {std::byte{1}, std::byte{0}, std::byte{2}, std::byte{0}, std::byte{0xff}, std::byte{1}}};
  std::string text = format(array);
  // numpy.save(f, numpy.array([1, 2, 511], '<u2')): one blank after the comma of the tuple, data at 128.
  std::string dictionary = "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }";
  ASSERT_EQ(text.size(), 128u + 6);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));  // 0x76 = 128 - 10
  EXPECT_EQ(text.substr(10, dictionary.size()), dictionary);
  EXPECT_EQ(text.find_first_not_of(' ', 10 + dictionary.size()), 127u);
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.substr(128), std::string("\x01\x00\x02\x00\xff\x01", 6));
}

TEST(Npy, RoundTripsAllTypesAndShapes) {
  for (int i = 0; i < kDtypeCount; ++i)
    for (std::vector<uint64_t> shape : {std::vector<uint64_t>{}, {0}, {7}, {2, 3}, {2, 0, 5}, {1, 2, 3, 4}}) {
      auto dtype = static_cast<Dtype>(i);
      Array array{dtype, shape, std::vector<std::byte>(*bytes_of(dtype, shape), std::byte{0x5a})};
      auto text = format(array);
      EXPECT_EQ((text.size() - array.bytes.size()) % 64, 0u);
      auto back = parse(text, "a.npy");
      ASSERT_TRUE(back.ok()) << render(back.error());
      EXPECT_EQ(*back, array);
      EXPECT_EQ(dtype_named(name(dtype)), dtype);
    }
}

TEST(Npy, SaysWhatItDoesNotRead) {
  EXPECT_NE(why(file(1, header("<f4", "(1,)", "True"), "1234")).find("Fortran order"), std::string::npos);
  EXPECT_NE(why(file(1, header(">f4", "(1,)"), "1234")).find("big endian"), std::string::npos);
  EXPECT_NE(why(file(1, header("<c8", "(1,)"), "12345678")).find("'<c8' is not supported"),
            std::string::npos);
  EXPECT_NE(why(file(1, header("|O", "(1,)"), "12345678")).find("'|O' is not supported"), std::string::npos);
  EXPECT_NE(why(file(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"))
                .find("records"),
            std::string::npos);
  EXPECT_NE(why(file(4, header("<f4", "(1,)"), "1234")).find("version 4.0"), std::string::npos);
  EXPECT_NE(
      why(file(1, header("<f4", "(2, 3)"), "1234")).find("(2, 3) needs 24 bytes of data, the file has 4"),
      std::string::npos);
  EXPECT_NE(why(file(1, header("<f4", "(1,)"), "12345")).find("the file has 5"), std::string::npos);
}

TEST(Npy, RefusesHostileHeaders) {
  for (std::string shape : {"(4294967296, 4294967296)", "(18446744073709551615,)", "(99999999999999999999,)",
                            "(-1,)", "(1.5,)", "(2)", "2", "[2]", "(2,", "(,)", "(2 2)"})
    EXPECT_NE(why(file(1, header("<f4", shape), "12345678")), "") << shape;
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  EXPECT_NE(why(file(1, header("<f4", many + ")"), "1234")).find("64 dimensions"), std::string::npos);
  for (std::string text : {"", "{", "{}", "{'descr': '<f4'}", "{'descr", "{'a\nb': 1}", "{'shape': (1,),,}"})
    EXPECT_NE(why(file(1, text, "1234")), "") << text;
  EXPECT_NE(why(file(1, header("<f4", "(1,)") + "x", "1234")).find("after the dictionary"),
            std::string::npos);
  EXPECT_NE(why(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), "");
}

TEST(Npy, SurvivesEveryTruncationAndManyDamages) {
  std::string good = file(1, header("<i2", "(2, 2)"), "12345678");
  ASSERT_EQ(why(good), "");
  for (size_t n = 0; n < good.size(); ++n) EXPECT_NE(why(good.substr(0, n)), "") << n;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 2; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    (void)parse(bad, "a.npy");  // any answer is good, but an answer
  }
}

TEST(Npy, FilesOnDisk) {
  std::string path = testing::TempDir() + "ww_npy_test.npy";
  Array array{Dtype::I4, {2}, std::vector<std::byte>(8, std::byte{3})};
  ASSERT_TRUE(write(path, array).ok());
  EXPECT_EQ(*read(path), array);
  std::remove(path.c_str());
  EXPECT_FALSE(read(path).ok());
}

TEST(Npy, AFileIsReadAsItsContentIs) {
  const std::string path = testing::TempDir() + "/ww_npy_" + std::to_string(::getpid());
  const std::string good = file(1, header("<f4", "(2,)"), "abcdefgh");
  std::vector<std::string> contents = {"",
                                       good,
                                       good + "x",
                                       file(2, header("<u2", "(3, 1)"), "abcdef"),
                                       file(3, header("<f8", "()"), "12345678"),
                                       file(4, header("<f4", "(1,)"), "abcd"),
                                       file(1, header("<f4", "(0,)"), ""),
                                       file(1, header("<f4", "(3,)"), "abcdefgh")};
  for (size_t end = 1; end < good.size(); ++end) contents.push_back(good.substr(0, end));
  for (const std::string& content : contents) {
    std::ofstream(path, std::ios::binary) << content;
    const auto expected = parse(content, path), found = read(path);
    ASSERT_EQ(expected.ok(), found.ok()) << content.size();
    if (found)
      EXPECT_EQ(*expected, *found);
    else
      EXPECT_EQ(expected.error()[0].message, found.error()[0].message);
  }
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_FALSE(read(path, 7));
  EXPECT_TRUE(read(path, 8));
  EXPECT_EQ(read_header(path)->shape, std::vector<uint64_t>{2});
  std::remove(path.c_str());
}

}  // namespace
}  // namespace ww::npy
