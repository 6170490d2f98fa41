// What the compiler of a CUDA C++ file is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ww::userkernel {

struct CompileOptions {
  std::string arch;                   ///< compute capability as the user wants it, "90a"; "": `least`
  int64_t least = 75;                 ///< of the GPUs that it is for; clang takes 80 for later ones
  std::string compiler;               ///< "nvcc" or "clang"; "": nvcc if it is installed
  std::string standard;               ///< "c++17"; "": the compiler's own
  std::vector<std::string> includes;  ///< directories, -I
  std::vector<std::string> defines;   ///< NAME or NAME=VALUE, -D
  std::vector<std::string> flags;     ///< handed to the compiler as they are; -use_fast_math to clang, too
  std::string instance;               ///< of a kernel template that the file only defines: "scale<float, 4>"
  bool linked = false;                ///< other files define what this one declares
  bool debug = false;                 ///< not optimized, with debugging information (ptx/debug_types.h)
};

}  // namespace ww::userkernel
