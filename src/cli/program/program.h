// The program that `run`, `profile` and `check` start: where it is, what kind of file, what CUDA code is in
// it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

enum class ProgramKind {
  Executable,  ///< that the dynamic loader starts
  Script,      ///< or any other text: the system, or /bin/sh, knows what to do with it
  CudaSource,  ///< a .cu file
};

struct Program {
  ProgramKind kind = ProgramKind::Script;
  std::string path;
  bool cuda_inside = false;       ///< kernels, or a CUDA runtime, in the file itself
  bool cuda_possible = true;      ///< false: nothing in it can call CUDA, nor start what does
  std::vector<int> capabilities;  ///< that a GPU needs at least for its PTX, one for each fatbin
};

/// Finds a program as the shell does (in PATH, unless its name holds a '/') and looks into it. Errors: not
/// found, a folder, not executable, for another machine, or one that nothing can be loaded into.
Result<Program> find_cuda_program(const std::string& name);

}  // namespace ww::cli
