// CUDA C++ files compiled to PTX when a user launches one.
#pragma once

#include <string>

#include "base/result.h"

namespace ww::cli {

struct CompiledCuda {
  bool ok = false;
  std::string ptx;       ///< when ok
  std::string messages;  ///< of the compiler, as it wrote them
};

/// Compiles with nvcc (in PATH or /usr/local/cuda/bin), else with clang and the built-in cuda_min.h, in a
/// private temporary directory. `arch` is the compute capability, like "75". Errors: no file, no compiler.
Result<CompiledCuda> compile_cuda(const std::string& file, const std::string& arch);

}  // namespace ww::cli
