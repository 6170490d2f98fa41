#include "engine/async/tensor_map.h"

#include <fmt/format.h>

#include <cstring>

namespace ww::engine {

namespace {

constexpr u32 kMagic = 0x504d5457;  // "WTMP"

/// What lies in memory; plain, so that it can be copied as bytes.
struct Stored {
  u32 magic = kMagic;
  u8 type = 0, swizzle = 0, nan_fill = 0, rank = 0;
  u64 address = 0;
  u64 stride[kMostDimensions - 1] = {};  // from dimension 1 on
  u32 last[kMostDimensions] = {};        // size - 1: sizes reach 2^32
  u8 box[kMostDimensions] = {};          // box - 1
  u8 step[kMostDimensions] = {};
};
static_assert(sizeof(Stored) <= kTensorMapBytes);

}  // namespace

u32 TensorMap::element_bytes() const {
  switch (type) {
    case TensorType::U8:
      return 1;
    case TensorType::U16:
    case TensorType::F16:
    case TensorType::BF16:
      return 2;
    case TensorType::U64:
    case TensorType::S64:
    case TensorType::F64:
      return 8;
    default:
      return 4;
  }
}

u64 TensorMap::box_bytes() const {
  u64 bytes = element_bytes();
  for (int d = 0; d < rank; ++d) bytes *= taken(d);
  return bytes;
}

Result<std::array<u8, kTensorMapBytes>> TensorMap::encode() const {
  if (rank < 1 || rank > kMostDimensions)
    return error(fmt::format("a tensor of {} dimensions, 1 to 5 are possible", rank));
  if (type > TensorType::TF32Ftz) return error("an unknown type of elements");
  if (address == 0 || address % 16 != 0) return error("the tensor's address must be a multiple of 16");
  Stored s;
  s.type = static_cast<u8>(type), s.swizzle = static_cast<u8>(swizzle), s.nan_fill = nan_fill;
  s.rank = static_cast<u8>(rank), s.address = address;
  for (int d = 0; d < rank; ++d) {
    if (size[d] == 0 || size[d] > u64{1} << 32)
      return error(fmt::format("dimension {}: {} elements, 1 to 2^32 are possible", d, size[d]));
    if (d > 0 && (stride[d] % 16 != 0 || stride[d] >= u64{1} << 40))
      return error(fmt::format("dimension {}: a stride of {} bytes, a multiple of 16 below 2^40 is wanted", d,
                               stride[d]));
    if (box[d] == 0 || box[d] > 256)
      return error(fmt::format("dimension {}: a box of {}, 1 to 256 are possible", d, box[d]));
    if (step[d] == 0 || step[d] > 8)
      return error(fmt::format("dimension {}: a step of {}, 1 to 8 are possible", d, step[d]));
    if (d > 0) s.stride[d - 1] = stride[d];
    s.last[d] = static_cast<u32>(size[d] - 1);
    s.box[d] = static_cast<u8>(box[d] - 1);
    s.step[d] = static_cast<u8>(step[d]);
  }
  u64 row = u64{taken(0)} * element_bytes();
  if (row % 16 != 0)
    return error(fmt::format("a row of the box has {} bytes, a multiple of 16 is wanted", row));
  const u64 widest = swizzle == TensorSwizzle::None ? ~u64{0} : u64{16} << static_cast<int>(swizzle);
  if (row > widest)
    return error(
        fmt::format("a row of the box has {} bytes, with this swizzle at most {} are possible", row, widest));
  std::array<u8, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &s, sizeof s);
  return bytes;
}

bool TensorMap::decode(const u8* bytes, TensorMap& map) {
  Stored s;
  std::memcpy(&s, bytes, sizeof s);
  if (s.magic != kMagic || s.rank < 1 || s.rank > kMostDimensions) return false;
  map.type = static_cast<TensorType>(s.type), map.swizzle = static_cast<TensorSwizzle>(s.swizzle);
  map.nan_fill = s.nan_fill, map.rank = s.rank, map.address = s.address;
  for (int d = 0; d < s.rank; ++d) {
    map.size[d] = u64{s.last[d]} + 1;
    map.stride[d] = d == 0 ? map.element_bytes() : s.stride[d - 1];
    map.box[d] = u32{s.box[d]} + 1;
    map.step[d] = s.step[d];
  }
  return true;
}

}  // namespace ww::engine
