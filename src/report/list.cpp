#include "report/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/words.h"
#include "report/axes.h"
#include "report/number.h"

namespace ww::report {

namespace {

struct Line {
  std::string tag, number, unit, more;
};

std::string line_of(const std::vector<Axis>& axes, const Row& row) {
  std::string out;
  for (const Axis a : axes)
    if (!row[a].empty()) out += fmt::format("{}{} {}", out.empty() ? "" : "   ", name(a), printable(row[a]));
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string render_list(const Table& table) {
  std::string out = table.title.empty() ? "" : printable(table.title) + "\n";
  const std::vector<Axis> axes = axes_of(table);
  for (const Row& row : table.rows) {
    out += line_of(axes, row);
    if (!row.refused.empty()) out += fmt::format("refused: {}\n", printable(row.refused));
    std::vector<Line> lines;
    size_t tag = 0, number = 0, unit = 0;
    std::map<std::string, double> sizes;  // times of one unit share the one that the largest reads best in
    for (const Value& v : row.values)
      if (std::holds_alternative<double>(v.value) && std::isfinite(v.number()))
        sizes[v.unit] = std::max(sizes[v.unit], std::abs(v.number()));
    for (const Value& v : row.values) {
      Value shown = v;
      if (auto* real = std::get_if<double>(&shown.value); real && !v.unit.empty()) {
        constexpr double kLeast = 1e-3;  // less in the shared unit is zeros: it has its own
        ReadableUnit readable = readable_unit(v.unit, sizes[v.unit]);
        const double size = std::abs(*real);
        if (size > 0 && size * readable.factor < kLeast) readable = readable_unit(v.unit, size);
        *real *= readable.factor;
        shown.unit = readable.unit;
      }
      const Line& line =
          lines.emplace_back(Line{printable(v.tag), printable(short_text(shown)), printable(shown.unit),
                                  fmt::format("{}: {}", name(v.provenance), printable(v.description))});
      tag = std::max(tag, columns(line.tag));
      number = std::max(number, columns(line.number));
      unit = std::max(unit, columns(line.unit));
    }
    for (const Line& l : lines)
      out += fmt::format("  {:<{}}  {:>{}} {:<{}}  {}\n", l.tag, tag, l.number, number, l.unit, unit, l.more);
  }
  for (const auto& note : table.notes) out += printable(note) + "\n";
  return out;
}

}  // namespace ww::report
