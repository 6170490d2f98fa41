#include "report/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/axes.h"
#include "report/number.h"
#include "report/provenance.h"

namespace ww::report {
namespace {

constexpr std::string_view kRefused = "refused";
constexpr std::string_view kValueColumns[] = {"metric", "value", "unit", "provenance"};
// Places of the value columns, behind the axes.
constexpr size_t kMetric = 0, kValue = 1, kUnit = 2, kProvenance = 3, kValueCount = std::size(kValueColumns);

// --- writing

void append_field(std::string& out, std::string_view text, bool quoted = false) {
  bool blank_edge = !text.empty() && (text.front() == ' ' || text.back() == ' ');  // some readers trim
  if (!quoted && !blank_edge && text.find_first_of("\",\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

void append_value(std::string& out, const Value& value) {
  const std::string text = value.text();
  bool is_word = std::holds_alternative<std::string>(value.value);
  append_field(out, text, is_word && looks_like_number(text));
}

// --- reading

struct Field {
  std::string text;
  bool quoted = false;
  int line = 0, column = 0, length = 1;
};

/// Cuts CSV text into records. Lines and columns (bytes) count as an editor does, also within quotes.
class CsvTableReader {
 public:
  CsvTableReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_start_ = 3;
  }

  bool done() const { return at_ >= text_.size(); }

  /// The fields of the next record; nothing, with a diagnostic, when its quotes are wrong.
  Result<std::vector<Field>> record() {
    std::vector<Field> fields;
    while (true) {
      auto next = field();
      if (!next) return next.error();
      fields.push_back(std::move(next).value());
      if (at_ >= text_.size()) break;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (text_[at_] == '\r') ++at_;
      new_line();
      break;
    }
    return fields;
  }

 private:
  Result<Field> field() {
    Field field{.line = line_, .column = column()};
    size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      field.quoted = true;
      ++at_;
      while (true) {
        if (at_ >= text_.size())
          return error_at({file_, field.line, field.column, 1}, "quote without an end");
        if (text_[at_] == '"') {
          ++at_;
          if (at_ >= text_.size() || text_[at_] != '"') break;
        }
        field.text += text_[at_];
        if (text_[at_] == '\n')
          new_line();
        else
          ++at_;
      }
      if (at_ < text_.size() && !at_end())
        return error_at(here(), "text after the closing quote", "a quote within quotes is written twice");
    } else {
      while (at_ < text_.size() && !at_end() && text_[at_] != '"') field.text += text_[at_++];
      if (at_ < text_.size() && text_[at_] == '"')
        return error_at(here(), "quote within a field without quotes",
                        "put the field in quotes, the quote twice");
    }
    field.length = static_cast<int>(at_ - begin);
    return field;
  }

  bool at_end() const {
    char c = text_[at_];
    return c == ',' || c == '\n' || (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }
  void new_line() {
    if (at_ < text_.size()) ++at_, ++line_, line_start_ = at_;
  }
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }
  Location here() const { return {file_, line_, column(), 1}; }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

/// Puts records together to rows.
class Builder {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  Table table;
  Diagnostics errors;

  /// The common axes, the study's own, and the value columns.
  void header(const std::vector<Field>& fields) {
    axes_ = common_axes();
    const size_t common = axes_.size();
    for (size_t i = common; i < fields.size() && fields[i].text != kValueColumns[kMetric] &&
                            fields.size() > common + kValueCount && i + kValueCount < fields.size();
         ++i) {
      if (auto name = check_axis_name(fields[i].text); !name)
        return complain(fields[i], name.error()[0].message, name.error()[0].hint);
      table.axes.push_back({fields[i].text, "", "", false});
      axes_.push_back(axis_named(fields[i].text));
    }
    const auto wanted = [&](size_t i) {
      return i < axes_.size() ? axes_[i].name() : kValueColumns[i - axes_.size()];
    };
    for (size_t i = 0; i < columns() && i < fields.size(); ++i)
      if (fields[i].text != wanted(i))
        return complain(fields[i], fmt::format("column {} is '{}', must be '{}'", i + 1,
                                               printable(fields[i].text), wanted(i)));
    check_count(fields);
  }

  void record(std::vector<Field>& fields) {
    if (!check_count(fields)) return;
    const std::span<Field> values = std::span(fields).subspan(axes_.size());
    auto provenance = provenance_named(values[kProvenance].text);
    if (!provenance)
      return complain(values[kProvenance],
                      fmt::format("unknown provenance '{}'", printable(values[kProvenance].text)),
                      provenance_hint());
    std::string& tag = values[kMetric].text;
    if (tag.empty()) return complain(values[kMetric], "a metric must have a name");
    bool refused = tag == kRefused;
    if (refused && values[kValue].text.empty())
      return complain(values[kValue], "a refusal must have a reason");

    bool same = !table.rows.empty() && !refused;
    for (size_t i = 0; same && i < axes_.size(); ++i)
      same = fields[i].text == std::as_const(table.rows.back())[axes_[i]];
    auto key = std::tuple(tag, values[kUnit].text, *provenance);
    if (!same || known_.contains(key)) {
      known_.clear();
      Row& row = table.rows.emplace_back();
      for (size_t i = 0; i < axes_.size(); ++i)
        if (!fields[i].text.empty()) row[axes_[i]] = std::move(fields[i].text);
    }
    Row& row = table.rows.back();
    if (refused) {
      row.refused = std::move(values[kValue].text);
      return;
    }
    auto value = number_or_word(values[kValue]);
    if (!value) return;
    known_.insert(std::move(key));
    row.values.push_back({std::move(tag), std::move(*value), std::move(values[kUnit].text), *provenance, {}});
  }

 private:
  void complain(const Field& field, std::string message, std::string hint = {}) {
    errors.push_back(
        error_at({file_, field.line, field.column, field.length}, std::move(message), std::move(hint)));
  }

  bool check_count(const std::vector<Field>& fields) {
    if (fields.size() == columns()) return true;
    complain(fields.back(), fmt::format("{} fields, must be {}", fields.size(), columns()));
    return false;
  }

  std::optional<Number> number_or_word(Field& field) {
    if (field.quoted || !looks_like_number(field.text)) return Number(std::move(field.text));
    auto number = parse_number(field.text);
    if (!number)
      complain(field, "not a number that a double can hold", "a word that looks so must be in quotes");
    return number;
  }

  size_t columns() const { return axes_.size() + kValueCount; }

  const std::string& file_;
  std::vector<Axis> axes_;
  std::set<std::tuple<std::string, std::string, Provenance>> known_;  // tag, unit, origin: of the last row
};

}  // namespace

std::string write_csv(const Table& table) {
  std::string out;
  const std::vector<Axis> all = axes_of(table);
  for (const Axis axis : all) out.append(axis.name()) += ',';
  out += fmt::format("{}\n", fmt::join(kValueColumns, ","));
  for (const auto& row : table.rows) {
    std::string axes;
    for (const Axis axis : all) append_field(axes, row[axis]), axes += ',';
    if (!row.refused.empty()) {
      out.append(axes).append(kRefused) += ',';
      append_field(out, row.refused);
      out.append(",,").append(name(Provenance::Input)) += '\n';
    }
    for (const auto& value : row.values) {
      out += axes;
      append_field(out, value.tag);
      out += ',';
      append_value(out, value);
      out += ',';
      append_field(out, value.unit);
      out.append(",").append(name(value.provenance)) += '\n';
    }
  }
  return out;
}

Result<Table> read_csv(std::string_view text, const std::string& file) {
  CsvTableReader reader(text, file);
  Builder builder(file);
  if (reader.done()) return error_at({file, 1, 1, 1}, "empty file, the header line is missing");
  for (bool first = true; !reader.done() && builder.errors.size() < kMostErrors; first = false) {
    auto fields = reader.record();
    if (!fields) {  // nothing after a wrong quote can be trusted
      builder.errors.insert(builder.errors.end(), fields.error().begin(), fields.error().end());
      break;
    }
    if (!first) {
      builder.record(*fields);
      continue;
    }
    builder.header(*fields);
    if (!builder.errors.empty()) break;
  }
  if (!builder.errors.empty()) return std::move(builder.errors);
  return std::move(builder.table);
}

}  // namespace ww::report
