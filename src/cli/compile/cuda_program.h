// A whole program from one .cu file, for `run`, `profile` and `check`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

struct BuildOptions {
  int capability = 90;             ///< of the GPU it is for
  std::string compiler;            ///< "nvcc", "clang"; "": nvcc where there is one
  std::vector<std::string> flags;  ///< as nvcc takes them; before the file
};

struct BuiltProgram {
  bool ok = false;
  std::string messages;  ///< of the compiler
  std::string path;      ///< when ok: a name of this process alone; the file is gone once nobody has it open
};

/// Builds it with PTX for that compute capability (an earlier one where clang does not know it) and the
/// runtime as a library. With clang, kernels and host code are compiled with our own headers: no CUDA toolkit
/// takes part. Errors: no file, no compiler, a flag of nvcc that has no counterpart.
Result<BuiltProgram> build_cuda_program(const std::string& file, const BuildOptions& options);

}  // namespace ww::cli
