#include "checks/names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ww::checks {

std::string readable(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "b" alone would be the type bool
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                              std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace ww::checks
