#include "report/plot_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/axes.h"

namespace ww::report {

namespace {

using Names = std::vector<std::string>;

Names axis_names(const std::vector<AxisInfo>& own) {
  Names names;
  for (const Axis axis : common_axes()) names.emplace_back(axis.name());
  for (const AxisInfo& axis : own) names.push_back(axis.name);
  return names;
}

void check_axis(Location where, const std::string& word, const Names& known, JsonReader& reader) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    reader.unknown(std::move(where), "axis", word, known);
}

std::string quoted(const std::vector<std::string>& words) {
  return json_array(words, [](const std::string& word) { return json_quote(word); });
}

void read_filter(const Json& json, Plot& plot, const Names& known, JsonReader& reader) {
  const auto* axes = json.get<Json::Object>();
  if (!axes) {
    reader.complain(json,
                    fmt::format("'filter' must be an object of axes and their values, not {}", json.kind()));
    return;
  }
  for (const JsonMember& axis : *axes) {
    check_axis(axis.where(reader.file()), axis.key, known, reader);
    Plot::Filter filter{axis.key, {}};
    for (const Json* one : JsonReader::items(axis.value)) {
      if (const auto* word = one->get<std::string>())
        filter.values.push_back(*word);
      else if (const auto* number = one->get<int64_t>())
        filter.values.push_back(std::to_string(*number));
      else
        reader.complain(*one,
                        fmt::format("a value of an axis is a string or a whole number, not {}", one->kind()));
    }
    plot.filter.push_back(std::move(filter));
  }
}

}  // namespace

std::string plot_json(const Plot& plot) {
  std::string out = plot.title.empty() ? "{" : "{\"title\":" + json_quote(plot.title) + ",";
  out += fmt::format(R"("x":{},"y":{})", json_quote(plot.x), quoted(plot.y));
  if (!plot.series.empty()) out += ",\"series\":" + quoted(plot.series);
  if (!plot.filter.empty()) {
    std::string filter;
    for (const Plot::Filter& f : plot.filter)
      filter += fmt::format("{}{}:{}", filter.empty() ? "" : ",", json_quote(f.axis), quoted(f.values));
    out += ",\"filter\":{" + filter + "}";
  }
  if (plot.log_x) out += ",\"log_x\":true";
  if (plot.log_y) out += ",\"log_y\":true";
  return out + "}";
}

std::vector<Plot> read_plots(const Json& object, const std::vector<AxisInfo>& own, JsonReader& reader) {
  const Names known = axis_names(own);
  std::vector<Plot> plots;
  for (const Json& json : reader.list(object, "plots")) {
    if (!reader.members(json, "a plot", {"title", "x", "y", "series", "filter", "log_x", "log_y"})) continue;
    Plot plot;
    for (const char* key : {"x", "y"})
      if (!json.find(key)) reader.complain(json, fmt::format("'{}' is missing", key));
    plot.title = reader.text(json, "title");
    plot.x = reader.text(json, "x");
    plot.y = reader.words(json, "y");
    plot.series = reader.words(json, "series");
    if (const Json* series = json.find("series"))
      for (const Json* one : JsonReader::items(*series))
        if (const auto* axis = one->get<std::string>())
          check_axis(one->where(reader.file()), *axis, known, reader);
    if (const Json* filter = json.find("filter")) read_filter(*filter, plot, known, reader);
    if (const Json* log = json.find("log_x")) reader.flag(*log, "log_x", plot.log_x);
    if (const Json* log = json.find("log_y")) reader.flag(*log, "log_y", plot.log_y);
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace ww::report
