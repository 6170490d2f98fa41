#include "cli/shared/result_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/json.h"

namespace ww::cli {

Status no_other_file(std::string_view text, const std::string& file) {
  const auto root = parse_json(text, file);
  if (!root || root->find("rows")) return {};
  const bool exercise = root->find("goals") != nullptr;
  if (!exercise && !root->find("kernels") && !root->find("full")) return {};
  const std::string shown = printable(file);
  return error_at(
      root->where(file),
      exercise ? "this is an exercise, not the results of a study"
               : "this is a study, not the results of one",
      exercise ? fmt::format("warpwright exercise check {}",
                             file.find('/') == file.npos ? "." : printable(file.substr(0, file.rfind('/'))))
               : fmt::format("warpwright study {} --format json --out results.json makes them", shown));
}

Result<Table> read_results(const std::string& name) {
  std::error_code ignored;
  const std::string file = std::filesystem::is_directory(name, ignored)
                               ? (std::filesystem::path(name) / "results.json").string()
                               : name;
  constexpr uint64_t kMost = uint64_t{1} << 30;  // bytes
  auto text = read_file(file, kMost);
  if (!text) return text.error();
  const size_t first = text->find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool json = first != text->npos && ((*text)[first] == '{' || (*text)[first] == '[');
  if (!json) return report::read_csv(*text, file);
  auto table = report::read_json(*text, file);
  if (!table)
    if (auto ok = no_other_file(*text, file); !ok) return ok.error();
  return table;
}

}  // namespace ww::cli
