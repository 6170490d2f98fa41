// Tensor maps: what cuTensorMapEncodeTiled makes of an array of one to five dimensions, for tensor copies.
#pragma once

#include <array>

#include "base/result.h"
#include "engine/machine.h"

namespace ww::engine {

inline constexpr size_t kTensorMapBytes = 128;
inline constexpr int kMostDimensions = 5;

/// Element types, numbered as CUtensorMapDataType.
enum class TensorType : u8 { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz };
/// How rows of a box are mixed in shared memory so that columns lie in different banks, as
/// CUtensorMapSwizzle.
enum class TensorSwizzle : u8 { None, Bytes32, Bytes64, Bytes128 };

struct TensorMap {
  TensorType type = TensorType::F32;
  TensorSwizzle swizzle = TensorSwizzle::None;
  bool nan_fill = false;             ///< outside of the array lie NaNs instead of zeros
  int rank = 1;                      ///< dimensions; 0 is the one that is contiguous in memory
  u64 address = 0;                   ///< device address, a multiple of 16
  u64 size[kMostDimensions] = {};    ///< elements
  u64 stride[kMostDimensions] = {};  ///< bytes from one to the next; of dimension 0: the element's
  u32 box[kMostDimensions] = {};     ///< elements that a copy moves at once, 1 to 256
  u32 step[kMostDimensions] = {};    ///< only every so manieth element is taken, 1 to 8

  u32 element_bytes() const;
  /// Elements of the box along a dimension, after leaving out those that steps skip.
  u32 taken(int dimension) const { return (box[dimension] + step[dimension] - 1) / step[dimension]; }
  u64 box_bytes() const;

  /// The 128 bytes that a kernel gets, in a layout of our own. Errors: what cuTensorMapEncodeTiled refuses
  /// (sizes, strides and boxes out of range or not aligned, a row of the box wider than its swizzle).
  Result<std::array<u8, kTensorMapBytes>> encode() const;
  /// False where no such bytes lie.
  static bool decode(const u8* bytes, TensorMap& map);
};

}  // namespace ww::engine
