#include "cli/shared/result_file.h"

#include <filesystem>

#include "base/file.h"
#include "report/csv.h"
#include "report/json.h"

namespace ww::cli {

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
  return json ? report::read_json(*text, file) : report::read_csv(*text, file);
}

}  // namespace ww::cli
