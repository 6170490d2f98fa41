// The --arg values of `launch`: scalars and arrays as a user writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/npy.h"
#include "base/result.h"

namespace ww::cli {

/// f32:1.5, s32:-7, u64:0xff, f16:nan …
struct ScalarArgument {
  std::vector<std::byte> bytes;  ///< little endian, as large as its type
  bool operator==(const ScalarArgument&) const = default;
};

/// An array in device memory; the kernel gets its address.
struct ArrayArgument {
  enum class Kind {
    In,      ///< in:PATH.npy, read before the launch
    InOut,   ///< inout:PATH.npy, read before and written after it
    Out,     ///< out:TYPE[SHAPE]:PATH.npy, zeros before and written after it
    Random,  ///< random:TYPE[SHAPE]
  };
  Kind kind = Kind::In;
  npy::Dtype dtype = npy::Dtype::F4;  ///< Out and Random
  std::vector<uint64_t> shape;        ///< Out and Random
  std::string path;                   ///< all but Random

  bool writes() const { return kind == Kind::InOut || kind == Kind::Out; }
  bool operator==(const ArrayArgument&) const = default;
};

using LaunchArgument = std::variant<ScalarArgument, ArrayArgument>;

/// Scalars: s8 … s64, u8 … u64, b8 … b64 (signed or unsigned), f16, bf16, f32, f64. Integers are decimal or
/// 0x…; what does not fit its type is refused. Floating-point numbers are decimal, 0x1.8p3, inf or nan,
/// rounded to nearest even. Arrays have the same types but bf16, which .npy files do not know. Errors say
/// what is wrong and what would be right.
Result<LaunchArgument> parse_argument(std::string_view text);

}  // namespace ww::cli
