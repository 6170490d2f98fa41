#include "cli/program/fidelity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/words.h"

namespace ww::cli {

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  return fields;
}

using Names = std::set<std::string>;

/// Names in lines of a width that terminals have.
std::string lines_of(const Names& names) {
  constexpr size_t kWidth = 96;
  std::string text, line;
  for (const std::string& name : names) {
    if (!line.empty() && line.size() + name.size() > kWidth) text += "    " + line + "\n", line.clear();
    line += (line.empty() ? "" : ", ") + name;
  }
  return line.empty() ? text : text + "    " + line + "\n";
}

}  // namespace

std::string fidelity_report(const std::string& rows) {
  Names exact, library, kernels, refused, interpreted, compiled;
  std::map<std::string, Names> different, approximated;  // by what, or how
  std::map<std::string, Names> in_kernels;               // by instruction
  std::istringstream in(rows);
  for (std::string line; std::getline(in, line);) {
    auto f = fields_of(line);
    f.resize(4);
    if (f[0] == "entry") (f[2].empty() ? exact : different[f[2]]).insert(f[1]);
    if (f[0] == "library") library.insert(f[1]);
    if (f[0] == "kernel") kernels.insert(f[1]);
    if (f[0] == "engine") (f[2] == "interpreter" ? interpreted : compiled).insert(f[1]);
    if (f[0] == "approximated") approximated[f[2]].insert(f[1]), in_kernels[f[1]].insert(f[3]);
    if (f[0] == "refused") refused.insert(f[2].empty() ? f[1] : f[1] + ": " + f[2]);
  }
  for (const std::string& name : refused) exact.erase(name);
  std::string text = "warpwright: fidelity of this run\n";
  text += fmt::format("  exact: {} of the runtime and driver\n",
                      counted(static_cast<int64_t>(exact.size()), "function")) +
          lines_of(exact);
  Names exact_kernels = kernels;
  for (const auto& [instruction, where] : in_kernels)
    for (const std::string& kernel : where) exact_kernels.erase(kernel);
  text += fmt::format("  exact: {} of {}\n", exact_kernels.size(),
                      counted(static_cast<int64_t>(kernels.size()), "kernel")) +
          lines_of(exact_kernels);
  for (const auto& [how, names] : approximated) {
    text += "  approximated: " + how + "\n";
    for (const std::string& name : names)
      text += fmt::format("    {} in {}\n", name, fmt::join(in_kernels[name], ", "));
  }
  if (!library.empty()) text += "  computed by the CPU instead: functions of libraries\n" + lines_of(library);
  for (const auto& [what, names] : different) text += "  " + what + "\n" + lines_of(names);
  // In "auto", a kernel is interpreted first and compiled if that pays.
  if (!compiled.empty())
    text += "  ran as compiled code, at least at times (same results)\n" + lines_of(compiled);
  for (const std::string& name : compiled) interpreted.erase(name);
  if (!interpreted.empty()) text += "  ran in the interpreter\n" + lines_of(interpreted);
  text += refused.empty() ? "  refused: nothing\n" : "  refused\n" + lines_of(refused);
  return text;
}

}  // namespace ww::cli
