// Plots as JSON, as study files and result files have them.
#pragma once

#include <string>
#include <vector>

#include "base/axis.h"
#include "base/json_reader.h"
#include "report/plot.h"

namespace ww::report {

/// {"title", "x", "y": […], "series": […], "filter": {axis: […]}, "log_x", "log_y"}; what is empty or false
/// is left out.
std::string plot_json(const Plot& plot);

/// The plots at the key "plots" of an object; none when it has no such key. Complaints go to `reader`: what
/// is missing or of another kind, axes that do not exist.
std::vector<Plot> read_plots(const Json& object, const std::vector<AxisInfo>& own, JsonReader& reader);

/// A JSON array of what `text_of` says of each item.
template <class Items, class TextOf>
std::string json_array(const Items& items, TextOf text_of) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text_of(item);
  }
  return out + "]";
}

}  // namespace ww::report
