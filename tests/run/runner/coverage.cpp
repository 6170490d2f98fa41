#include "coverage.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "base/file.h"
#include "ptx/parser.h"
#include "test_file.h"

namespace ww::runtest {

Result<int> report_uncovered(const std::vector<std::string>& paths, const std::string& excuses) {
  std::set<std::string_view> used;
  for (const auto& path : test_files(paths)) {
    auto text = read_file(path.string());
    if (!text) return text.error();
    auto module = ptx::parse(path.string(), *text);
    if (!module) return module.error();
    for (const auto& f : module->functions)
      for (const auto& block : f.blocks)
        for (const auto& in : block.instructions) used.insert(in.form().id);
  }
  std::set<std::string, std::less<>> excused;
  if (auto text = read_file(excuses)) {
    std::istringstream in(*text);
    for (std::string line, row; std::getline(in, line);)
      if (!line.empty() && line[0] != '#' && std::istringstream(line) >> row) excused.insert(row);
  } else {
    return text.error();
  }
  int missing = 0;
  for (const isa::Form& f : isa::forms()) {
    if (f.kind == isa::RowKind::Missing) continue;
    bool tested = used.contains(f.id), excuse = excused.contains(f.id);
    if (tested == !excuse) continue;
    ++missing;
    fmt::print("{}: {} ({})\n", tested ? "excused but tested" : "not tested", f.id, f.notation);
  }
  return missing;
}

}  // namespace ww::runtest
