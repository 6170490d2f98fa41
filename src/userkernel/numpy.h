// Expressions that the user's Python works out with NumPy.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/result.h"

namespace ww::userkernel {

/// The value of a Python expression, in which `np` is NumPy and these are known: numbers (and words) by their
/// texts, and arrays. `element`: what its elements are made to be, "s32"; "": they stay as NumPy has them.
/// The interpreter is python3 in PATH. Errors: none there, no NumPy, what Python says of the expression, an
/// element type that .npy files of ours do not have, whole numbers that `element` has not.
Result<npy::Array> numpy_value(const std::string& expression, const std::map<std::string, std::string>& words,
                               const std::map<std::string, npy::Array>& arrays,
                               const std::string& element = "");

}  // namespace ww::userkernel
