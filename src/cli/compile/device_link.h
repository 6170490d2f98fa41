// Kernels of several files that call each other, compiled by clang: the code that registers them as one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

/// The C++ source of what nvcc's device linker would make: it waits until each of the objects (files that
/// clang compiled with -fgpu-rdc) has named its fatbin and its kernels, and registers all of them as one
/// program, which is linked when it is first used. Error: an object cannot be read.
Result<std::string> device_link_source(const std::vector<std::string>& objects);

}  // namespace ww::cli
