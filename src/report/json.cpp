#include "report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "report/axes.h"
#include "report/number.h"
#include "report/plot_json.h"
#include "report/provenance.h"

namespace ww::report {
namespace {

// --- writing

std::string value_text(const Value& value) {
  std::string text = value.text();
  if (auto* real = std::get_if<double>(&value.value)) {
    if (!std::isfinite(*real)) return json_quote(text);
    // A double that is whole keeps its point, so that it comes back as a double.
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
  }
  return std::holds_alternative<int64_t>(value.value) ? text : json_quote(text);
}

void append_row(std::string& out, const std::vector<Axis>& axes, const Row& row) {
  out += "{\"axes\":{";
  std::string_view comma;
  for (const Axis axis : axes) {
    const std::string& text = row[axis];
    if (text.empty()) continue;
    out.append(comma).append(json_quote(axis.name())) += ':';
    out += json_quote(text);
    comma = ",";
  }
  out += "},\"values\":[";
  comma = {};
  for (const auto& v : row.values) {
    fmt::format_to(std::back_inserter(out),
                   R"({}{{"tag":{},"value":{},"unit":{},"provenance":"{}","description":{}}})", comma,
                   json_quote(v.tag), value_text(v), json_quote(v.unit), name(v.provenance),
                   json_quote(v.description));
    comma = ",";
  }
  out += ']';
  if (!row.refused.empty()) out.append(",\"refused\":").append(json_quote(row.refused));
  out += '}';
}

std::string axis_json(const AxisInfo& axis) {
  return fmt::format(R"({{"name":{},"label":{},"unit":{}{}}})", json_quote(axis.name), json_quote(axis.label),
                     json_quote(axis.unit), axis.problem ? R"(,"problem":true)" : "");
}

// --- reading

class JsonTableReader {
 public:
  explicit JsonTableReader(const std::string& file) : file_(file) {}

  Table table;
  std::optional<Presentation> page;
  Diagnostics errors;

  void read(const Json& root) {
    if (!members(root, {"title", "axes", "rows", "notes", "part", "page", "format", "findings"}, {"rows"}))
      return;
    text(root, "title", table.title);
    for (const Json& axis : items(root, "axes")) read_axis(axis);
    for (const Axis axis : axes_of(table)) axes_.push_back(axis);
    for (const Json& row : items(root, "rows")) {
      if (errors.size() >= kMostErrors) return;
      read_row(row, table.rows.emplace_back());
    }
    for (const Json& note : items(root, "notes"))
      if (auto* words = note.get<std::string>())
        table.notes.push_back(*words);
      else
        complain(note, fmt::format("a note must be a string, not {}", note.kind()));
    if (const Json* json = root.find("page")) {
      JsonReader reader(file_);
      page = read_presentation(*json, table.axes, reader);
      errors.insert(errors.end(), reader.errors.begin(), reader.errors.end());
    }
  }

 private:
  void read_row(const Json& json, Row& row) {
    if (!members(json, {"axes", "values", "refused"}, {})) return;
    text(json, "refused", row.refused);
    if (const Json* axes = json.find("axes")) read_axes(*axes, row);
    const auto& values = items(json, "values");
    row.values.reserve(values.size());
    for (const Json& value : values) read_value(value, row);
  }

  void read_axis(const Json& json) {
    if (!members(json, {"name", "label", "unit", "problem"}, {"name"})) return;
    AxisInfo axis;
    if (!text(json, "name", axis.name)) return;
    text(json, "label", axis.label);
    text(json, "unit", axis.unit);
    if (const Json* problem = json.find("problem")) {
      if (auto* flag = problem->get<bool>())
        axis.problem = *flag;
      else
        complain(*problem, fmt::format("'problem' must be true or false, not {}", problem->kind()));
    }
    if (auto name = check_axis_name(axis.name); !name && !is_declarable(axis.name))
      return complain(*json.find("name"), name.error()[0].message, name.error()[0].hint);
    table.axes.push_back(std::move(axis));
  }

  void read_axes(const Json& json, Row& row) {
    std::vector<std::string_view> names;
    for (const Axis axis : axes_) names.push_back(axis.name());
    if (!members(json, names, {})) return;
    for (const Axis axis : axes_)
      if (json.find(axis.name())) text(json, axis.name(), row[axis]);
  }

  void read_value(const Json& json, Row& row) {
    if (!members(json, {"tag", "value", "unit", "provenance", "description"}, {"tag", "value", "provenance"}))
      return;
    Value value;
    text(json, "tag", value.tag);
    text(json, "unit", value.unit);
    text(json, "description", value.description);
    if (value.tag == "refused")  // the CSV could not hold it
      complain(*json.find("tag"), "'refused' is no name for a value");
    std::string origin;
    if (text(json, "provenance", origin)) {
      if (auto provenance = provenance_named(origin))
        value.provenance = *provenance;
      else
        complain(*json.find("provenance"), fmt::format("unknown provenance '{}'", printable(origin)),
                 provenance_hint());
    }
    const Json& given = *json.find("value");
    if (auto* integer = given.get<int64_t>())
      value.value = *integer;
    else if (auto* real = given.get<double>())
      value.value = *real;
    else if (auto* word = given.get<std::string>())
      value.value =
          *word == "nan" || *word == "inf" || *word == "-inf" ? *parse_number(*word) : Number(*word);
    else
      complain(given, fmt::format("a value must be a number or a string, not {}", given.kind()));
    row.values.push_back(std::move(value));
  }

  void complain(const Json& json, std::string message, std::string hint = {}) {
    errors.push_back(error_at(json.where(file_), std::move(message), std::move(hint)));
  }

  /// Whether it is an object; complains about keys that are not known and about required ones that are not
  /// there.
  bool members(const Json& json, const std::vector<std::string_view>& known,
               std::initializer_list<std::string_view> required) {
    auto* object = json.get<Json::Object>();
    if (!object) {
      complain(json, fmt::format("must be an object, not {}", json.kind()));
      return false;
    }
    for (const auto& member : *object) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      std::string near = nearest(member.key, {known.begin(), known.end()});
      errors.push_back(error_at(member.where(file_), fmt::format("unknown key '{}'", printable(member.key)),
                                near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
    }
    bool complete = true;
    for (auto key : required)
      if (!json.find(key)) complain(json, fmt::format("key '{}' is missing", key)), complete = false;
    return complete;
  }

  /// Reads a string if the key is there; false when it is not or is something else.
  bool text(const Json& object, std::string_view key, std::string& out) {
    const Json* json = object.find(key);
    if (!json) return false;
    auto* words = json->get<std::string>();
    if (!words) {
      complain(*json, fmt::format("'{}' must be a string, not {}", key, json->kind()));
      return false;
    }
    out = *words;
    return true;
  }

  /// The elements of the array at this key; none, with a complaint, if it is something else.
  const Json::Array& items(const Json& object, std::string_view key) {
    static const Json::Array kNone;
    const Json* json = object.find(key);
    if (!json) return kNone;
    if (auto* array = json->get<Json::Array>()) return *array;
    complain(*json, fmt::format("'{}' must be an array, not {}", key, json->kind()));
    return kNone;
  }

  const std::string& file_;
  std::vector<Axis> axes_;  // those that its rows may have
};

}  // namespace

std::string write_json(const Table& table, const Presentation* page) {
  std::string out = "{\"title\":" + json_quote(table.title);
  if (const auto own = own_axes(table); !own.empty()) out += ",\n\"axes\":" + json_array(own, axis_json);
  out += ",\n\"rows\":[";
  const std::vector<Axis> axes = axes_of(table);
  std::string_view separator = "\n";
  for (const auto& row : table.rows) {
    out += separator;
    append_row(out, axes, row);
    separator = ",\n";
  }
  out += "],\n\"notes\":[";
  separator = "\n";
  for (const auto& note : table.notes) {
    out.append(separator).append(json_quote(note));
    separator = ",\n";
  }
  out += "]";
  if (page) out += ",\n\"page\":" + presentation_json(*page);
  return out + "}\n";
}

Result<Results> read_results(std::string_view text, const std::string& file) {
  auto root = parse_json(text, file);
  if (!root) return root.error();
  JsonTableReader reader(file);
  reader.read(*root);
  if (!reader.errors.empty()) return std::move(reader.errors);
  return Results{std::move(reader.table), std::move(reader.page)};
}

Table read_table(const Json& json, JsonReader& reader) {
  JsonTableReader tables(reader.file());
  tables.read(json);
  reader.errors.insert(reader.errors.end(), tables.errors.begin(), tables.errors.end());
  return std::move(tables.table);
}

Result<Table> read_json(std::string_view text, const std::string& file) {
  auto results = read_results(text, file);
  if (!results) return results.error();
  return std::move(results->table);
}

}  // namespace ww::report
