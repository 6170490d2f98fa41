// The compilers of CUDA C++: nvcc, or clang with headers of ours where there is no CUDA toolkit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

struct Clang {
  std::string path;
  int latest = 90;  ///< compute capability that it compiles for
};
/// The first clang of those we know (kernels::clang_names) in PATH. Error: none.
Result<Clang> find_clang();

/// What makes clang find our headers for CUDA instead of a toolkit's; nothing where they are not installed.
std::optional<std::vector<std::string>> cuda_headers();

/// Runs a compiler on `file`; false when its messages (never empty then) say what is wrong.
Result<bool> run_compiler(const std::vector<std::string>& command, const std::string& file,
                          std::string& messages);

}  // namespace ww::cli
