#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/axes.h"

namespace ww::report {

namespace {

struct Way {
  std::string_view pattern;
  Worse worse;
};
constexpr Way kWays[] = {
#define WW_WORSE(pattern, way) {pattern, Worse::way},
#include "report/worse.inc"
#undef WW_WORSE
};

constexpr double kMeasured = 0.05;  // runs differ

bool fits(std::string_view tag, std::string_view pattern) {
  const bool front = pattern.starts_with('*'), back = pattern.ends_with('*');
  const std::string_view core = pattern.substr(front, pattern.size() - front - back);
  if (front && back) return tag.find(core) != tag.npos;
  if (front) return tag.ends_with(core);
  return back ? tag.starts_with(core) : tag == core;
}

/// The way a value with this origin can get worse.
Worse way_of(const Value& value) {
  const bool ours = value.provenance == Provenance::Counted || value.provenance == Provenance::Modelled ||
                    value.provenance == Provenance::Measured;
  return ours ? worse_way(value.tag) : Worse::Neither;
}

double threshold_of(const Value& value, const CompareOptions& options) {
  for (const auto& [tag, threshold] : options.of_metric)
    if (tag == value.tag) return threshold;
  return options.threshold.value_or(value.provenance == Provenance::Measured ? kMeasured : 0);
}

/// Which launch of a profile a row is, and what ran it: something else each time, and no result.
bool is_identity(const Value& value) {
  return value.tag == "engine_ran" ||
         (value.provenance == Provenance::Input && (value.tag == "launch" || value.tag == "process"));
}

/// Sentences on what a change would give follow from the figures beside them.
bool is_advice(const Value& value) { return value.tag == "tried"; }

bool wanted(const Value& value, const CompareOptions& options) {
  const auto in = [&](const std::vector<std::string>& tags) {
    return std::find(tags.begin(), tags.end(), value.tag) != tags.end();
  };
  if (options.metrics.empty() && (is_identity(value) || is_advice(value))) return false;
  return (options.metrics.empty() || in(options.metrics)) && !in(options.ignored);
}

const Value* same_value(const Row& row, const Value& value) {
  for (const Value& v : row.values)
    if (v.tag == value.tag && v.unit == value.unit && v.provenance == value.provenance) return &v;
  return nullptr;
}

bool is_word(const Value& value) { return std::holds_alternative<std::string>(value.value); }

Difference difference(const Row& row, const Value& value) {
  Difference d;
  d.row.axes = row.axes;
  d.tag = value.tag;
  d.unit = value.unit;
  d.provenance = value.provenance;
  d.change = std::nan("");
  return d;
}

const Value* measured(const Row& row, std::string_view tag) {
  for (const Value& v : row.values)
    if (v.tag == tag && v.provenance == Provenance::Measured) return &v;
  return nullptr;
}

/// Whether the quartiles of repeated runs overlap: then a difference of the medians says nothing.
bool same_runs(const Row& before, const Row& after) {
  const Value *low = measured(before, "time_p25"), *high = measured(before, "time_p75"),
              *new_low = measured(after, "time_p25"), *new_high = measured(after, "time_p75");
  return low && high && new_low && new_high && low->number() <= new_high->number() &&
         new_low->number() <= high->number();
}

/// What is said of repeated runs by their median.
bool of_runs(const Value& value) {
  constexpr std::string_view kRuns[] = {"time_p25", "time_p75", "time_spread"};
  return value.provenance == Provenance::Measured &&
         std::find(std::begin(kRuns), std::end(kRuns), value.tag) != std::end(kRuns);
}

/// What follows from the median of the runs.
bool from_time(const Value& value) {
  return value.provenance == Provenance::Measured && (value.tag == "time" || value.tag == "gflops");
}

/// What became of a value that both rows have; nothing when that is within its threshold.
std::optional<Difference> changed(const Row& row, const Value& before, const Value& after,
                                  const CompareOptions& options) {
  Difference d = difference(row, before);
  d.before = before.text();
  d.after = after.text();
  if (d.before == d.after) return {};
  const Worse way = way_of(before);
  if (way == Worse::Neither && before.provenance == Provenance::Measured && options.metrics.empty())
    return {};
  if (is_word(before) || is_word(after)) return d;
  const double a = before.number(), b = after.number();
  if (std::isnan(b) || std::isnan(a)) {
    if (way != Worse::Neither) d.verdict = std::isnan(b) ? Verdict::Worse : Verdict::Better;
    return d;
  }
  d.change = a == b ? 0 : (b - a) / std::abs(a);  // infinite from 0
  if (!(std::abs(d.change) > threshold_of(before, options))) return {};
  if (way != Worse::Neither) d.verdict = (b > a) == (way == Worse::More) ? Verdict::Worse : Verdict::Better;
  return d;
}

void compare_rows(const Row& before, const Row& after, const CompareOptions& options, Comparison& out) {
  ++out.rows;
  if (before.refused != after.refused) {
    Difference d = difference(before, {"refused", "", "", Provenance::Input, ""});
    d.before = before.refused.empty() ? "ran" : before.refused;
    d.after = after.refused.empty() ? "runs" : after.refused;
    if (before.refused.empty()) d.verdict = Verdict::Worse;
    if (after.refused.empty()) d.verdict = Verdict::Better;
    out.differences.push_back(std::move(d));
    if (before.refused.empty() || after.refused.empty()) return;  // the one has nothing to compare
  }
  const bool same = same_runs(before, after);
  for (const Value& value : before.values) {
    if (!wanted(value, options)) continue;
    if (const Value* now = same_value(after, value)) {
      ++out.values;
      if ((same && from_time(value)) || (of_runs(value) && options.metrics.empty())) continue;
      if (auto d = changed(before, value, *now, options)) out.differences.push_back(std::move(*d));
    } else if (way_of(value) != Worse::Neither) {
      Difference d = difference(before, value);
      d.before = value.text();
      d.verdict = Verdict::Missing;
      out.differences.push_back(std::move(d));
    }
  }
  for (const Value& value : after.values) {
    if (!wanted(value, options) || way_of(value) == Worse::Neither || same_value(before, value)) continue;
    Difference d = difference(before, value);
    d.after = value.text();
    d.verdict = Verdict::New;
    out.differences.push_back(std::move(d));
  }
}

using RowsByAxes = std::map<Axes, const Row*>;

RowsByAxes by_axes(const Table& table, const char* which, Diagnostics& wrong) {
  RowsByAxes rows;
  for (const Row& row : table.rows)
    if (!rows.emplace(row.axes, &row).second)
      wrong.push_back(error(fmt::format("the {} table has two rows {}", which, describe_row(row))));
  return rows;
}

/// A metric that is named must be somewhere, also one to leave out: it may be misspelt.
void check_metrics(const Table& before, const Table& after, const CompareOptions& options,
                   Diagnostics& wrong) {
  std::vector<std::string> known, asked = options.metrics;
  for (const Table* table : {&before, &after})
    for (const Row& row : table->rows)
      for (const Value& value : row.values)
        if (std::find(known.begin(), known.end(), value.tag) == known.end()) known.push_back(value.tag);
  asked.insert(asked.end(), options.ignored.begin(), options.ignored.end());
  for (const auto& [tag, threshold] : options.of_metric) asked.push_back(tag);
  for (const std::string& tag : asked) {
    if (std::find(known.begin(), known.end(), tag) != known.end()) continue;
    const std::string near = nearest(tag, known);
    wrong.push_back(error(fmt::format("no row has a metric '{}'", printable(tag)),
                          near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
  }
}

}  // namespace

Worse worse_way(std::string_view tag) {
  for (const Way& way : kWays)
    if (fits(tag, way.pattern)) return way.worse;
  return Worse::Neither;
}

std::string_view name(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"worse", "missing", "better", "changed", "new"};
  return kNames[static_cast<int>(verdict)];
}

size_t Comparison::count(Verdict verdict) const {
  return static_cast<size_t>(std::count_if(differences.begin(), differences.end(),
                                           [&](const Difference& d) { return d.verdict == verdict; }));
}

bool Comparison::worse() const {
  return count(Verdict::Worse) + count(Verdict::Missing) + missing_rows.size() > 0;
}

std::string describe_row(const Row& row) {
  std::string text = row[Axis::Kernel];
  std::vector<Axis> order;  // sizes and shapes first, then where it ran
  for (const Axis axis : axes_of({"", {row}, {}}))
    if (axis != Axis::Study && axis != Axis::Kernel && axis != Axis::Gpu && axis != Axis::Device)
      order.push_back(axis);
  order.insert(order.end(), {Axis::Gpu, Axis::Device});
  for (const Axis axis : order)
    if (!row[axis].empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name(axis), row[axis]);
  if (!row[Axis::Study].empty()) text += fmt::format(" of {}", row[Axis::Study]);
  return printable(text);
}

void number_equal_launches(Table& table) {
  std::map<Axes, int> seen;
  for (Row& row : table.rows) {
    if (std::none_of(row.values.begin(), row.values.end(), is_identity)) continue;
    if (const int nth = ++seen[row.axes]; nth > 1) row[axis_named("nth")] = fmt::format("{}", nth);
  }
}

Result<Comparison> compare(const Table& before, const Table& after, const CompareOptions& options) {
  Diagnostics wrong;
  const RowsByAxes old_rows = by_axes(before, "first", wrong), new_rows = by_axes(after, "second", wrong);
  check_metrics(before, after, options, wrong);
  if (!wrong.empty()) return wrong;
  Comparison out;
  for (const Row& row : before.rows) {
    const auto now = new_rows.find(row.axes);
    if (now == new_rows.end())
      out.missing_rows.push_back(describe_row(row));
    else
      compare_rows(row, *now->second, options, out);
  }
  for (const Row& row : after.rows)
    if (!old_rows.count(row.axes)) out.new_rows.push_back(describe_row(row));
  std::stable_sort(out.differences.begin(), out.differences.end(),
                   [](const Difference& a, const Difference& b) { return a.verdict < b.verdict; });
  return out;
}

}  // namespace ww::report
