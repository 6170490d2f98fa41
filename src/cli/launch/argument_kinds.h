// The kinds of values that an argument may be, each parsed from what stands behind its prefix. For
// argument.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "cli/launch/argument.h"

namespace ww::cli {

/// All forms of an argument, as a hint.
inline constexpr const char* kForms =
    "f32:1.5, s32:-7, 7, null, hex:00ff, {s32:1,f32:2.5}, in:FILE.npy, inout:FILE.npy, "
    "out:f32[64,32]:FILE.npy, random:f32[1024], tex:f32[64,64] or surf:f32[64,64]; n=7 names the parameter";

/// "s32", "f16" …; `dtype`: its name in .npy files; of bf16, which those have not, that of its bits.
struct TypeName {
  std::string_view name;
  npy::Dtype dtype;
};

/// Of all types, in order.
std::vector<std::string> type_names();
/// Null where no type has this name.
const TypeName* type_named(std::string_view name);

/// The number of this type.
Result<LaunchArgument> typed_scalar(std::string_view type, std::string_view text);
/// Bytes as they lie in memory, two digits each.
Result<LaunchArgument> hexadecimal(std::string_view text);
/// A number without a type.
bool is_number(std::string_view text);
bool is_integer(std::string_view text);

/// An array: `form` is the kind's name, `text` what follows its colon.
Result<LaunchArgument> array_argument(ArrayArgument::Kind kind, std::string_view form, std::string_view text);
/// "4*random:f32[64]": a table of device pointers, where `text` is one.
bool is_pointer_table(std::string_view text);
Result<LaunchArgument> pointer_table(std::string_view text);
/// The kind that has this name: "in", "random" …; nothing where none has.
std::optional<ArrayArgument::Kind> array_kind(std::string_view name);
/// "tex,linear,wrap:random:f32[64,64]"; what follows the first colon may be an array's type and shape alone.
Result<LaunchArgument> texture_argument(std::string_view text);

}  // namespace ww::cli
