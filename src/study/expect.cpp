#include "study/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/expression.h"
#include "base/text.h"
#include "report/axes.h"
#include "report/compare.h"
#include "report/number.h"

namespace ww::study {

namespace {

/// "time{kernel=naive}@h200": the metric, and axes with other values than the row's.
struct FigureName {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> axes;
};

std::string without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

Result<FigureName> figure_named(std::string_view name) {
  FigureName out;
  const size_t end = std::min(name.find_first_of("@{"), name.size());
  out.metric = name.substr(0, end);
  for (size_t at = end; at < name.size();) {
    if (name[at] == '@') {
      const size_t next = std::min(name.find_first_of("@{", at + 1), name.size());
      out.axes.emplace_back("gpu", name.substr(at + 1, next - at - 1));
      at = next;
      continue;
    }
    const size_t close = name.find('}', at);
    if (close == name.npos) return error("'}' is missing");
    for (size_t begin = at + 1; begin < close;) {
      const size_t comma = std::min(name.find(',', begin), close), equals = name.find('=', begin);
      if (equals == name.npos || equals > comma)
        return error(fmt::format("'{}' is no AXIS=VALUE", printable(name.substr(begin, comma - begin))));
      out.axes.emplace_back(without_blanks(name.substr(begin, equals - begin)),
                            without_blanks(name.substr(equals + 1, comma - equals - 1)));
      begin = comma + 1;
    }
    at = close + 1;
  }
  return out;
}

bool has_values(const Row& row, const std::vector<report::Plot::Filter>& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& f) {
    return std::find(f.values.begin(), f.values.end(), row[axis_named(f.axis)]) != f.values.end();
  });
}

bool is_number(const Value& v) { return !std::holds_alternative<std::string>(v.value); }

/// The row's number of this name: a metric, or else an axis.
std::optional<Value> figure_in(const Row& row, const std::string& name) {
  for (const Value& v : row.values)
    if (v.tag == name && is_number(v)) return v;
  const std::string& axis = row[axis_named(name)];
  if (axis.empty() || !report::looks_like_number(axis)) return {};
  const auto number = report::parse_number(axis);
  if (!number) return {};
  return Value{name, *number, "", Provenance::Input, ""};
}

ExpressionValue number_of(const Value& v) {
  if (const auto* whole = std::get_if<int64_t>(&v.value)) return ExpressionValue(*whole);
  return ExpressionValue(v.number());
}

class Judge {
 public:
  explicit Judge(const Table& table) : table_(table) {
    for (const Axis axis : report::axes_of(table)) axes_.emplace_back(axis.name());
    for (size_t i = 0; i < table.rows.size(); ++i) {
      Axes axes = table.rows[i].axes;
      by_axes_.emplace(axes, i);
      axes[Axis::Block] = "";
      by_other_axes_.emplace(std::move(axes), i);
    }
  }

  Outcome of(const Expectation& e) const {
    Outcome out{&e, 0, {}, {}};
    std::set<std::vector<size_t>> judged;
    bool any = false;
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      if (!has_values(table_.rows[i], e.rows)) continue;
      std::vector<size_t> used;
      std::string figures;
      bool missing = false;
      std::set<std::string> said;
      const auto value = evaluate(e.text, e.where, [&](std::string_view name) -> Result<ExpressionValue> {
        auto figure = figure_named(name);
        if (!figure) return figure.error();
        for (const auto& [axis, wanted] : figure->axes)
          if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end())
            return error(fmt::format("there is no axis '{}'", printable(axis)));
        const auto row = row_of(i, *figure);
        const auto number = row ? figure_in(table_.rows[*row], figure->metric) : std::nullopt;
        if (!number) {
          missing = true;
          return ExpressionValue(1.0);  // what comes of it is not looked at
        }
        used.push_back(*row);
        if (said.insert(std::string(name)).second)
          figures += fmt::format("{}{} = {}{}{}", figures.empty() ? "" : ", ", name,
                                 report::short_text(*number), number->unit.empty() ? "" : " ", number->unit);
        return number_of(*number);
      });
      if (!value && !missing) {
        out.wrong = value.error()[0].message;
        return out;
      }
      if (missing || !value) continue;
      any = true;
      if (!judged.insert(used).second) continue;
      if (real_of(*value) != 0)
        ++out.held;
      else
        out.failures.push_back({i, figures});
    }
    if (!any) out.wrong = why_never(e);
    return out;
  }

 private:
  /// The row itself, or the one that differs in those axes alone; or in the block, too, where that follows
  /// from them.
  std::optional<size_t> row_of(size_t i, const FigureName& figure) const {
    if (figure.axes.empty()) return i;
    Axes axes = table_.rows[i].axes;
    bool block = false;
    for (const auto& [axis, value] : figure.axes)
      axes[axis_named(axis)] = value, block |= axis_named(axis) == Axis::Block;
    if (const auto it = by_axes_.find(axes); it != by_axes_.end()) return it->second;
    if (block) return {};
    axes[Axis::Block] = "";
    const auto [first, last] = by_other_axes_.equal_range(axes);
    if (first == last || std::next(first) != last) return {};
    return first->second;
  }

  std::string why_never(const Expectation& e) const {
    std::set<std::string> known(axes_.begin(), axes_.end());
    for (const Row& row : table_.rows)
      for (const Value& v : row.values) known.insert(v.tag);
    for (const std::string& name : names_in_expression(e.text)) {
      const auto figure = figure_named(name);
      if (!figure || known.count(figure->metric)) continue;
      const std::string near = nearest(figure->metric, {known.begin(), known.end()});
      return fmt::format("no row has '{}'{}", printable(figure->metric),
                         !near.empty() ? fmt::format("; did you mean '{}'?", near) : refusals());
    }
    return "no row has all that it names" + refusals();
  }

  /// "; 2 of 2 rows were refused, the first: no NumPy"
  std::string refusals() const {
    size_t count = 0;
    const Row* first = nullptr;
    for (const Row& row : table_.rows) {
      if (row.refused.empty()) continue;
      if (count++ == 0) first = &row;
    }
    if (!first) return "";
    return fmt::format("; {} of {} row{} refused, {}{}", count, table_.rows.size(),
                       table_.rows.size() == 1 ? " was" : "s were", count > 1 ? "the first: " : "",
                       first->refused);
  }

  const Table& table_;
  std::vector<std::string> axes_;
  std::map<Axes, size_t> by_axes_;
  std::multimap<Axes, size_t> by_other_axes_;  ///< without the block
};

}  // namespace

std::vector<Expectation> read_expectations(const Json& object, JsonReader& reader) {
  std::vector<Expectation> out;
  const Json* list = object.find("expect");
  if (!list) return out;
  for (const Json* one : JsonReader::items(*list)) {
    const Json* that = one;
    Expectation e;
    if (one->get<Json::Object>()) {
      if (!reader.members(*one, "an expectation", {"that", "rows"})) continue;
      that = one->find("that");
      if (!that) {
        reader.complain(*one, "'that' is missing",
                        "{\"that\": \"verified == 1\", \"rows\": {\"kernel\": …}}");
        continue;
      }
      if (const Json* rows = one->find("rows")) {
        const auto* axes = rows->get<Json::Object>();
        if (!axes) reader.complain(*rows, fmt::format("'rows' must be an object, not {}", rows->kind()));
        for (const JsonMember& axis : axes ? *axes : Json::Object()) {
          report::Plot::Filter filter{axis.key, {}};
          for (const Json* value : JsonReader::items(axis.value)) {
            if (const auto* word = value->get<std::string>())
              filter.values.push_back(*word);
            else if (const auto* number = value->get<int64_t>())
              filter.values.push_back(std::to_string(*number));
            else
              reader.complain(*value, fmt::format("a value of an axis is a string or a whole number, not {}",
                                                  value->kind()));
          }
          e.rows.push_back(std::move(filter));
        }
      }
    }
    const auto* text = that->get<std::string>();
    if (!text) {
      reader.complain(*that, fmt::format("an expectation is a string, not {}", that->kind()));
      continue;
    }
    e.text = *text;
    e.where = that->where(reader.file());
    ++e.where.column;  // behind the quote
    // Its syntax, whatever its figures are.
    const auto ok = evaluate(e.text, e.where, [](std::string_view name) -> Result<ExpressionValue> {
      if (auto figure = figure_named(name); !figure) return figure.error();
      return ExpressionValue(1.0);
    });
    if (!ok && ok.error()[0].message != "division by zero")
      reader.complain(ok.error()[0].where, ok.error()[0].message, ok.error()[0].hint);
    out.push_back(std::move(e));
  }
  return out;
}

std::vector<Outcome> judge(const Table& table, const std::vector<Expectation>& expectations) {
  const Judge judge(table);
  std::vector<Outcome> out;
  for (const Expectation& e : expectations) out.push_back(judge.of(e));
  return out;
}

}  // namespace ww::study
