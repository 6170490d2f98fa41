// The library's kernels as PTX texts.
#pragma once

#include <string_view>

namespace warpwright {

/// Of src/kernels_library/cuda/FILE.cu; empty where there is none. Ends with a null character behind its
/// size.
std::string_view embedded_ptx(std::string_view file);

}  // namespace warpwright
