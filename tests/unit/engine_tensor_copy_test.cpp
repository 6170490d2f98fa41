// Tensor copies (tests/data/tensor_copy.ptx) against plain loops over the array, as the manual's "Tensors"
// describes boxes, steps, what lies outside, and swizzles.
#include "engine/async/tensor_map.h"
#include "run_ptx.h"

namespace {

using namespace ww;
using engine::TensorMap;
using engine::TensorSwizzle;
using engine::TensorType;
using engine::u32;
using engine::u64;
using test::PtxProgram;

using Bytes = std::array<engine::u8, engine::kTensorMapBytes>;

/// An array of `width` x `height` elements, rows `pitch` bytes apart, boxes of `box_x` x `box_y`.
struct Array {
  TensorMap map;
  std::vector<uint8_t> bytes;
};
Array array_of(TensorType type, u32 width, u32 height, u32 pitch, u32 box_x, u32 box_y) {
  Array a;
  a.map.type = type;
  a.map.rank = 2;
  a.map.size[0] = width, a.map.size[1] = height;
  a.map.stride[1] = pitch;
  a.map.box[0] = box_x, a.map.box[1] = box_y;
  a.map.step[0] = a.map.step[1] = 1;
  a.bytes.resize(size_t{pitch} * height);
  for (size_t k = 0; k < a.bytes.size(); ++k) a.bytes[k] = static_cast<uint8_t>(k * 7 + k / 256);
  return a;
}

Bytes encoded(PtxProgram&, const TensorMap& map) {
  auto bytes = map.encode();
  if (!bytes) throw std::runtime_error(render(bytes.error()));
  return *bytes;
}

std::vector<uint8_t> load(PtxProgram& p, Array& a, int x, int y) {
  a.map.address = p.upload(a.bytes);
  auto count = static_cast<u32>(a.map.box_bytes());
  auto out = p.upload(std::vector<uint8_t>(count, 0xee));
  p.run("load2", {}, {32}, encoded(p, a.map), out, x, y, count);
  return p.download<uint8_t>(out, count);
}

/// The same by hand: the dense box, row by row.
std::vector<uint8_t> box_of(const Array& a, int x, int y) {
  std::vector<uint8_t> out;
  u32 size = a.map.element_bytes();
  for (u32 j = 0; j < a.map.box[1]; j += a.map.step[1])
    for (u32 i = 0; i < a.map.box[0]; i += a.map.step[0])
      for (u32 b = 0; b < size; ++b) {
        long column = x + static_cast<long>(i), row = y + static_cast<long>(j);
        bool inside = column >= 0 && row >= 0 && column < static_cast<long>(a.map.size[0]) &&
                      row < static_cast<long>(a.map.size[1]);
        out.push_back(
            inside
                ? a.bytes[static_cast<size_t>(row) * a.map.stride[1] + static_cast<size_t>(column) * size + b]
                : 0);
      }
  return out;
}

TEST(TensorCopy, LoadsABox) {
  PtxProgram p("tensor_copy.ptx");
  Array a = array_of(TensorType::F32, 20, 12, 96, 8, 4);
  EXPECT_EQ(load(p, a, 4, 2), box_of(a, 4, 2));
  Array halves = array_of(TensorType::F16, 40, 12, 96, 16, 3);
  EXPECT_EQ(load(p, halves, 8, 5), box_of(halves, 8, 5));
}

TEST(TensorCopy, OutsideLieZeros) {
  PtxProgram p("tensor_copy.ptx");
  Array a = array_of(TensorType::U32, 20, 12, 96, 8, 4);
  for (auto [x, y] : {std::pair(-4, -2), {16, 10}, {100, 0}, {0, -50}})
    EXPECT_EQ(load(p, a, x, y), box_of(a, x, y)) << x << " " << y;
}

TEST(TensorCopy, StepsLeaveElementsOut) {
  PtxProgram p("tensor_copy.ptx");
  Array a = array_of(TensorType::U16, 64, 12, 128, 32, 6);
  a.map.step[0] = 2, a.map.step[1] = 3;
  EXPECT_EQ(a.map.box_bytes(), 16u * 2 * 2);
  EXPECT_EQ(load(p, a, 8, 1), box_of(a, 8, 1));
}

// Rows of the swizzle's width: chunk c of 16 bytes of row r lies at c ^ r (mod what the width has), as the
// manual's tables show: 128 bytes: eight chunks; 64: pairs of rows share a line of 128 bytes; 32: four rows
// do.
TEST(TensorCopy, SwizzlesMixChunks) {
  PtxProgram p("tensor_copy.ptx");
  for (auto [swizzle, width, rows_per_line] : {std::tuple(TensorSwizzle::Bytes128, 128u, 1u),
                                               {TensorSwizzle::Bytes64, 64u, 2u},
                                               {TensorSwizzle::Bytes32, 32u, 4u}}) {
    Array a = array_of(TensorType::U8, 256, 16, 256, width, 16);
    a.map.swizzle = swizzle;
    auto got = load(p, a, 0, 0);
    auto plain = box_of(a, 0, 0);
    u32 chunks = width / 16;
    for (u32 row = 0; row < 16; ++row)
      for (u32 c = 0; c < chunks; ++c) {
        u32 to = c ^ (row / rows_per_line % chunks);
        for (u32 b = 0; b < 16; ++b)
          ASSERT_EQ(got[row * width + to * 16 + b], plain[row * width + c * 16 + b])
              << width << " row " << row << " chunk " << c;
      }
  }
}

TEST(TensorCopy, StoresWhatLiesInside) {
  PtxProgram p("tensor_copy.ptx");
  for (auto [x, y] : {std::pair(4, 2), {8, 11}, {100, 50}}) {
    Array a = array_of(TensorType::U32, 10, 12, 48, 8, 2);
    a.map.address = p.upload(a.bytes);
    p.run("store2", {}, {32}, encoded(p, a.map), x, y, u32{64}, u32{0});
    auto want = a.bytes;
    for (int k = 0; k < 64; ++k) {
      const int column = 4 * x + k % 32, row = y + k / 32;
      if (column >= 0 && column < 40 && row < 12)
        want[static_cast<size_t>(row * 48 + column)] = static_cast<uint8_t>(k + 1);
    }
    EXPECT_EQ(p.download<uint8_t>(a.map.address, want.size()), want);
  }
}

TEST(TensorCopy, Reduces) {
  PtxProgram p("tensor_copy.ptx");
  Array a = array_of(TensorType::U32, 8, 4, 32, 4, 2);
  a.map.address = p.upload(a.bytes);
  p.run("store2", {}, {32}, encoded(p, a.map), 4, 1, u32{32}, u32{1});
  auto got = p.download<u32>(a.map.address, 32);
  std::vector<u32> want(32), added(8);
  std::memcpy(want.data(), a.bytes.data(), 128);
  for (u32 k = 0; k < 32; ++k) reinterpret_cast<uint8_t*>(added.data())[k] = static_cast<uint8_t>(k + 1);
  for (u32 j = 0; j < 2; ++j)
    for (u32 i = 0; i < 4; ++i) want[(1 + j) * 8 + 4 + i] += added[j * 4 + i];
  EXPECT_EQ(got, want);
}

TEST(TensorCopy, Faults) {
  PtxProgram p("tensor_copy.ptx");
  auto out = p.upload(std::vector<int>{0});
  EXPECT_EQ(p.fault("load2", {32}, Bytes{}, out, 0, 0, u32{16}).first, "no tensor map");
  Array a = array_of(TensorType::U32, 8, 4, 32, 4, 2);
  a.map.address = p.upload(a.bytes);
  Array flat = a;
  flat.map.rank = 1;
  EXPECT_EQ(p.fault("load2", {32}, encoded(p, flat.map), out, 0, 0, u32{16}).first,
            "tensor map of another rank");
  EXPECT_EQ(p.fault("load2", {32}, encoded(p, a.map), out, 2, 0, u32{16}).first,
            "tensor copy from a wrong column");
  // So does an H200, with float32 and a swizzle of 128 bytes; what ends behind the array is right (above).
  for (auto [x, y] : {std::pair(-4, 0), {0, -1}, {-208, 0}, {0, -200}})
    EXPECT_EQ(p.fault("store2", {32}, encoded(p, a.map), x, y, u32{32}, u32{0}).first,
              "tensor store to a negative coordinate")
        << x << " " << y;
  a.map.size[1] = 5000;
  EXPECT_EQ(p.fault("load2", {32}, encoded(p, a.map), out, 0, 0, u32{16}).first, "out-of-bounds read");
}

TEST(TensorMaps, RefuseWhatTheDriverRefuses) {
  Array good = array_of(TensorType::F16, 64, 8, 128, 64, 8);
  good.map.address = 4096;
  EXPECT_TRUE(good.map.encode());
  auto refused = [&](auto change) {
    TensorMap m = good.map;
    change(m);
    return !m.encode();
  };
  EXPECT_TRUE(refused([](TensorMap& m) { m.address = 4100; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.rank = 6; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.stride[1] = 100; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.box[0] = 257; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.box[0] = 4; })) << "a row of 8 bytes";
  EXPECT_TRUE(refused([](TensorMap& m) { m.step[1] = 9; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.size[0] = 0; }));
  EXPECT_TRUE(refused([](TensorMap& m) { m.swizzle = TensorSwizzle::Bytes64; })) << "a row of 128 bytes";
}

}  // namespace
