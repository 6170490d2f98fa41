#include "cli/compile/source_lines.h"

#include <map>
#include <memory>
#include <vector>

#include "base/file.h"

namespace ww::cli {

namespace {

constexpr uint64_t kMostBytes = 16 << 20;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    if (!out.back().empty() && out.back().back() == '\r') out.back().pop_back();
  }
  return out;
}

}  // namespace

model::SourceLine source_lines(const std::string& ptx_name, const std::string& ptx) {
  auto files = std::make_shared<std::map<std::string, std::vector<std::string>>>();
  if (!ptx_name.empty()) (*files)[ptx_name] = split(ptx);
  return [files](const std::string& file, int line) -> std::string {
    auto it = files->find(file);
    if (it == files->end()) {
      auto text = read_file(file, kMostBytes);
      it = files->emplace(file, text ? split(*text) : std::vector<std::string>()).first;
    }
    return line >= 1 && static_cast<size_t>(line) <= it->second.size()
               ? it->second[static_cast<size_t>(line) - 1]
               : std::string();
  };
}

}  // namespace ww::cli
