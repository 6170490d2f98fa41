#include "cli/launch/buffers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>

#include "device/null_device.h"

namespace ww::cli {
namespace {

class LaunchBuffersTest : public testing::Test {
 protected:
  LaunchBuffersTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("ww_launch_buffers_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~LaunchBuffersTest() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::vector<LaunchArgument> parse(const std::vector<std::string>& texts) {
    std::vector<LaunchArgument> out;
    for (const auto& t : texts) out.push_back(*parse_argument(t));
    return out;
  }
  template <class T>
  static T value(const device::Argument& argument) {
    T out;
    EXPECT_EQ(argument.bytes.size(), sizeof(T));
    std::memcpy(&out, argument.bytes.data(), sizeof(T));
    return out;
  }
  npy::Array floats(std::vector<float> values) {
    npy::Array array{npy::Dtype::F4, {values.size()}, {}};
    auto bytes = std::as_bytes(std::span(values));
    array.bytes.assign(bytes.begin(), bytes.end());
    return array;
  }

  std::filesystem::path folder_;
  device::NullDevice device_;
};

TEST_F(LaunchBuffersTest, ThereAndBack) {
  npy::Array before = floats({1, 2, 3});
  ASSERT_TRUE(npy::write(path("io.npy"), before));
  {
    LaunchBuffers buffers(device_);
    ASSERT_TRUE(
        buffers.prepare(parse({"s32:5", "inout:" + path("io.npy"), "out:u16[2,3]:" + path("o.npy")}), 1));
    ASSERT_EQ(buffers.arguments().size(), 3u);
    EXPECT_EQ(value<int>(buffers.arguments()[0]), 5);
    auto io = device_.bytes_at(value<uint64_t>(buffers.arguments()[1]), 12);
    ASSERT_EQ(io.size(), 12u);
    EXPECT_EQ(std::memcmp(io.data(), before.bytes.data(), 12), 0);
    const float changed = 7;  // what a kernel would do
    std::memcpy(io.data() + 4, &changed, 4);
    auto out = device_.bytes_at(value<uint64_t>(buffers.arguments()[2]), 12);
    ASSERT_EQ(out.size(), 12u);
    for (auto byte : out) EXPECT_EQ(byte, std::byte{0});
    out[11] = std::byte{1};
    EXPECT_FALSE(std::filesystem::exists(path("o.npy")));
    ASSERT_TRUE(buffers.save());
  }
  EXPECT_EQ(device_.allocations(), 0u);
  EXPECT_EQ(*npy::read(path("io.npy")), floats({1, 7, 3}));
  auto out = npy::read(path("o.npy"));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->dtype, npy::Dtype::U2);
  EXPECT_EQ(out->shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(out->bytes[11], std::byte{1});
}

TEST_F(LaunchBuffersTest, RandomNumbersDependOnSeedAndPlace) {
  auto drawn = [&](uint64_t seed, size_t place, const char* what, size_t bytes) {
    LaunchBuffers buffers(device_);
    std::vector<std::string> texts(place, "u8:0");
    texts.push_back(what);
    EXPECT_TRUE(buffers.prepare(parse(texts), seed));
    auto span = device_.bytes_at(value<uint64_t>(buffers.arguments().back()), bytes);
    return std::vector<std::byte>(span.begin(), span.end());
  };
  for (auto [what, bytes] :
       {std::pair{"random:f32[64]", 256}, {"random:u8[61]", 61}, {"random:f16[64]", 128}}) {
    auto first = drawn(1, 0, what, static_cast<size_t>(bytes));
    EXPECT_EQ(first, drawn(1, 0, what, static_cast<size_t>(bytes)));
    EXPECT_NE(first, drawn(2, 0, what, static_cast<size_t>(bytes)));
    EXPECT_NE(first, drawn(1, 1, what, static_cast<size_t>(bytes)));
  }
  for (auto raw = drawn(3, 0, "random:f64[1000]", 8000); size_t i : {0, 500, 999}) {
    double number;
    std::memcpy(&number, raw.data() + i * 8, 8);
    EXPECT_TRUE(std::fabs(number) >= 0.015625 && std::fabs(number) < 4) << number;
  }
}

TEST_F(LaunchBuffersTest, CountsUpAndBeginsLater) {
  LaunchBuffers buffers(device_);
  ASSERT_TRUE(buffers.prepare(parse({"range:s16[4]", "range:f16[3]+1", "range:u8[258]"}), 1));
  const auto whole = device_.bytes_at(value<uint64_t>(buffers.arguments()[0]), 8);
  const int16_t expected[] = {0, 1, 2, 3};
  EXPECT_EQ(std::memcmp(whole.data(), expected, 8), 0);
  const auto halves = device_.bytes_at(value<uint64_t>(buffers.arguments()[1]), 4);
  const uint16_t one_and_two[] = {0x3c00, 0x4000};  // IEEE 754
  EXPECT_EQ(std::memcmp(halves.data(), one_and_two, 4), 0);
  EXPECT_EQ(buffers.placed()[1].begin, buffers.placed()[1].address + 2);
  EXPECT_EQ(device_.bytes_at(value<uint64_t>(buffers.arguments()[2]) + 257, 1)[0], std::byte{1});  // wraps
}

TEST_F(LaunchBuffersTest, BooleansAreZeroOrOneAndBf16AreNumbers) {
  LaunchBuffers buffers(device_);
  ASSERT_TRUE(buffers.prepare(parse({"random:bool[256]", "random:bf16[1024]", "range:bf16[4]"}), 1));
  int ones = 0;
  for (std::byte b : device_.bytes_at(value<uint64_t>(buffers.arguments()[0]), 256)) {
    ASSERT_LE(static_cast<int>(b), 1);
    ones += static_cast<int>(b);
  }
  EXPECT_GT(ones, 64);
  EXPECT_LT(ones, 192);
  const auto halves = device_.bytes_at(value<uint64_t>(buffers.arguments()[1]), 2048);
  for (size_t i = 0; i < 1024; ++i) {
    uint32_t bits = 0;  // the upper half of a float
    std::memcpy(reinterpret_cast<char*>(&bits) + 2, halves.data() + 2 * i, 2);
    float number = 0;
    std::memcpy(&number, &bits, 4);
    EXPECT_GE(std::fabs(number), 1.0f / 64);
    EXPECT_LE(std::fabs(number), 4.0f);
  }
  const auto counted = device_.bytes_at(value<uint64_t>(buffers.arguments()[2]), 8);
  EXPECT_EQ(static_cast<int>(counted[5]), 0x40);  // 2.0 is 0x4000 in bf16
}

TEST_F(LaunchBuffersTest, TablesHoldTheAddressesOfTheirArrays) {
  LaunchBuffers buffers(device_);
  ASSERT_TRUE(buffers.prepare(parse({"1*range:s32[4]", "2*random:s32[4]"}), 1));
  std::vector<int> first(4), found(4);
  for (int i = 0; i < 4; ++i) first[static_cast<size_t>(i)] = i;
  const auto table = device_.bytes_at(value<uint64_t>(buffers.arguments()[0]), 8);
  uint64_t address = 0;
  std::memcpy(&address, table.data(), 8);
  std::memcpy(found.data(), device_.bytes_at(address, 16).data(), 16);
  EXPECT_EQ(found, first);
  const auto same = device_.bytes_at(value<uint64_t>(buffers.arguments()[1]), 16);
  uint64_t a = 0, b = 0;
  std::memcpy(&a, same.data(), 8);
  std::memcpy(&b, same.data() + 8, 8);
  EXPECT_NE(a, b);
  EXPECT_NE(std::memcmp(device_.bytes_at(a, 16).data(), device_.bytes_at(b, 16).data(), 16),
            0);  // numbers of their own
}

TEST_F(LaunchBuffersTest, AllThatIsWrongAtOnce) {
  ASSERT_TRUE(npy::write(path("none.npy"), floats({})));
  LaunchBuffers buffers(device_);
  auto ok = buffers.prepare(parse({"in:" + path("missing.npy"), "u8:1", "in:" + path("none.npy")}), 1);
  ASSERT_FALSE(ok);
  ASSERT_EQ(ok.error().size(), 2u);
  EXPECT_NE(ok.error()[0].message.find("missing.npy"), std::string::npos);
  EXPECT_NE(ok.error()[1].message.find("without elements"), std::string::npos);
}

// As a C++ compiler lays it out.
TEST_F(LaunchBuffersTest, StructsAreLaidOutAsInCpp) {
  struct Inner {
    unsigned char a;
    double b;
  };
  struct Outer {
    short a;
    int b;
    Inner inner;
    unsigned char c;
  };
  Outer expected;
  std::memset(&expected, 0, sizeof expected);
  expected.a = -2, expected.b = 7, expected.inner.a = 9, expected.inner.b = 0.5, expected.c = 1;
  LaunchBuffers buffers(device_);
  ASSERT_TRUE(buffers.prepare(parse({"{s16:-2,7,{u8:9,f64:0.5},u8:1}"}), 1));
  const auto& bytes = buffers.arguments()[0].bytes;
  ASSERT_EQ(bytes.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data(), &expected, sizeof expected), 0);
}

}  // namespace
}  // namespace ww::cli
