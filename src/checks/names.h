// Names as a person reads them.
#pragma once

#include <string>

namespace ww::checks {

/// "_ZZ6kernelPfE4tile" → "kernel(float*)::tile"; what is not mangled stays.
std::string readable(const std::string& name);

}  // namespace ww::checks
