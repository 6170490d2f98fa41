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
  bool guessed = false;          ///< a number alone in a struct: its type was guessed
  bool raw = false;              ///< raw: stands in front, whatever the parameter's type
  bool operator==(const ScalarArgument&) const = default;
};

/// An array in device memory; the kernel gets its address, or that of a later element.
struct ArrayArgument {
  enum class Kind {
    In,      ///< in:PATH.npy, read before the launch
    InOut,   ///< inout:PATH.npy, read before and written after it
    Out,     ///< out:TYPE[SHAPE]:PATH.npy, zeros before and written after it; without a path it is not kept
    Random,  ///< random:TYPE[SHAPE], and :PATH.npy as above
    Range,   ///< range:TYPE[SHAPE]: 0, 1, 2, …; and :PATH.npy as above
    Numpy,   ///< numpy:EXPRESSION, worked out before the launch
    Shared,  ///< @NAME, the array of a kernel that ran before
  };
  Kind kind = Kind::In;
  npy::Dtype dtype = npy::Dtype::F4;  ///< where the argument says it
  std::vector<uint64_t> shape;        ///< where the argument says it
  std::string path;                   ///< or the expression, or the name of a shared one
  bool bfloat = false;                ///< its 16-bit elements are bf16, which files do not know
  uint64_t skipped = 0;               ///< elements in front of that which the kernel gets the address of: +3
  std::string wanted;                 ///< Numpy: the elements that the parameter points to, "f32"; "": any
  bool raw = false;                   ///< raw: stands in front, whatever the parameter's type

  bool has_file() const { return kind == Kind::In || kind == Kind::InOut; }  ///< it is read from one
  bool has_shape() const { return kind == Kind::Out || kind == Kind::Random || kind == Kind::Range; }
  bool writes() const { return kind == Kind::InOut || (has_shape() && !path.empty()); }
  bool operator==(const ArrayArgument&) const = default;
};

/// tex:f32[64,64], tex,linear,wrap,normalized:in:FILE.npy, surf:out:f32[64,64]:FILE.npy: an array that the
/// kernel gets as a texture or surface object.
struct TextureArgument {
  ArrayArgument texels;
  bool surface = false;
  /// "": 1, 2 or 3 dimensions, as many as the array has; "buffer": linear memory (tex1Dfetch), "layered": the
  /// first dimension are layers, "cube": faces, or 6 for each cube.
  std::string shape;
  std::string address = "clamp";  ///< or wrap, mirror, border (zeros)
  bool linear = false;            ///< weighs neighbours; else the nearest texel
  bool normalized = false;        ///< coordinates between 0 and 1
  bool as_float = false;          ///< 8- and 16-bit integers are read as floats between 0 (-1) and 1
  int channels = 1;               ///< of a texel, 2 and 4 are the array's last dimension
  std::string read_as;            ///< the elements that the kernel takes from it: "u8"; "" where not known
  bool operator==(const TextureArgument&) const = default;
};

/// {1,f32:2.5,in:FILE.npy} or {n=1,x=2.5}: a struct by value, its members laid out as C++ does. Or
/// 4*random:f32[64]: a table of pointers. {random:f32[64],in:FILE.npy} becomes one where the parameter is
/// one.
struct StructArgument;
using LaunchArgument = std::variant<ScalarArgument, ArrayArgument, StructArgument, TextureArgument>;
struct StructArgument {
  std::vector<LaunchArgument> members;  ///< scalars have types: s32 and f32 where none was given
  std::vector<std::string> names;       ///< of the members, or none of any
  std::vector<uint64_t> offsets;        ///< where members lie, once that is known; then also:
  uint64_t bytes = 0;                   ///< of the whole
  bool pointers = false;  ///< a table in device memory of the addresses of `members`, all arrays: float**
  bool operator==(const StructArgument&) const = default;
};

/// An argument with what it is for: "n=5", "p.x=1", "2+8=f32:1". Without a name it stands in the kernel's
/// order.
struct NamedArgument {
  std::string name;  ///< "n"; "2" for the second; ""
  std::string path;  ///< of a struct's member: "x", "in.v[2]"; "+8" for a place in bytes; ""
  std::string text;  ///< as it was given
  LaunchArgument value;
  bool operator==(const NamedArgument&) const = default;
};

/// "f32" of arrays with such elements.
std::string element_of(npy::Dtype dtype);

/// A number alone as a number of this type ("s32"). Errors as of parse_argument.
Result<ScalarArgument> with_type(const ScalarArgument& number, std::string_view type);

/// Scalars: s8 … s64, u8 … u64, b8 … b64 (signed or unsigned), f16, bf16, f32, f64. Integers are decimal or
/// 0x…; what does not fit its type is refused. Floating-point numbers are decimal, 0x1.8p3, inf or nan,
/// rounded to nearest even. Arrays have the same types, and bool; .npy files know no bf16. Errors say
/// what is wrong and what would be right; `option` is what they call the text.
Result<LaunchArgument> parse_argument(std::string_view text, std::string_view option = "--arg");
/// The same with or without NAME=, NAME.MEMBER=, NAME+BYTES= in front.
Result<NamedArgument> parse_named_argument(std::string_view text);

}  // namespace ww::cli
