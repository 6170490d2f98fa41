#include "cli/shared/short_names.h"

#include <fmt/format.h>

#include "base/symbol_name.h"
#include "base/text.h"

namespace ww::cli {

ShortNames::ShortNames(const std::vector<std::string>& names, size_t most) {
  std::map<std::string, std::vector<std::string>> alike;  // in the order of the launches
  for (const std::string& name : names) {
    auto [it, fresh] = short_.emplace(name, abbreviated(name, most));
    if (fresh) alike[it->second].push_back(name);
  }
  for (const auto& [text, those] : alike) {
    if (those.size() == 1) continue;
    for (size_t k = 0; k < those.size(); ++k) {
      short_[those[k]] = fmt::format("{} #{}", text, k + 1);
      numbered_.push_back(those[k]);
    }
  }
}

std::string ShortNames::legend() const {
  std::string text;
  for (const std::string& name : numbered_) text += fmt::format("{} is {}\n", of(name), printable(name));
  return text.empty() ? text : "\n" + text;
}

}  // namespace ww::cli
