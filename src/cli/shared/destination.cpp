#include "cli/shared/destination.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/shared/gpu_option.h"

namespace ww::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNames[] = {"table", "csv", "json", "markdown"};

std::optional<report::Format> by_ending(const std::string& ending) {
  if (ending == ".json") return report::Format::Json;
  if (ending == ".csv") return report::Format::Csv;
  if (ending == ".md") return report::Format::Markdown;
  if (ending == ".txt" || ending == ".log") return report::Format::Table;
  return {};
}

}  // namespace

void add_output(CLI::App& command, OutputOptions& options, const std::string& what) {
  add_format(command, options.format);
  command.add_option("--out", options.out, what)->type_name("FILE");
}

Result<Destination> destination(const OutputOptions& options, bool folders) {
  const auto& [out, given] = options;
  const report::Format format = given.value_or(report::Format::Table);
  if (out.empty()) return Destination{false, format, out};
  std::error_code ignored;
  const fs::file_status there = fs::status(out, ignored);
  const std::string ending = fs::path(out).extension(), shown = printable(out);
  const bool slash = out.ends_with('/'), bare = ending.empty() && !fs::exists(there) && !given;
  if (slash || fs::is_directory(there) || bare) {
    if (!folders)
      return error(fmt::format("--out '{}' names a folder, but this command writes one file", shown),
                   fmt::format("for example --out {}.json, .csv or .txt", slash ? "results" : shown));
    if (given)
      return error(fmt::format("'{}' is a folder: it gets index.html, results.csv and results.json", shown),
                   "leave out --format, or name a file");
    return Destination{true, format, slash ? out : out + "/"};
  }
  if (fs::exists(there) && !fs::is_regular_file(there)) return Destination{false, format, out};
  const auto named = by_ending(ending);
  if (named && given && *named != format && (*named != report::Format::Table))
    return error(
        fmt::format("--format {} contradicts the name '{}'", kNames[static_cast<int>(format)], shown),
        "leave out --format, or choose another name");
  if (!named && !given)
    return error(fmt::format("the name '{}' does not tell the format", shown),
                 "end it in .json, .csv or .txt, in '/' for a report, or add --format");
  if (auto ok = check_can_write(out); !ok) return ok.error();
  return Destination{false, given.value_or(*named), out};
}

std::string partial_name(const std::string& out) {
  if (!out.ends_with('/')) return out + ".partial";
  return out.substr(0, out.find_last_not_of('/') + 1) + ".partial/";
}

}  // namespace ww::cli
