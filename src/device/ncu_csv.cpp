#include "device/ncu_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace ww::device {

namespace {

using Fields = std::vector<std::string>;

// Takes one record from the front of `text`: quoted fields may hold commas, doubled quotes and line ends.
Fields take_record(std::string_view& text) {
  Fields fields(1);
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && text.substr(i + 1).starts_with('"'))
      fields.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      fields.emplace_back();
    else if (!quoted && c == '\n')
      break;
    else if (quoted || c != '\r')
      fields.back() += c;
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return fields;
}

void skip_line(std::string_view& text) {
  size_t end = text.find('\n');
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
}

// Commas only where they part thousands: "91,64" is another locale's number and must not become 9164.
bool well_grouped(std::string_view field) {
  std::string_view whole = field.substr(0, field.find('.'));
  if (whole.size() < field.size() && field.find(',', whole.size()) != field.npos) return false;
  for (size_t i = 0; i < whole.size(); ++i)
    if (whole[i] == ',' && (i == 0 || (whole.size() - i) % 4 != 0)) return false;
  return true;
}

// "1,073,741,824" → integer, "91.64" → double, anything else → the word.
std::variant<double, int64_t, std::string> number_or_word(const std::string& field) {
  if (!well_grouped(field)) return field;
  std::string digits = field;
  std::erase(digits, ',');
  const char* end = digits.data() + digits.size();
  int64_t whole = 0;
  if (auto [at, bad] = std::from_chars(digits.data(), end, whole); bad == std::errc() && at == end)
    return whole;
  double number = 0;
  if (auto [at, bad] = std::from_chars(digits.data(), end, number); bad == std::errc() && at == end)
    return number;
  return field;
}

// Nsight Compute scales units for reading; older versions write "usecond" for "us".
struct Scale {
  std::string_view unit, base;
  double factor;
};
constexpr Scale kScales[] = {
    {"Kbyte", "byte", 1e3},     {"Mbyte", "byte", 1e6},     {"Gbyte", "byte", 1e9},
    {"Tbyte", "byte", 1e12},    {"nsecond", "ns", 1},       {"usecond", "ns", 1e3},
    {"msecond", "ns", 1e6},     {"second", "ns", 1e9},      {"us", "ns", 1e3},
    {"ms", "ns", 1e6},          {"s", "ns", 1e9},           {"Khz", "hz", 1e3},
    {"Mhz", "hz", 1e6},         {"Ghz", "hz", 1e9},         {"Hz", "hz", 1},
    {"KHz", "hz", 1e3},         {"MHz", "hz", 1e6},         {"GHz", "hz", 1e9},
    {"Ksector", "sector", 1e3}, {"Msector", "sector", 1e6}, {"Kinst", "inst", 1e3},
    {"Minst", "inst", 1e6},     {"Kcycle", "cycle", 1e3},   {"Mcycle", "cycle", 1e6},
};

void add_value(ProfiledKernel& kernel, const std::string& metric, std::string unit,
               const std::string& field) {
  if (metric.empty() || field.empty() || field == "n/a") return;
  auto value = number_or_word(field);
  // A rate keeps its denominator: "Gbyte/s" is 1e9 byte/s.
  std::string_view numerator = std::string_view(unit).substr(0, unit.find('/'));
  for (const Scale& scale : kScales) {
    if (numerator != scale.unit || std::holds_alternative<std::string>(value)) continue;
    double number = Value{"", value}.number();
    if (scale.factor != 1) value = number * scale.factor;
    unit = std::string(scale.base) + unit.substr(numerator.size());
    break;
  }
  kernel.values.push_back({metric, std::move(value), std::move(unit), Provenance::Measured, ""});
}

// The columns of the table being read.
struct Columns {
  Fields names, units;

  int find(std::string_view name) const {
    auto it = std::find(names.begin(), names.end(), name);
    return it == names.end() ? -1 : static_cast<int>(it - names.begin());
  }
  const std::string& of(const Fields& record, std::string_view name) const {
    static const std::string kNothing;
    int column = find(name);
    return column < 0 ? kNothing : record[column];
  }
  // Metric columns are those with a name of the form "unit__what.sum" or "launch__what".
  bool is_metric(size_t column) const { return names[column].find("__") != std::string::npos; }
};

void add_record(std::map<int64_t, ProfiledKernel>& kernels, int64_t id, const Columns& columns,
                const Fields& record) {
  ProfiledKernel& kernel = kernels[id];
  kernel.name = columns.of(record, "Kernel Name");
  kernel.grid = columns.of(record, "Grid Size");
  kernel.block = columns.of(record, "Block Size");
  if (columns.find("Metric Name") >= 0) {
    add_value(kernel, columns.of(record, "Metric Name"), columns.of(record, "Metric Unit"),
              columns.of(record, "Metric Value"));
    return;
  }
  for (size_t i = 0; i < record.size(); ++i)
    if (columns.is_metric(i))
      add_value(kernel, columns.names[i], columns.units.empty() ? "" : columns.units[i], record[i]);
}

}  // namespace

Result<std::vector<ProfiledKernel>> parse_ncu_csv(std::string_view text) {
  Columns columns;
  std::map<int64_t, ProfiledKernel> kernels;
  while (!text.empty()) {
    // Every record starts with a quoted field; no message of the tool does.
    if (text[0] != '"') {
      skip_line(text);
      continue;
    }
    std::string_view before = text;
    Fields record = take_record(text);
    if (record[0] == "ID") {
      columns = {std::move(record), {}};
      if (columns.find("Kernel Name") < 0)
        return error("Nsight Compute's table has no column \"Kernel Name\"");
      continue;
    }
    if (record.size() != columns.names.size()) {
      // Something else that starts with a quote, perhaps an open one: only its line is skipped.
      text = before;
      skip_line(text);
      continue;
    }
    auto id = number_or_word(record[0]);
    if (auto* number = std::get_if<int64_t>(&id))
      add_record(kernels, *number, columns, record);
    else if (record[0].empty() && columns.units.empty())
      columns.units = std::move(record);
  }
  if (columns.names.empty()) return error("Nsight Compute printed no table");
  std::vector<ProfiledKernel> out;
  for (auto& [id, kernel] : kernels) out.push_back(std::move(kernel));
  return out;
}

}  // namespace ww::device
