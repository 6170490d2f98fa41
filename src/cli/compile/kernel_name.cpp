#include "cli/compile/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace ww::cli {

namespace {

/// Spaces mean nothing in a kernel's name: "reduce<float,128>" is "reduce<float, 128>".
std::string compact(std::string name) {
  std::erase(name, ' ');
  return name;
}

/// Names alone where they tell the kernels apart; of many, the first ones.
std::string list(const std::vector<std::string>& kernels) {
  constexpr size_t kMost = 20;
  std::vector<std::string> names;
  for (const auto& k : kernels) names.push_back(short_name_for_people(k));
  const bool apart = std::set<std::string>(names.begin(), names.end()).size() == names.size();
  std::string out;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    out += (out.empty() ? "" : "; ") + (apart ? names[i] : name_for_people(kernels[i]));
  if (names.size() > kMost) out += fmt::format("; and {} more", names.size() - kMost);
  return out;
}

}  // namespace

std::string plain_name(const std::string& name) {
  std::string out = without_parameters(demangled(name));
  int depth = 0;
  size_t begin = 0, end = out.size();
  for (size_t i = out.size(); i-- > 0;) {
    if (out[i] == '>') ++depth;
    if (out[i] == '<' && --depth == 0 && end == out.size()) end = i;
    if (out[i] == ':' && depth == 0) {
      begin = i + 1;
      break;
    }
  }
  return out.substr(begin, end - begin);
}

Result<std::string> choose_kernel(const std::vector<std::string>& kernels, const std::string& wanted) {
  if (kernels.empty())
    return error("there is no kernel in it", "a kernel is a function with __global__ before it");
  if (wanted.empty()) {
    if (kernels.size() == 1) return kernels[0];
    return error(fmt::format("there are {} kernels: choose one with FILE:KERNEL", kernels.size()),
                 list(kernels));
  }
  if (std::find(kernels.begin(), kernels.end(), wanted) != kernels.end()) return wanted;
  std::vector<std::string> found, names;
  for (const auto& k : kernels) {
    std::string readable = demangled(k), base = without_parameters(readable);
    names.push_back(base);
    if (compact(wanted) == compact(readable) || compact(wanted) == compact(base)) found.push_back(k);
  }
  if (found.empty())  // the only instance of a template, by the template's name
    for (const auto& k : kernels)
      if (plain_name(k) == wanted) found.push_back(k);
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    return error(fmt::format("several kernels are called '{}'", printable(wanted)), list(found));
  std::string near = nearest(wanted, names);
  return error(fmt::format("the module has no kernel '{}'", printable(wanted)),
               near.empty() ? "it has " + list(kernels) : fmt::format("did you mean '{}'?", near));
}

}  // namespace ww::cli
