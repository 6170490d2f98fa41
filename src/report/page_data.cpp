// The page's data: the table by columns, so that a tag's name, unit and description are there once.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "base/json.h"
#include "report/axes.h"
#include "report/default_plots.h"
#include "report/metrics.h"
#include "report/number.h"
#include "report/page.h"
#include "report/plot_json.h"

namespace ww::report {
namespace {

constexpr int64_t kExactInJavaScript = int64_t{1} << 53;

std::string quoted_array(const std::vector<std::string>& items) {
  return json_array(items, [](const std::string& s) { return json_quote(s); });
}

/// A number, a string, or [digits] for an integer that JavaScript would round. nan, inf and -inf are strings,
/// as in results.json.
std::string page_value(const Value& value) {
  if (auto* real = std::get_if<double>(&value.value))
    return std::isfinite(*real) ? value.text() : json_quote(value.text());
  if (auto* whole = std::get_if<int64_t>(&value.value))
    return -kExactInJavaScript < *whole && *whole < kExactInJavaScript ? value.text()
                                                                       : fmt::format("[\"{}\"]", *whole);
  return json_quote(value.text());
}

/// One column, by the rows that have it. Written as {"all": v}, {"at": rows, "is": values} or {"dense":
/// values}.
class Cells {
 public:
  void add(size_t row, std::string text) {
    same_ = texts_.empty() || (same_ && texts_.front() == text);
    rows_.push_back(row);
    texts_.push_back(std::move(text));
  }

  /// Whether `row`, the one that was added to last or a later one, has a value already.
  bool has(size_t row) const { return !rows_.empty() && rows_.back() == row; }

  std::string write(size_t rows) const {
    const auto as_is = [](const std::string& text) { return text; };
    if (same_ && rows_.size() == rows && rows > 0) return "\"all\":" + texts_.front();
    if (rows_.size() * 2 < rows)
      return fmt::format("\"at\":{},\"is\":{}", json_array(rows_, [](size_t i) { return std::to_string(i); }),
                         json_array(texts_, as_is));
    std::string out = "\"dense\":[";
    size_t next = 0;
    for (size_t row = 0; row < rows; ++row) {
      if (row > 0) out += ',';
      const bool here = next < rows_.size() && rows_[next] == row;
      if (here)
        out += texts_[next++];
      else
        out += "null";
    }
    return out + "]";
  }

 private:
  std::vector<size_t> rows_;
  std::vector<std::string> texts_;
  bool same_ = true;
};

/// The axes that any row has: their different values once, and for each row which of them it is.
std::string axes(const Table& table) {
  std::vector<std::string> out;
  const std::vector<AxisInfo> own = own_axes(table);
  for (const Axis a : axes_of(table)) {
    std::map<std::string_view, size_t> index;
    std::vector<std::string> values;
    Cells codes;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const std::string& text = table.rows[r][a];
      auto [it, fresh] = index.try_emplace(text, values.size());
      if (fresh) values.push_back(text);
      codes.add(r, std::to_string(it->second));
    }
    if (values.empty() || (values.size() == 1 && values[0].empty())) continue;
    std::string words;  // of an axis of the study's own; for the others the catalogue has them
    for (const AxisInfo& info : own)
      if (info.name == a.name())
        words = fmt::format("\"label\":{},\"unit\":{},",
                            json_quote(info.label.empty() ? info.name : info.label), json_quote(info.unit));
    out.push_back(fmt::format("{{\"name\":{},{}\"values\":{},{}}}", json_quote(a.name()), words,
                              quoted_array(values), codes.write(table.rows.size())));
  }
  return json_array(out, [](const std::string& text) { return text; });
}

/// The columns: a tag with its unit and provenance; where a row has the same twice, the second is one of its
/// own.
std::string columns_json(const Table& table) {
  using Key = std::tuple<std::string_view, std::string_view, Provenance, int>;
  struct Column {
    const Value* first;
    Cells cells;
  };
  std::map<Key, size_t> known;
  std::vector<Column> all;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto& values = table.rows[r].values;
    for (const Value& v : values) {
      int times = 0;
      size_t column;
      // Rows hold few hundred values; a second one of a key is rare.
      for (;; ++times) {
        auto [it, fresh] = known.try_emplace(Key{v.tag, v.unit, v.provenance, times}, all.size());
        column = it->second;
        if (fresh) all.push_back({&v, {}});
        if (!all[column].cells.has(r)) break;
      }
      all[column].cells.add(r, page_value(v));
    }
  }
  return json_array(all, [&](const Column& c) {
    return fmt::format(R"({{"tag":{},"unit":{},"provenance":"{}","description":{},{}}})",
                       json_quote(c.first->tag), json_quote(c.first->unit), name(c.first->provenance),
                       json_quote(c.first->description), c.cells.write(table.rows.size()));
  });
}

/// "title", "rows", "axes", "columns", "refused" and "notes" of a table, without braces.
std::string table_members(const Table& table) {
  std::vector<std::string> refused;
  for (size_t r = 0; r < table.rows.size(); ++r)
    if (!table.rows[r].refused.empty())
      refused.push_back(fmt::format("[{},{}]", r, json_quote(table.rows[r].refused)));
  return fmt::format(R"("title":{},"rows":{},"axes":{},"columns":{},"refused":{},"notes":{})",
                     json_quote(table.title), table.rows.size(), axes(table), columns_json(table),
                     json_array(refused, [](const std::string& text) { return text; }),
                     quoted_array(table.notes));
}

std::string argument_text(const Argument& argument) {
  if (auto* text = std::get_if<std::string>(&argument))
    return fmt::format(R"({{"text":{}}})", json_quote(*text));
  if (auto* metric = std::get_if<MetricName>(&argument))
    return fmt::format(R"({{"tag":{},"described":{}}})", json_quote(metric->tag), metric->described);
  if (auto* row = std::get_if<RowName>(&argument)) return fmt::format(R"({{"row":{}}})", row->index);
  if (auto* message = std::get_if<MessageName>(&argument))
    return fmt::format(R"({{"message":{}}})", json_quote(message->key));
  if (auto* figures = std::get_if<FigureNames>(&argument))
    return "{\"figures\":" + quoted_array(figures->keys) + "}";
  const Value& v = std::get<Value>(argument);
  return fmt::format(R"({{"value":{},"unit":{},"provenance":"{}","derived":{}{}}})", page_value(v),
                     json_quote(v.unit), name(v.provenance), v.tag.empty(),
                     v.tag.empty() && !v.description.empty() ? ",\"least\":true" : "");
}

std::string conclusion_text(const Conclusion& c) {
  std::string arguments;
  for (const auto& [key, argument] : c.arguments)
    arguments +=
        fmt::format("{}{}:{}", arguments.empty() ? "" : ",", json_quote(key), argument_text(argument));
  return fmt::format(R"({{"message":{},"arguments":{{{}}},"goesOn":{},"rows":{}}})", json_quote(c.message),
                     arguments, c.goes_on, json_array(c.rows, [](size_t i) { return std::to_string(i); }));
}

}  // namespace

std::string page_data(const Page& page) {
  std::string out = "{\"study\":" + json_quote(page.study) + ",\"text\":" + json_quote(page.text) + "," +
                    table_members(page.table);
  std::vector<std::string> tags;
  for (const auto& text : page.headline) tags.push_back(chosen_metric(page.table, text));
  std::erase(tags, "");
  const auto plots = page.plots.empty() ? default_plots(page.table, page.headline) : page.plots;
  out += ",\"headline\":" + quoted_array(tags);
  out += ",\"plots\":" + json_array(plots, plot_json);
  out += ",\"verdict\":" + json_array(page.verdict, conclusion_text);
  out += ",\"conclusions\":" + json_array(page.conclusions, conclusion_text);
  out += ",\"verification\":" + json_array(page.verification, conclusion_text);
  out += ",\"facts\":" + json_array(page.facts, [](const Fact& f) {
           return fmt::format(R"({{"group":{},"name":{},"text":{}}})", json_quote(f.group),
                              json_quote(f.name), json_quote(f.text));
         });
  out +=
      ",\"extras\":" + json_array(page.extras, [](const Table& t) { return "{" + table_members(t) + "}"; });
  out += ",\"listings\":" + json_array(page.listings, [](const Listing& l) {
           return fmt::format(R"({{"name":{},"text":{},"watch":{}}})", json_quote(l.name), json_quote(l.text),
                              json_quote(l.watch));
         });
  out += fmt::format(",\"builtIn\":{},\"language\":", page.built_in) + json_quote(page.language) + "}";
  return json_in_script(std::move(out));
}

}  // namespace ww::report
