#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace ww {

int Csv::column(std::string_view name) const {
  auto it = std::find(header.begin(), header.end(), name);
  return it == header.end() ? -1 : static_cast<int>(it - header.begin());
}

const std::string& Csv::at(size_t row, std::string_view name) const {
  static const std::string kNone;
  int i = column(name);
  return i < 0 ? kNone : rows[row][i];
}

namespace {

struct Reader {
  std::string_view text;
  size_t at = 0;
  int line = 1;
  bool open_quote = false;  // the text ended inside a quoted field

  bool done() const { return at >= text.size(); }

  std::string field() {
    std::string out;
    if (!done() && text[at] == '"') {
      open_quote = true;
      for (++at; !done(); ++at) {
        if (text[at] == '\n') ++line;
        if (text[at] != '"') {
          out += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          out += text[++at];
        } else {
          ++at, open_quote = false;
          break;
        }
      }
    }
    while (!done() && text[at] != ',' && text[at] != '\n' && text[at] != '\r') out += text[at++];
    return out;
  }

  std::vector<std::string> row() {
    std::vector<std::string> fields{field()};
    while (!done() && text[at] == ',') ++at, fields.push_back(field());
    if (!done() && text[at] == '\r') ++at;
    if (!done() && text[at] == '\n') ++at, ++line;
    return fields;
  }
};

}  // namespace

Result<Csv> parse_csv(std::string_view file, std::string_view text) {
  Reader reader{text};
  Csv csv;
  Diagnostics why;
  auto at = [&](int line) { return Location{std::string(file), line, 1}; };
  while (!reader.done()) {
    int line = reader.line;
    auto row = reader.row();
    if (reader.open_quote) return error_at(at(line), "a quoted field is not closed");
    if (row.size() == 1 && row[0].empty()) continue;  // blank line
    if (csv.header.empty()) {
      csv.header = std::move(row);
    } else if (row.size() != csv.header.size()) {
      why.push_back(
          error_at(at(line), fmt::format("{} fields, but the header has {}", row.size(), csv.header.size())));
    } else {
      csv.rows.push_back(std::move(row));
    }
  }
  if (csv.header.empty()) return error_at(at(0), "the table is empty");
  if (!why.empty()) return why;
  return csv;
}

}  // namespace ww
