// The built-in studies' files, put into the program at build time (CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace ww::study {

struct Embedded {
  std::string_view name;  ///< "matmul-ladder.json"
  std::string_view text;
};

/// In the order in which studies are listed.
std::span<const Embedded> embedded_files();

}  // namespace ww::study
