#include "report/default_plots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/axes.h"
#include "report/metrics.h"
#include "report/number.h"

namespace ww::report {
namespace {

constexpr size_t kMostPlots = 10;
constexpr size_t kFewest = 3;     ///< different values that make a line worth drawing
constexpr size_t kMostLines = 8;  ///< of a plot: more lie over each other and share colours
constexpr double kLogSpan = 30;   ///< largest over smallest, from which a logarithmic scale reads better
/// Where axes have equally many values, these come first, in this order.
constexpr Axis kFirst[] = {Axis("n"), Axis("k"), Axis("r"), Axis::Block};
/// Two axes that are one thing where both vary: results of a thread, across and down.
constexpr Axis kAcross("rx"), kDown("ry");

struct XAxis {
  Quantity name;
  std::vector<double> values;  ///< different ones, ascending

  double span() const { return values.front() > 0 ? values.back() / values.front() : 0; }
};

/// The axis as a number; NaN where the row has none or it is a word.
double number_of(const Row& row, Axis axis) {
  auto number = parse_number(row[axis]);
  return number ? Value{.value = *number}.number() : std::nan("");
}

template <class NumberOf>
XAxis axis_with(const Table& table, Quantity name, NumberOf number) {
  std::set<double> values;
  for (const Row& row : table.rows)
    if (double v = number(row); std::isfinite(v)) values.insert(v);
  return {std::move(name), {values.begin(), values.end()}};
}

/// Numeric axes with enough values, the richest first.
std::vector<XAxis> x_axes(const Table& table) {
  std::vector<XAxis> found;
  XAxis rx, ry;
  std::vector<Axis> axes(std::begin(kFirst), std::end(kFirst));
  for (const Axis axis : axes_of(table))
    if (axis != Axis::Study && axis != Axis::Kernel && axis != Axis::Gpu && axis != Axis::Device &&
        std::find(axes.begin(), axes.end(), axis) == axes.end())
      axes.push_back(axis);
  for (const Axis axis : axes) {
    XAxis x = axis_with(table, Quantity(name(axis)), [&](const Row& row) { return number_of(row, axis); });
    if (axis == kAcross)
      rx = std::move(x);
    else if (axis == kDown)
      ry = std::move(x);
    else if (x.values.size() >= kFewest)
      found.push_back(std::move(x));
  }
  if (rx.values.size() > 1 && ry.values.size() > 1)
    found.push_back(axis_with(
        table, "rx*ry", [](const Row& row) { return number_of(row, kAcross) * number_of(row, kDown); }));
  else if (rx.values.size() >= kFewest)
    found.push_back(std::move(rx));
  else if (ry.values.size() >= kFewest)
    found.push_back(std::move(ry));
  std::stable_sort(found.begin(), found.end(),
                   [](const XAxis& a, const XAxis& b) { return a.values.size() > b.values.size(); });
  return found;
}

/// Smallest and largest finite value of a metric; nothing when it is the same everywhere, or only words.
bool varies(const Table& table, const std::string& tag, double& smallest, double& largest) {
  smallest = INFINITY, largest = -INFINITY;
  for (const Row& row : table.rows)
    for (const Value& v : row.values)
      if (double number = v.number(); v.tag == tag && std::isfinite(number)) {
        smallest = std::min(smallest, number);
        largest = std::max(largest, number);
      }
  return largest > smallest;
}

/// Whether the axis has more than one value, "no such axis" aside.
bool several(const Table& table, Axis axis) {
  std::set<std::string_view> values;
  for (const Row& row : table.rows)
    if (!row[axis].empty()) values.insert(row[axis]);
  return values.size() > 1;
}

/// Different values of these axes together.
size_t combinations(const Table& table, const std::vector<Axis>& axes) {
  std::set<std::vector<std::string_view>> found;
  for (const Row& row : table.rows) {
    std::vector<std::string_view> values;
    for (const Axis axis : axes) values.push_back(row[axis]);
    found.insert(std::move(values));
  }
  return found.size();
}

}  // namespace

std::vector<std::string> line_axes(const Table& table, const Quantity& x) {
  std::vector<Axis> open;
  for (const Axis axis : axes_of(table)) {
    const bool along = x == name(axis) || (x == "rx*ry" && (axis == kAcross || axis == kDown));
    if (axis != Axis::Study && axis != Axis::Device && axis != Axis::Kernel && !along && several(table, axis))
      open.push_back(axis);
  }
  std::stable_sort(open.begin(), open.end(),
                   [&](Axis a, Axis b) { return combinations(table, {a}) < combinations(table, {b}); });
  std::vector<Axis> taken;
  if (x != name(Axis::Kernel) && several(table, Axis::Kernel)) taken.push_back(Axis::Kernel);
  std::vector<Axis> along = {kAcross, kDown};
  if (x != "rx*ry") along = {axis_named(x)};
  const auto with = [](std::vector<Axis> axes, const std::vector<Axis>& more) {
    axes.insert(axes.end(), more.begin(), more.end());
    return axes;
  };
  for (const Axis axis : open) {
    const std::vector<Axis> more = with(taken, {axis});
    // An axis that the place along x and the other axes determine would cut each line to pieces.
    const bool tells = combinations(table, with(more, along)) > combinations(table, with(taken, along));
    if (tells && combinations(table, more) <= kMostLines) taken = more;
  }
  std::vector<std::string> names;
  for (const Axis axis : taken) names.emplace_back(name(axis));
  return names;
}

std::vector<Plot> default_plots(const Table& table, const std::vector<std::string>& headline) {
  const std::vector<XAxis> axes = x_axes(table);
  std::vector<Plot> plots;
  std::set<std::string> taken;
  for (const auto& text : headline) {
    const std::string tag = chosen_metric(table, text);
    double smallest, largest;
    if (tag.empty() || !taken.insert(tag).second || !varies(table, tag, smallest, largest)) continue;
    Plot plot;
    plot.y = {tag};
    plot.log_y = smallest > 0 && largest / smallest >= kLogSpan;
    if (axes.empty()) {
      // Nothing to go along: bars, for each GPU or else each kernel.
      plot.x = several(table, Axis::Gpu) ? "gpu" : "kernel";
      if (plot.x == "kernel" && !several(table, Axis::Kernel)) continue;
      plot.series = line_axes(table, plot.x);
      plots.push_back(plot);
    }
    for (const XAxis& x : axes) {
      plot.x = x.name;
      plot.series = line_axes(table, x.name);
      plot.log_x = x.span() >= kLogSpan;
      plots.push_back(plot);
    }
  }
  if (plots.size() > kMostPlots) plots.resize(kMostPlots);
  return plots;
}

}  // namespace ww::report
