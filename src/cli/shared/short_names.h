// Kernels' names that are short enough for a table.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ww::cli {

/// Abbreviated as of `most` bytes (base/symbol_name.h). Different kernels keep different names: those that
/// would look alike get numbers, and a legend says which is which.
class ShortNames {
 public:
  ShortNames(const std::vector<std::string>& names, size_t most);

  /// One of the names given, shortened: "ns::scale<…>(…) #2".
  const std::string& of(const std::string& name) const { return short_.at(name); }
  /// Lines "ns::scale<…>(…) #2 is …" of those with numbers, each with the whole name; "" where there are
  /// none.
  std::string legend() const;

 private:
  std::map<std::string, std::string> short_;
  std::vector<std::string> numbered_;  ///< whole names, in the order of their numbers
};

}  // namespace ww::cli
