// The data files, put into the program at build time (CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace ww::gpus {

struct Embedded {
  std::string_view name;  ///< file name, "gtx1080.json"
  std::string_view text;
};

std::span<const Embedded> embedded_files();

}  // namespace ww::gpus
