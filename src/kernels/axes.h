// The axes of the laboratory's kernels, beside those that any row has (base/axis.h).
#pragma once

#include "base/axis.h"

namespace ww::lab {

inline constexpr Axis N{"n"};    ///< size: rows and columns of a matrix, length of an array
inline constexpr Axis Rx{"rx"};  ///< results of a thread, across
inline constexpr Axis Ry{"ry"};  ///< and down
inline constexpr Axis R{"r"};    ///< radius of the box, or what the kernel's family makes of it
inline constexpr Axis K{"k"};    ///< pieces, streams, GPUs: Case::k_means says which

}  // namespace ww::lab
