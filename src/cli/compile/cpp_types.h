// C++ types as texts: of mangled names, of source texts, of debugging information.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww::cli {

/// "f(float const*, int)" → "float const*", "int"; none for a name without parameters.
std::vector<std::string> types_in(const std::string& readable);

/// The name that arguments have for a type, what it points to, or the elements of a vector type (float4):
/// "f32", "s64", "bf16"; "" for others.
std::string element_name(std::string type);

/// Elements of a vector type, or of what points to one: 3 of "uchar3 const*", 2 of "__half2"; else 1.
uint64_t lanes_of(const std::string& type);

/// Whether it is a pointer or a reference.
bool is_pointer(std::string_view type);

/// "float const*" as "const float*", without __restrict__.
std::string usual_order(std::string type);

}  // namespace ww::cli
