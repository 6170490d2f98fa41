// Shortens PTX for a question about one kernel.
#pragma once

#include <string>
#include <string_view>

namespace ww::ptxas {

/// The text without the definitions of all kernels but `entry`. Everything else stays: variables, functions,
/// debugging information. Not valid PTX if something that stays names a kernel that is gone.
std::string with_one_entry(std::string_view ptx, std::string_view entry);

}  // namespace ww::ptxas
