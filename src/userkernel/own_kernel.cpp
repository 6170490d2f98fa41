#include "userkernel/own_kernel.h"

#include <filesystem>

namespace ww::userkernel {

std::optional<OwnKernel> own_kernel(const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {".cu", ".ptx"}) {
    const std::string text(ending);
    if (name.ends_with(text)) return OwnKernel{name, {}};
    // Kernels have colons in their names too (ns::k), so it is the first behind the ending that counts.
    const size_t at = name.find(text + ":");
    if (at != name.npos && !std::filesystem::exists(name, ignored))
      return OwnKernel{name.substr(0, at + text.size()), name.substr(at + text.size() + 1)};
  }
  return {};
}

}  // namespace ww::userkernel
