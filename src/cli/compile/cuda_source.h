// CUDA C++ files compiled when a user launches or runs one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "userkernel/compile_options.h"

namespace ww::cli {

struct CompiledCuda {
  bool ok = false;
  std::string ptx;       ///< when ok
  std::string messages;  ///< of the compiler, as it wrote them
};

using userkernel::CompileOptions;

/// The least compute capability of these GPUs, so that the code runs on all of them; 75, the least that
/// today's nvcc knows, for older ones.
int64_t least_capability(std::span<const gpus::Gpu> gpus);

/// Compiles with nvcc (in PATH or /usr/local/cuda/bin), else with clang and our headers (cuda_compiler.h), in
/// a private temporary directory. Errors: no file, no compiler.
Result<CompiledCuda> compile_cuda(const std::string& file, const CompileOptions& options);
/// The same for a kernel that may be named as an instance of a template, which nothing in the file asks for.
Result<CompiledCuda> compile_cuda_for(const std::string& file, const CompileOptions& options,
                                      const std::string& kernel);

}  // namespace ww::cli
