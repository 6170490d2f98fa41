#include "cli/study/metrics.h"

#include <algorithm>

#include "counters/metric_names.h"
#include "report/metrics.h"
#include "study/bands.h"
#include "study/beside.h"
#include "study/published.h"

namespace ww::cli {

namespace {

/// Tags that rows have only where something is special about them.
bool only_some_rows(const std::string& tag) {
  constexpr const char* kTags[] = {
      "wrong",      "fault",       "not_modelled",  "missing_figures", "cache_blocks", "cache_error",
      "blocks_run", "verified",    "ratio_to_peer", "problem",         "problem_by",   "tried",
      "binding",    "time_spread", "time_repeats",  "time_p25",        "time_p75"};
  return tag.find('|') != tag.npos || tag.ends_with("_of_published") ||
         std::any_of(std::begin(kTags), std::end(kTags), [&](const char* known) { return tag == known; });
}

}  // namespace

std::vector<std::string> named_metrics(const StudyOptions& o, const std::vector<gpus::Gpu>& gpus) {
  std::vector<std::string> tags;
  for (const std::string& metric : o.metrics)
    if (gpus.empty() || !counters::is_particular(metric)) tags.push_back(metric);
  return tags;
}

Status check_before(const StudyOptions& o, const study::Study& study, const std::vector<gpus::Gpu>& gpus,
                    const std::function<Table()>& sample) {
  if (o.metrics == std::vector<std::string>{"all"}) return {};
  const std::vector<std::string> usual = study::shown_metrics(study);
  std::vector<std::string> asked;
  for (const std::string& tag : named_metrics(o, gpus)) {
    const bool shown = std::any_of(usual.begin(), usual.end(), [&](const std::string& column) {
      return ("|" + column + "|").find("|" + tag + "|") != column.npos;
    });
    const auto& cells = study::published_cells();
    const bool published =
        std::any_of(cells.begin(), cells.end(), [&](const study::Cell& c) { return c.tag == tag; });
    if (!shown && !published && !only_some_rows(tag)) asked.push_back(tag);
  }
  if (asked.empty()) return {};
  Table table = sample();
  study::add_theory(table, study.theory, gpus);
  study::add_bands(table, gpus);
  return report::check_metrics(table, asked);
}

std::vector<study::Item> smallest_items(const study::Study& study, const study::Selection& selection,
                                        const std::vector<study::Item>& items) {
  study::Selection small = selection;
  small.quick = true;
  small.n.clear();
  small.inputs.clear();
  const auto quick = study::select(study, small);
  std::vector<study::Item> out;
  const auto consider = [&](const study::Item& item, bool fresh) {
    for (study::Item& known : out)
      if (known.kernel == item.kernel) {
        if (item.config.n < known.config.n) known = item;
        return;
      }
    if (fresh) out.push_back(item);
  };
  for (const study::Item& item : items) consider(item, true);
  if (quick)
    for (const study::Item& item : *quick) consider(item, false);
  return out;
}

}  // namespace ww::cli
