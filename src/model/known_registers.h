// What is known beforehand of a kernel's registers.
#pragma once

#include <cstdint>
#include <string>

#include "base/table.h"

namespace ww::model {

/// What is known beforehand of a kernel's registers per thread.
struct KnownRegisters {
  std::string gpu;  ///< id of the GPU; "": on every one
  int64_t per_thread = 0;
  Provenance from = Provenance::Input;  ///< or Published
  std::string source;
};

}  // namespace ww::model
