#include "report/report.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/markdown.h"

namespace ww::report {

Result<Format> format_named(std::string_view name) {
  if (name == "table") return Format::Table;
  if (name == "csv") return Format::Csv;
  if (name == "json") return Format::Json;
  if (name == "markdown") return Format::Markdown;
  return error(fmt::format("unknown format '{}'", printable(name)), "one of table, csv, json, markdown");
}

std::string render(const Table& table, Format format, const TerminalOptions& options) {
  switch (format) {
    case Format::Table:
      return render_terminal(table, options);
    case Format::Csv:
      return write_csv(table);
    case Format::Json:
      return write_json(table);
    case Format::Markdown:
      return write_markdown(table);
  }
  return {};
}

}  // namespace ww::report
