// A first study of the kernels of a file, guessed from their PTX and their names.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ww::cli {

/// The text of a study file beside `file` ("mine.cu"). Arguments are guessed by their C++ types, grids by
/// whether a kernel asks for y; macros that the source lets be overridden (#ifndef NAME, #define NAME 16)
/// become axes. Errors: of the PTX; no kernels.
Result<std::string> first_study(const std::string& file, const std::string& ptx, std::string_view source);

}  // namespace ww::cli
