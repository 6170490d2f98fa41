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

/// f32:1.5, s32:-7, u64:0xff, f16:nan …; a number alone (7, 1.5), whose type the kernel tells; hex:00ff…
struct ScalarArgument {
  std::string type;              ///< "f32"; "hex"; "" for a number alone
  std::string text;              ///< the number as it was written
  std::vector<std::byte> bytes;  ///< little endian, as large as its type; none for a number alone
  bool operator==(const ScalarArgument&) const = default;
};

/// An array in device memory; the kernel gets its address.
struct ArrayArgument {
  enum class Kind {
    In,      ///< in:PATH.npy, read before the launch
    InOut,   ///< inout:PATH.npy, read before and written after it
    Out,     ///< out:TYPE[SHAPE]:PATH.npy, zeros before and written after it; without a path it is not kept
    Random,  ///< random:TYPE[SHAPE]
  };
  Kind kind = Kind::In;
  npy::Dtype dtype = npy::Dtype::F4;  ///< Out and Random
  std::vector<uint64_t> shape;        ///< Out and Random
  std::string path;                   ///< all but Random

  bool writes() const { return kind == Kind::InOut || (kind == Kind::Out && !path.empty()); }
  bool operator==(const ArrayArgument&) const = default;
};

/// {1,f32:2.5,in:FILE.npy}: a struct by value, its members laid out as C++ does.
struct StructArgument;
using LaunchArgument = std::variant<ScalarArgument, ArrayArgument, StructArgument>;
struct StructArgument {
  std::vector<LaunchArgument> members;  ///< scalars have types: s32 and f32 where none was given
  bool operator==(const StructArgument&) const = default;
};

/// A number alone as a number of this type ("s32"). Errors as of parse_argument.
Result<ScalarArgument> with_type(const ScalarArgument& number, std::string_view type);

/// Scalars: s8 … s64, u8 … u64, b8 … b64 (signed or unsigned), f16, bf16, f32, f64. Integers are decimal or
/// 0x…; what does not fit its type is refused. Floating-point numbers are decimal, 0x1.8p3, inf or nan,
/// rounded to nearest even. Arrays have the same types but bf16, which .npy files do not know. Errors say
/// what is wrong and what would be right; `option` is what they call the text.
Result<LaunchArgument> parse_argument(std::string_view text, std::string_view option = "--arg");

}  // namespace ww::cli
