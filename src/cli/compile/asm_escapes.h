// Sources as nvcc takes them, for clang: registers of inline PTX with one %, launches with spaces in `<<<`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ww::cli {

/// CUDA C++ in which `asm("mov.u32 %0, %smid;" : "=r"(x))` has `%%smid`, and launches written `<< < 1, 2 >>
/// >`, as Visual Studio formats them, have `<<<` and `>>>`. nvcc takes both, clang the second alone.
/// Comments, other strings and asm statements without operands, where % is no escape, stay as they are; so do
/// lines and, in launches, columns.
std::string text_for_clang(std::string_view source);

/// `file` where clang takes it as it is; else `copy`, which is written and whose messages and line numbers
/// name `file`. What it includes by quotes then needs -iquote with the file's folder.
Result<std::string> file_for_clang(const std::string& file, const std::string& copy);

}  // namespace ww::cli
