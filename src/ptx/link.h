// Several PTX modules made one: what nvlink does with relocatable device code (nvcc -rdc=true).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::ptx {

struct LinkInput {
  std::string name;  ///< of the file, for messages
  std::string_view text;
};

/// One module with all their functions and variables: declarations (.extern) and definitions meet by name, of
/// several .weak or .common definitions one stays, and names that are local to a file are changed where they
/// meet. Debugging sections are left out; source lines (.file, .loc) stay. What is declared and nowhere
/// defined stays declared. Errors: a name defined twice, a text that ends within something. What else is
/// wrong with a text is left to parse().
Result<std::string> link(const std::vector<LinkInput>& inputs);

}  // namespace ww::ptx
