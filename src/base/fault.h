// A fault of the kernel that ran (not of the user's input, not of ours): the process survives it.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace ww {

struct Fault {
  std::string kind;     ///< "out-of-bounds read", "barrier deadlock", "instruction limit", …
  std::string message;  ///< complete, several lines, for a person: who, where, which address, what is allocated there
  Location where;       ///< CUDA source line when known, else the PTX line
};

}  // namespace ww
