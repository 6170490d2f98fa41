// PTX text to the intermediate form.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace ww::ptx {

/// Reads a PTX module (ISA 6.0 to 9.0). `name` is the file name for places. What is wrong with the text comes
/// back as diagnostics, up to kMaxErrors of them. Instructions that are not known or not implemented are no
/// such errors: their function is marked as refused (ir::Function::refused), the others stay good. Types of
/// operands are not checked here: see ir/verify.h.
Result<ir::Module> parse(std::string name, std::string_view text);

// Limits on what a text may ask for, so that a wrong or hostile one is refused instead of exhausting memory.
inline constexpr int kMaxErrors = 50;
inline constexpr uint64_t kMaxRegisters = 4'000'000;  ///< of all functions of a module together
inline constexpr uint64_t kMaxMadeNames = 1'000'000;  ///< v.x of vectors, P0 of variables P<2>, likewise
inline constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 40;
inline constexpr uint64_t kMaxInitialBytes = uint64_t{1} << 28;  ///< of all initialised variables together
inline constexpr uint64_t kMaxAlignment = 1 << 16;
inline constexpr uint64_t kMaxBranchTargets = 1'000'000;  ///< of all brx.idx of a module together
inline constexpr int kMaxNesting = 200;                   ///< of braces, and of parentheses in constants

}  // namespace ww::ptx
