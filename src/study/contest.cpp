#include "study/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "kernels/axes.h"

namespace ww::study {

namespace {

double axis_number(const Row& row, Axis axis) { return row[axis].empty() ? 0 : std::atof(row[axis].c_str()); }

bool takes_part(const Row& row, Provenance provenance) {
  if (row[Axis::Device] == "host") return false;
  if (provenance == Provenance::Modelled && !modelled_whole(row)) return false;
  return provenance != Provenance::Measured || row[Axis::Device] != "engine";
}

/// "rows = 640, depth = 32": what a study's own axes say of the problem; n and r are told apart anyway.
std::string own_problem(const Table& table, const Row& row) {
  std::string text;
  for (const AxisInfo& info : table.axes) {
    const Axis axis = axis_named(info.name);
    if (!info.problem || axis == lab::N || axis == lab::R || row[axis].empty()) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", info.label.empty() ? info.name : info.label,
                        row[axis]);
  }
  return text;
}

std::string word_of(const Row& row, const char* tag) {
  const Value* v = row.find(tag);
  return v ? v->text() : "";
}

/// Whether they stand in one study of own kernels, but nothing says whether they compute the same.
bool unknown_relation(const Row& a, const Row& b) {
  return word_of(a, "problem") != word_of(b, "problem") &&
         (word_of(a, "problem_by") == "arrays" || word_of(b, "problem_by") == "arrays");
}

void sort_best_first(const Table& table, Contest& c) {
  std::stable_sort(c.rows.begin(), c.rows.end(), [&](size_t a, size_t b) {
    const double x = figure(table.rows[a], c.tag, c.provenance)->number();
    const double y = figure(table.rows[b], c.tag, c.provenance)->number();
    return c.larger_is_better ? x > y : x < y;
  });
}

}  // namespace

bool modelled_whole(const Row& row) { return row.find("not_modelled") == nullptr; }

const Value* figure(const Row& row, const std::string& tag, Provenance provenance) {
  for (const Value& v : row.values)
    if (v.tag == tag && v.provenance == provenance && std::isfinite(v.number())) return &v;
  return nullptr;
}

const Value& score(const Table& table, const Contest& c, size_t row) {
  return *figure(table.rows[row], c.tag, c.provenance);
}

std::vector<Contest> all_contests(const Table& table, const std::string& tag, Provenance provenance,
                                  bool larger_is_better) {
  std::vector<std::string> gpus;  // in the order of the table
  std::map<std::tuple<size_t, std::string, double, double>, Contest> problems;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (!takes_part(row, provenance) || !figure(row, tag, provenance)) continue;
    const std::string own = own_problem(table, row);
    std::string problem = word_of(row, "problem");
    problem += (problem.empty() || own.empty() ? "" : ", ") + own;
    const auto gpu = std::find(gpus.begin(), gpus.end(), row[Axis::Gpu]);
    const auto place = static_cast<size_t>(gpu - gpus.begin());
    if (gpu == gpus.end()) gpus.push_back(row[Axis::Gpu]);
    auto& contest = problems[{place, problem, axis_number(row, lab::R), axis_number(row, lab::N)}];
    if (contest.rows.empty())
      contest = {row[Axis::Gpu],   row[lab::N], row[lab::R], tag, provenance,
                 larger_is_better, {},          problem,     own};
    contest.rows.push_back(i);
  }
  std::vector<Contest> found;
  for (auto& [key, contest] : problems) {
    if (contest.rows.size() < 2) continue;
    sort_best_first(table, contest);
    found.push_back(std::move(contest));
  }
  return found;
}

std::vector<Contest> contests(const Table& table, const std::string& tag, Provenance provenance,
                              bool larger_is_better) {
  std::vector<Contest> found;
  const auto rank = [](const Contest& c) {
    return std::tuple(c.rows.size(), std::atof(c.n.c_str()), std::atof(c.r.c_str()));
  };
  for (Contest& contest : all_contests(table, tag, provenance, larger_is_better)) {
    if (found.empty() || found.back().gpu != contest.gpu)
      found.push_back(std::move(contest));
    else if (rank(contest) >= rank(found.back()))
      found.back() = std::move(contest);
  }
  return found;
}

namespace {

/// Whether its rows did other amounts of arithmetic: a rate then praises the one that computes something
/// twice.
bool work_differs(const Table& table, const Contest& c) {
  constexpr double kSame = 1.01;
  double least = INFINITY, most = 0;
  for (size_t row : c.rows) {
    const Value* work = table.rows[row].find("flop");
    if (!work) continue;
    least = std::min(least, work->number()), most = std::max(most, work->number());
  }
  return most > least * kSame;
}

}  // namespace

std::vector<Contest> main_contests(const Table& table, Provenance provenance) {
  const bool several = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const Row& row) { return row.find("problem") != nullptr; });
  // Where a table holds several problems, arithmetic is not what they are about.
  std::vector<Contest> found;
  if (!several) found = contests(table, "gflops", provenance, true);
  // Kernels that move data have a rate of 0: there is nothing in it.
  std::erase_if(found, [&](const Contest& c) { return score(table, c, c.rows[0]).number() <= 0; });
  const bool same =
      std::none_of(found.begin(), found.end(), [&](const Contest& c) { return work_differs(table, c); });
  if (found.empty() || !same)
    if (auto by_time = contests(table, "time", provenance, false); !by_time.empty()) return by_time;
  return found;
}

std::vector<size_t> unrelated(const Table& table, const Contest& c) {
  const Row& best = table.rows[c.rows[0]];
  Contest beside = c;
  beside.rows.clear();
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (takes_part(row, c.provenance) && figure(row, c.tag, c.provenance) && row[Axis::Gpu] == c.gpu &&
        row[lab::N] == c.n && row[lab::R] == c.r && own_problem(table, row) == c.own &&
        unknown_relation(row, best))
      beside.rows.push_back(i);
  }
  sort_best_first(table, beside);
  std::vector<size_t> out;
  std::set<std::string> known;
  for (size_t i : beside.rows)
    if (known.insert(word_of(table.rows[i], "problem")).second) out.push_back(i);
  return out;
}

std::optional<Contest> contest_of_one(const Table& table, Provenance provenance) {
  std::optional<Contest> found;
  const auto size_of = [](const Row& row) {
    return std::pair(axis_number(row, lab::N), axis_number(row, lab::R));
  };
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (!takes_part(row, provenance) || !figure(row, "time", provenance)) continue;
    if (found && size_of(row) <= size_of(table.rows[found->rows[0]])) continue;
    const std::string own = own_problem(table, row);
    found = {row[Axis::Gpu], row[lab::N], row[lab::R], "time", provenance, false, {i}, own, own};
  }
  if (!found) return found;
  const std::vector<size_t> others = unrelated(table, *found);
  if (!others.empty() && times_better(*found, table, others[0], found->rows[0]).value_or(0) > 1)
    found->rows[0] = others[0];
  return found;
}

std::optional<Contest> contest_of_gpus(const Table& table, const std::string& tag, Provenance provenance,
                                       bool larger_is_better) {
  std::map<std::string, std::vector<size_t>> configurations;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (row[Axis::Gpu].empty() || !takes_part(row, provenance) || !figure(row, tag, provenance)) continue;
    std::string key;
    for (Axis axis : {Axis::Kernel, lab::N, Axis::Block, lab::Rx, lab::Ry, lab::R, lab::K})
      key += row[axis] + '\n';
    for (const AxisInfo& axis : table.axes) key += row[axis_named(axis.name)] + '\n';
    auto& rows = configurations[key];
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](size_t j) { return table.rows[j][Axis::Gpu] == row[Axis::Gpu]; });
    if (!known) rows.push_back(i);
  }
  std::optional<Contest> best;
  for (auto& [key, rows] : configurations) {
    if (rows.size() < 2) continue;
    const Row& row = table.rows[rows[0]];
    const auto rank = [](size_t count, const std::string& n) {
      return std::pair(count, std::atof(n.c_str()));
    };
    if (best && rank(rows.size(), row[lab::N]) <= rank(best->rows.size(), best->n)) continue;
    best = Contest{"", row[lab::N], row[lab::R], tag, provenance, larger_is_better, std::move(rows), "", ""};
  }
  if (best) sort_best_first(table, *best);
  return best;
}

bool same_winner(const Table& table, const Contest& a, const Contest& b) {
  const Row &x = table.rows[a.rows[0]], &y = table.rows[b.rows[0]];
  for (Axis axis : {Axis::Kernel, Axis::Device, Axis::Block, lab::Rx, lab::Ry, lab::K})
    if (x[axis] != y[axis]) return false;
  for (const AxisInfo& axis : table.axes)
    if (!axis.problem && x[axis_named(axis.name)] != y[axis_named(axis.name)]) return false;
  return true;
}

std::optional<double> times_better(const Contest& contest, const Table& table, size_t row, size_t other) {
  double a = figure(table.rows[row], contest.tag, contest.provenance)->number();
  double b = figure(table.rows[other], contest.tag, contest.provenance)->number();
  if (!contest.larger_is_better) std::swap(a, b);
  if (b <= 0 || a <= 0) return {};
  return a / b;
}

Value ratio(const Contest& c, const Table& table, size_t row, size_t other) {
  const auto lacks = [&](size_t i) { return table.rows[i].find("missing_figures") != nullptr; };
  const Value plain = derived(times_better(c, table, row, other).value_or(1), "", c.provenance);
  if (c.provenance != Provenance::Modelled || !(lacks(row) || lacks(other))) return plain;
  const Span a = span_of(table, c, row), b = span_of(table, c, other);
  if (a.low == a.high && b.low == b.high) return plain;  // no bands
  Value least =
      derived(std::max(1.0, c.larger_is_better ? a.low / b.high : b.low / a.high), "", c.provenance);
  least.description = "at least";
  return least;
}

Order order_of(const Row& row) {
  return !row[lab::Rx].empty() ? Order::Results : !row[lab::K].empty() ? Order::K : Order::Block;
}

double place_of(const Row& row) {
  switch (order_of(row)) {
    case Order::Results:
      return axis_number(row, lab::Rx) * std::max(1.0, axis_number(row, lab::Ry));
    case Order::K:
      return axis_number(row, lab::K);
    case Order::Block:
      return axis_number(row, Axis::Block);
  }
  return 0;
}

Span span_of(const Table& table, const Contest& c, size_t row) {
  const double v = score(table, c, row).number();
  const bool measured = c.provenance == Provenance::Measured;
  if (!measured && c.provenance != Provenance::Modelled) return {v, v};
  const Row& r = table.rows[row];
  const Value *time = figure(r, "time", c.provenance),
              *low = figure(r, measured ? "time_p25" : "time_low", c.provenance),
              *high = figure(r, measured ? "time_p75" : "time_high", c.provenance);
  if (!time || !low || !high || time->number() <= 0 || low->number() <= 0) return {v, v};
  if (time->unit != low->unit) return {v, v};
  if (c.tag == "time") return {low->number(), high->number()};
  return {v * time->number() / high->number(), v * time->number() / low->number()};
}

std::optional<std::pair<Value, Value>> ends_of_span(const Table& table, const Contest& c, size_t row) {
  const Span span = span_of(table, c, row);
  if (span.low == span.high) return {};
  const Value& of = score(table, c, row);
  const auto end = [&](double v) { return Value{of.tag, v, of.unit, of.provenance, of.description}; };
  return std::pair(end(span.low), end(span.high));
}

std::string side_of_band(const Row& row) {
  const Value *time = figure(row, "time", Provenance::Modelled),
              *low = figure(row, "time_low", Provenance::Modelled),
              *high = figure(row, "time_high", Provenance::Modelled);
  if (!time || !low || !high) return "";
  return time->number() < low->number() ? ".short" : time->number() > high->number() ? ".long" : "";
}

bool told_apart(const Table& table, const Contest& c, size_t row, size_t other) {
  const Span a = span_of(table, c, row), b = span_of(table, c, other);
  return a.high < b.low || b.high < a.low;
}

double rounded(double v) {
  if (v == 0 || !std::isfinite(v)) return v;
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(v))) - 2);
  // Below one the step is no double: divide by its inverse, so that 0.1234 becomes 0.123 and not
  // 0.12300000000000001.
  return step >= 1 ? std::round(v / step) * step
                   : std::round(v * std::round(1 / step)) / std::round(1 / step);
}

Value derived(double v, std::string unit, Provenance provenance) {
  return {"", rounded(v), std::move(unit), provenance, ""};
}

}  // namespace ww::study
