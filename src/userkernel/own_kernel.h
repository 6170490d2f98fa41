// A kernel of the user's own where a name of the laboratory could stand: FILE.cu or FILE.ptx, with :KERNEL.
#pragma once

#include <optional>
#include <string>

namespace ww::userkernel {

struct OwnKernel {
  std::string file;
  std::string kernel;  ///< "": the only one there is
};

/// Nothing for names that are no files' (see above).
std::optional<OwnKernel> own_kernel(const std::string& name);

}  // namespace ww::userkernel
