// Tables as JSON: everything a table holds, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/table.h"
#include "report/presentation.h"

namespace ww::report {

/// {"title": …, "rows": [{"axes": {…}, "values": [{"tag", "value", "unit", "provenance", "description"}],
/// "refused": …}], "notes": […]}, a line per row, with "page": presentation_json() if there is one. Axes are
/// strings, those without text are left out, as is an empty "refused". Numbers are numbers, but "nan", "inf"
/// and
/// "-inf" strings. Bytes that are not UTF-8 become U+FFFD.
std::string write_json(const Table& table, const Presentation* page = nullptr);

struct Results {
  Table table;
  std::optional<Presentation> page;
};

/// Reads what write_json wrote, passing over the keys "part" (study/shard.h) and "format" and "findings" (of
/// `launch --check`, docs/check.md); the words nan, inf and -inf come back as numbers. Errors are located in
/// `file`, several at once: bad syntax, missing, misspelt or doubled keys, wrong kinds, unknown provenances.
Result<Results> read_results(std::string_view text, const std::string& file);
/// A table inside of a file that `reader` reads; complaints go to it.
Table read_table(const Json& json, JsonReader& reader);
/// The table alone.
Result<Table> read_json(std::string_view text, const std::string& file);

}  // namespace ww::report
