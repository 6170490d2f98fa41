// Which kernel of a module a user means.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

/// A fault's message with the kernel's name for people in place of the mangled one.
std::string readable_message(std::string message, const std::string& kernel);

/// A kernel's demangled name to print: on one line, and names of any length cut.
std::string name_for_people(const std::string& name);

/// "ns::scale<float>": without parameters, to print.
std::string short_name_for_people(const std::string& name);

/// "_ZN2ns5scaleIfEEvPT_i" → "scale": without namespaces, template arguments and parameters.
std::string plain_name(const std::string& name);

/// The entry that `wanted` names: as the PTX has it, or by its C++ name (with or without parameters) if only
/// one has it. "" means the only kernel there is. Errors list what there is, or offer the nearest.
Result<std::string> choose_kernel(const std::vector<std::string>& kernels, const std::string& wanted);

}  // namespace ww::cli
