// How a study wants its table shown: what a result file carries beside the rows, so that a page can be made
// of it anew.
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/table.h"
#include "report/plot.h"

namespace ww::report {

/// Something about the run that is no row: "cpu" of group "machine".
struct Fact {
  std::string group, name, text;
  bool operator==(const Fact&) const = default;
};

struct Presentation {
  std::string study;                  ///< its name; "" for a table from elsewhere
  std::string text;                   ///< what to see in it: a paragraph
  std::vector<std::string> headline;  ///< columns shown at first, as keep_metrics has them
  std::vector<Plot> plots;            ///< empty: default_plots()
  std::vector<Fact> facts;
  std::vector<Table> figures;  ///< of GPUs that came from files; empty where all are known
};

/// {"study": …, "text": …, "headline": […], "plots": […], "facts": [{"group", "name", "text"}],
/// "figures": [tables]}; what is empty is left out. Plots are as study files have them (docs/studies.md).
std::string presentation_json(const Presentation& presentation);
/// Reads that back; complaints go to `reader`.
/// `own`: the table's own axes.
Presentation read_presentation(const Json& json, const std::vector<AxisInfo>& own, JsonReader& reader);

}  // namespace ww::report
