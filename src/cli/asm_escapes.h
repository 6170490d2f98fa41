// Inline PTX as nvcc takes it, for clang: names of PTX's registers with one % become names with two.
#pragma once

#include <string>
#include <string_view>

namespace ww::cli {

/// CUDA C++ in which `asm("mov.u32 %0, %smid;" : "=r"(x))` has `%%smid`. nvcc takes both, clang the second
/// alone. Comments, other strings and asm statements without operands, where % is no escape, stay as they
/// are; so does the number of lines.
std::string with_escaped_asm(std::string_view source);

}  // namespace ww::cli
