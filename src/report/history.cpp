#include "report/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/words.h"
#include "report/axes.h"
#include "report/default_plots.h"
#include "report/number.h"

namespace ww::report {

namespace {

constexpr size_t kMostTold = 12;  // metrics with a sentence of their own
constexpr size_t kMostDrawn = 6;  // metrics with a figure
constexpr size_t kMostShown = 4;  // metrics in the table at first: so many fit on a screen beside the axes

std::string run_name(size_t at, size_t count) {
  return count == 2 ? (at == 0 ? "before" : "after") : std::to_string(at + 1);
}

/// A value of a row, whatever its table.
struct Place {
  Axes axes;
  std::string tag, unit;
  Provenance provenance = Provenance::Counted;

  friend bool operator<(const Place& a, const Place& b) {
    if (!(a.axes == b.axes)) return a.axes < b.axes;
    return std::tie(a.tag, a.unit, a.provenance) < std::tie(b.tag, b.unit, b.provenance);
  }
};

const Value* value_at(const Table& table, const Place& place) {
  for (const Row& row : table.rows) {
    if (!(row.axes == place.axes)) continue;
    for (const Value& v : row.values)
      if (v.tag == place.tag && v.unit == place.unit && v.provenance == place.provenance) return &v;
  }
  return nullptr;
}

/// Ends of a band: they go with their time.
bool goes_along(const std::string& tag) {
  return tag == "time_low" || tag == "time_high" || tag == "time_p25" || tag == "time_p75";
}

/// How large a change is, for an order: what cannot be said in percent first.
double size_of(const Difference& d) { return std::isnan(d.change) ? INFINITY : std::abs(d.change); }

/// The differences of a metric that go one way.
struct Group {
  const Difference* most = nullptr;
  size_t count = 0;
};

Value amount_of(const Difference& d, const std::string& text) {
  return {d.tag, parse_number(text).value_or(Number(text)), d.unit, d.provenance, ""};
}

Value number_of(size_t count) { return {"", static_cast<int64_t>(count), "", Provenance::Counted, ""}; }

}  // namespace

Table combined(std::span<const Recorded> files) {
  Table out;
  std::set<std::string> titles;
  const Axis run = axis_named(kRunAxis);
  for (size_t i = 0; i < files.size(); ++i) {
    const Table& table = files[i].table;
    if (titles.insert(table.title).second && !table.title.empty())
      out.title += (out.title.empty() ? "" : "; ") + table.title;
    for (const AxisInfo& axis : table.axes)
      if (std::find(out.axes.begin(), out.axes.end(), axis) == out.axes.end()) out.axes.push_back(axis);
    for (Row row : table.rows) {
      row[run] = run_name(i, files.size());
      out.rows.push_back(std::move(row));
    }
    out.notes.push_back(fmt::format("{}: {}", run_name(i, files.size()), files[i].name));
  }
  out.axes.push_back({kRunAxis, "", "", false});
  return out;
}

bool name_studies_alike(std::vector<Recorded>& files) {
  std::set<std::string> names;
  for (const Recorded& file : files) {
    std::set<std::string> own;
    for (const Row& row : file.table.rows) own.insert(row[Axis::Study]);
    if (own.size() != 1 || own.begin()->empty()) return false;
    names.merge(own);
  }
  if (names.size() < 2) return false;
  const std::string name = files[0].table.rows[0][Axis::Study];
  for (Recorded& file : files)
    for (Row& row : file.table.rows) row[Axis::Study] = name;
  return true;
}

Result<Table> history(std::span<const Recorded> files, const CompareOptions& options, bool for_people) {
  std::map<Place, Verdict> changed;  // of the last change
  std::vector<Place> order;
  std::vector<std::string> rows;  // that came or went
  size_t compared = 0;
  for (size_t i = 1; i < files.size(); ++i) {
    auto found = compare(files[i - 1].table, files[i].table, options);
    if (!found) return found.error();
    compared += found->values;
    for (const Difference& d : found->differences) {
      Place place{d.row.axes, d.tag, d.unit, d.provenance};
      if (changed.insert_or_assign(place, d.verdict).second) order.push_back(std::move(place));
    }
    for (const std::string& row : found->missing_rows)
      rows.push_back(fmt::format("Missing row in run{}: {}", i + 1, row));
    for (const std::string& row : found->new_rows)
      rows.push_back(fmt::format("New row in run{}: {}", i + 1, row));
  }
  Table out{fmt::format("{} result files", files.size()), {}, {}};
  for (const Place& place : order) {
    Row& row = out.rows.emplace_back();
    row.axes = place.axes;
    row[axis_named("what")] = place.tag;
    const Value *first = nullptr, *last = nullptr;
    double most = 0;
    for (const Recorded& file : files)
      if (const Value* v = value_at(file.table, place); v && std::isfinite(v->number()))
        most = std::max(most, std::abs(v->number()));
    const ReadableUnit unit = for_people ? readable_unit(place.unit, most) : ReadableUnit{place.unit, 1};
    // Before the figures: rows may differ in it, and wide tables go on in blocks.
    row.values.push_back({"unit", unit.unit, "", Provenance::Input, "of the runs"});
    for (size_t i = 0; i < files.size(); ++i) {
      const Value* v = value_at(files[i].table, place);
      if (!v) continue;
      if (!first) first = v;
      last = v;
      row.values.push_back({fmt::format("run{}", i + 1),
                            unit.factor == 1 ? v->value : Number(v->number() * unit.factor), "",
                            Provenance::Input, files[i].name});
    }
    if (first && last && first->number() != 0 && std::isfinite(last->number() / first->number()))
      row.values.push_back(
          {"change", std::round(1e5 * (last->number() - first->number()) / std::abs(first->number())) / 1e3,
           "%", Provenance::Input, "from the first file to the last"});
    row.values.push_back({"last", std::string(name(changed.at(place))), "", Provenance::Input,
                          "the last change: worse, missing, better, changed or new"});
    row.values.push_back(
        {"origin", std::string(name(place.provenance)), "", Provenance::Input, "provenance of the runs"});
  }
  for (size_t i = 0; i < files.size(); ++i)
    out.notes.push_back(fmt::format("run{}: {}", i + 1, files[i].name));
  out.notes.insert(out.notes.end(), rows.begin(), rows.end());
  if (out.rows.empty() && rows.empty())
    out.notes.push_back(fmt::format("Nothing has changed: {} figures compared.", compared));
  return out;
}

Page history_page(std::vector<Recorded> files, const Comparison& comparison) {
  Page page;
  page.table = combined(files);
  const std::string last = run_name(files.size() - 1, files.size());
  std::map<Axes, size_t> row_of;  // of the last file, by the axes of the file itself
  for (size_t i = 0; i < page.table.rows.size(); ++i)
    if (Row plain = page.table.rows[i]; plain[axis_named(kRunAxis)] == last) {
      plain[axis_named(kRunAxis)].clear();
      row_of.emplace(plain.axes, i);
    }
  const size_t worse = comparison.count(Verdict::Worse) + comparison.count(Verdict::Missing),
               better = comparison.count(Verdict::Better);
  Conclusion& sum = page.conclusions.emplace_back(Conclusion{comparison.rows == 0 ? "compare.nothing"
                                                             : worse > 0          ? "compare.worse"
                                                                                  : "compare.good",
                                                             {},
                                                             {}});
  if (comparison.rows > 0)
    sum.arguments = {
        {"count", number_of(worse)}, {"better", number_of(better)}, {"values", number_of(comparison.values)}};
  if (!comparison.missing_rows.empty())
    page.conclusions.push_back(
        {"compare.missing", {{"count", number_of(comparison.missing_rows.size())}}, {}, true});
  // A sentence for each metric, the worse ones first, among these the largest change.
  for (const bool bad : {true, false}) {
    std::map<std::pair<std::string, Provenance>, Group> groups;
    for (const Difference& d : comparison.differences) {
      const bool fits =
          bad ? d.verdict == Verdict::Worse || d.verdict == Verdict::Missing : d.verdict == Verdict::Better;
      if (!fits || goes_along(d.tag)) continue;
      Group& g = groups[{d.tag, d.provenance}];
      ++g.count;
      if (!g.most || size_of(d) > size_of(*g.most)) g.most = &d;
    }
    std::vector<Group> all;
    for (const auto& [key, group] : groups) all.push_back(group);
    // Whether it is right comes first, then the time: they are what a reader asks for.
    const auto rank = [](const Group& g) {
      const std::string& tag = g.most->tag;
      return std::pair(tag == "verified" || tag == "refused" ? 2 : tag == "time" ? 1 : 0, size_of(*g.most));
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Group& a, const Group& b) { return rank(a) > rank(b); });
    if (all.size() > kMostTold) all.resize(kMostTold);
    for (const Group& g : all) {
      const Difference& d = *g.most;
      const auto at = row_of.find(d.row.axes);
      if (at == row_of.end()) continue;
      const bool percent = std::isfinite(d.change);
      Conclusion c{fmt::format("compare.{}{}", bad ? "up" : "down",
                               d.after.empty() ? ".gone"
                               : percent       ? ""
                                               : ".words"),
                   {},
                   {at->second}};
      c.arguments = {{"metric", MetricName{d.tag}},
                     {"count", number_of(g.count)},
                     {"row", RowName{at->second}},
                     {"before", amount_of(d, d.before)},
                     {"after", amount_of(d, d.after)}};
      if (percent)
        c.arguments.emplace_back("change",
                                 Value{"", std::round(1000 * d.change) / 10, "%", d.provenance, ""});
      page.conclusions.push_back(std::move(c));
    }
  }
  std::vector<const Difference*> largest;
  for (const Difference& d : comparison.differences)
    if (std::isfinite(d.change) && !goes_along(d.tag)) largest.push_back(&d);
  std::stable_sort(largest.begin(), largest.end(), [](const Difference* a, const Difference* b) {
    return std::pair(a->verdict, -std::abs(a->change)) < std::pair(b->verdict, -std::abs(b->change));
  });
  for (const Difference* d : largest) {
    if (page.headline.size() >= kMostShown) break;
    if (std::find(page.headline.begin(), page.headline.end(), d->tag) == page.headline.end())
      page.headline.push_back(d->tag);
  }
  // What changed most, and the time, where there is one.
  std::vector<std::string> drawn(
      page.headline.begin(),
      page.headline.begin() + static_cast<std::ptrdiff_t>(std::min(page.headline.size(), kMostDrawn)));
  if (std::find(drawn.begin(), drawn.end(), "time") == drawn.end()) drawn.push_back("time");
  if (page.headline.empty()) page.headline = {"verified", "time", "gflops"};
  const std::vector<std::string> lines = line_axes(page.table, kRunAxis);
  for (const std::string& tag : drawn) page.plots.push_back({"", kRunAxis, {tag}, lines, {}, false, false});
  return page;
}

}  // namespace ww::report
