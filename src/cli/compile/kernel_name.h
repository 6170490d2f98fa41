// Which kernel of a module a user means.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/symbol_name.h"

namespace ww::cli {

/// "_ZN2ns5scaleIfEEvPT_i" → "scale": without namespaces, template arguments and parameters.
std::string plain_name(const std::string& name);

/// The entry that `wanted` names: as the PTX has it, or by its C++ name (with or without parameters) if only
/// one has it. "" means the only kernel there is. Errors list what there is, or offer the nearest.
Result<std::string> choose_kernel(const std::vector<std::string>& kernels, const std::string& wanted);

}  // namespace ww::cli
