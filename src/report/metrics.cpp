#include "report/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "base/text.h"

namespace ww::report {

namespace {

std::vector<std::string> alternatives_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('|', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string chosen_metric(const Table& table, const std::string& text) {
  std::string some;
  for (const auto& tag : alternatives_of(text)) {
    bool all = true, any = false;
    for (const Row& row : table.rows) {
      bool has = row.find(tag) != nullptr;
      any |= has;
      all &= has || !row.refused.empty() || row.find("fault") != nullptr;
    }
    if (any && all) return tag;
    if (any && some.empty()) some = tag;
  }
  return some;
}

namespace {

std::string nearest_tag(const Table& table, const std::string& tag) {
  std::vector<std::string> tags;
  for (const Row& row : table.rows)
    for (const Value& value : row.values)
      if (std::find(tags.begin(), tags.end(), value.tag) == tags.end()) tags.push_back(value.tag);
  return nearest(tag, tags);
}

std::string absent(const Table& table, const std::string& tag) {
  std::string near = nearest_tag(table, tag);
  return fmt::format("No row has a metric '{}'{}", tag,
                     near.empty() ? "." : fmt::format("; did you mean '{}'?", near));
}

}  // namespace

Status check_metrics(const Table& table, const std::vector<std::string>& tags) {
  const bool any = std::any_of(table.rows.begin(), table.rows.end(),
                               [](const Row& row) { return row.refused.empty() && !row.values.empty(); });
  Diagnostics wrong;
  for (const auto& tag : tags) {
    if (!any || tag.find('|') != tag.npos || !chosen_metric(table, tag).empty()) continue;
    const std::string near = nearest_tag(table, tag);
    wrong.push_back(
        error(fmt::format("no row has a metric '{}'", printable(tag)),
              near.empty() ? "--metric all shows all of them" : fmt::format("did you mean '{}'?", near)));
  }
  if (!wrong.empty()) return wrong;
  return {};
}

Table keep_metrics(Table table, const std::vector<std::string>& tags) {
  const bool any_ran = std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) {
    return row.refused.empty() && !row.find("fault");  // others have no figures at all
  });
  std::vector<std::string> kept;
  for (const auto& text : tags) {
    std::string tag = chosen_metric(table, text);
    if (!tag.empty())
      kept.push_back(tag);
    else if (any_ran && text.find('|') == text.npos)
      table.notes.push_back(absent(table, text));
  }
  for (Row& row : table.rows) {
    std::vector<Value> values;
    for (const auto& tag : kept)
      for (const Value& value : row.values)
        if (value.tag == tag) values.push_back(value);
    row.values = std::move(values);
  }
  return table;
}

}  // namespace ww::report
