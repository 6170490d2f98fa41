// The laboratory's kernels as the build left them in the binary: PTX and CUDA C++ text.
#pragma once

#include <string_view>
#include <vector>

namespace ww::kernels {

struct Embedded {
  std::string_view name;  ///< "matmul/tiled"
  std::string_view path;  ///< of its source (see Source)
  std::string_view ptx;
};

struct Source {
  std::string_view path;  ///< relative to the project's root, as .file lines of the PTX name it
  std::string_view text;
};

/// All compiled kernels, sorted by name.
const std::vector<Embedded>& embedded();
/// The .cu files and the headers that they include.
const std::vector<Source>& sources();
/// What compiled the PTX: "nvcc 13.0", "clang 19.1.7".
std::string_view cuda_compiler();
/// The flags of either compiler without the target, separated by blanks; and the names clang may have.
std::string_view nvcc_flags();
std::string_view clang_flags();
std::string_view clang_names();

/// The compiled kernel of this name, or nullptr.
const Embedded* find_embedded(std::string_view name);
/// Its PTX, or "".
std::string_view embedded_ptx(std::string_view name);
/// The text of the source file at `path`, or "".
std::string_view source_text(std::string_view path);
/// Line `line` (from 1) of it without its end, or "": for excerpts.
std::string_view source_line(std::string_view path, int line);
/// The text of cuda_min.h, which clang needs (`-include`) to compile CUDA C++ without a toolkit.
std::string_view cuda_min_header();

}  // namespace ww::kernels
