#include "base/symbol_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ww {

std::string demangled(std::string_view symbol) {
  std::string name(symbol);
  if (!name.starts_with("_Z")) return name;  // "f" alone would be taken for a type: float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace ww
