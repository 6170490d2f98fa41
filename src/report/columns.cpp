#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "base/words.h"
#include "report/axes.h"
#include "report/number.h"
#include "report/provenance.h"

namespace ww::report {
namespace {

constexpr std::string_view kNothing = "-";

// Modelled and measured must not be taken for each other, hence H and not M.
char letter(Provenance provenance) { return "ipcTmH"[static_cast<int>(provenance)]; }

std::string meaning(Provenance provenance) {
  std::string_view more = provenance == Provenance::Measured ? " on hardware" : "";
  return fmt::format("{} {}{}", letter(provenance), name(provenance), more);
}

// Where a number's fraction or exponent begins.
size_t point(std::string_view text) { return std::min(text.find_first_of(".e"), text.size()); }

/// Pads numbers so that their decimal points are below each other.
void align_points(std::vector<std::string>& cells, const std::vector<bool>& numeric) {
  size_t before = 0, after = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!numeric[i]) continue;
    before = std::max(before, point(cells[i]));
    after = std::max(after, cells[i].size() - point(cells[i]));
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string& cell = cells[i];
    bool number = numeric[i] || cell == kNothing;
    if (!number) continue;
    size_t left = before - std::min(before, point(cell));
    size_t right = after - std::min(after, cell.size() - point(cell));
    cell = std::string(left, ' ') + cell + std::string(right, ' ');
  }
}

/// Columns of the longest part that wrap() keeps together.
size_t longest_word(std::string_view head) {
  size_t longest = 0;
  while (!head.empty()) {
    size_t end = std::min(head.find_first_of(" _/,"), head.size());
    bool blank = end == head.size() || head[end] == ' ';
    longest = std::max(longest, columns(head.substr(0, end)) + (blank ? 0 : 1));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return longest;
}

void finish(Column& column, const std::vector<bool>& numeric) {
  column.right = std::find(numeric.begin(), numeric.end(), true) != numeric.end();
  if (column.right) align_points(column.cells, numeric);
  column.folded = std::max(longest_word(column.head), columns(column.unit));
  for (size_t i = 0; i < numeric.size(); ++i) {
    size_t width = columns(column.cells[i]);
    column.folded = std::max(column.folded, width);
    if (numeric[i]) column.least = std::max(column.least, width);
  }
  column.widest = std::max(column.folded, columns(column.head));
}

void add_axes(const Table& table, Columns& out) {
  const auto& rows = table.rows;
  if (rows.empty()) return;
  for (const Axis a : axes_of(table)) {
    bool varies = std::any_of(rows.begin(), rows.end(), [&](auto& r) { return r[a] != rows[0][a]; });
    std::string head(name(a));
    if (!varies) {
      if (!rows[0][a].empty()) out.shared.push_back(head + " " + printable(rows[0][a]));
      continue;
    }
    Column& column = out.axes.emplace_back();
    column.head = std::move(head);
    // An axis is a number only if it is one everywhere: block sides 8 and 8x16 are names.
    bool number = std::all_of(rows.begin(), rows.end(),
                              [&](auto& r) { return r[a].empty() || looks_like_number(r[a]); });
    std::vector<bool> numeric;
    for (const auto& row : rows) {
      numeric.push_back(number && !row[a].empty());
      column.cells.push_back(row[a].empty() ? std::string(kNothing) : printable(row[a]));
    }
    finish(column, numeric);
  }
}

using Sizes = std::map<std::pair<std::string, std::string>, double>;  // by tag and unit

Value times_of(Value v, double factor) {
  if (!std::holds_alternative<std::string>(v.value)) v.value = v.number() * factor;
  return v;
}

void add_metrics(const Table& table, Columns& out) {
  // A row may hold a metric twice: the second one is a column of its own, nothing is lost.
  using Key = std::tuple<std::string, std::string, Provenance, int>;
  std::map<Key, size_t> known;
  std::vector<std::vector<bool>> numeric;
  std::vector<double> factors;  // of the column's numbers, in its unit for people
  bool seen[std::size(kProvenances)] = {};
  std::map<Key, int> times;
  // One unit for all columns of a tag and for a time's band, so that they can be compared.
  Sizes sizes;
  const auto size_key = [](const Value& v) {
    for (const char* end : {"time_low", "time_high", "time_p25", "time_p75"})
      if (v.tag == end) return std::pair(std::string("time"), v.unit);
    return std::pair(v.tag, v.unit);
  };
  for (const Row& row : table.rows)
    for (const Value& v : row.values)
      if (double size = std::abs(v.number()); std::isfinite(size)) {
        double& most = sizes[size_key(v)];
        most = std::max(most, size);
      }
  // A table that only tells what was read, a comparison or a list, has no origins to tell apart.
  const bool origins = std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) {
    return std::any_of(row.values.begin(), row.values.end(),
                       [](const Value& v) { return v.provenance != Provenance::Input; });
  });
  for (size_t r = 0; r < table.rows.size(); ++r) {
    times.clear();
    for (const auto& value : table.rows[r].values) {
      Key key{value.tag, value.unit, value.provenance, 0};
      std::get<3>(key) = times[key]++;
      auto [place, is_new] = known.try_emplace(std::move(key), out.metrics.size());
      if (is_new) {
        Column& column = out.metrics.emplace_back();
        column.head = printable(value.tag);
        if (origins) column.head += fmt::format(" {}", letter(value.provenance));
        const ReadableUnit unit = readable_unit(value.unit, sizes[size_key(value)]);
        column.unit = printable(unit.unit);
        factors.push_back(unit.factor);
        column.cells.assign(table.rows.size(), std::string(kNothing));
        numeric.emplace_back(table.rows.size(), false);
        seen[static_cast<int>(value.provenance)] = origins;
      }
      const double factor = factors[place->second];
      out.metrics[place->second].cells[r] =
          printable(factor == 1 ? short_text(value) : short_text(times_of(value, factor)));
      numeric[place->second][r] = !std::holds_alternative<std::string>(value.value);
    }
  }
  for (size_t i = 0; i < out.metrics.size(); ++i) finish(out.metrics[i], numeric[i]);
  for (Provenance p : kProvenances)
    if (seen[static_cast<int>(p)]) out.legend.push_back(meaning(p));
}

}  // namespace

Columns columns_of(const Table& table) {
  Columns out;
  add_axes(table, out);
  add_metrics(table, out);
  return out;
}

void shorten_kernels(Columns& columns) {
  for (Column& axis : columns.axes) {
    if (axis.head != name(Axis::Kernel)) continue;
    std::string folder = axis.cells[0].substr(0, axis.cells[0].find('/') + 1);
    auto inside = [&](const std::string& cell) {
      return cell.starts_with(folder) && cell.size() > folder.size();
    };
    if (folder.empty() || !std::all_of(axis.cells.begin(), axis.cells.end(), inside)) return;
    for (auto& cell : axis.cells) cell.erase(0, folder.size());
    columns.shared.push_back(fmt::format("kernels of {}", folder));
    finish(axis, std::vector<bool>(axis.cells.size(), false));
  }
}

}  // namespace ww::report
