#include "study/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "kernels/axes.h"
#include "study/tune_search.h"

namespace ww::study {

namespace {

const std::vector<std::string> kFamilies = {"matmul", "aat", "box_sum", "sum"};

bool on_one_gpu(const kernels::Case& kernel) {
  return !kernel.on_host() && !kernel.needs_gpu && kernel.name != "matmul/multi";
}

/// "matmul/tiles block 16 rx 4 ry 4".
std::string configuration(const Row& row) {
  std::string text = row[Axis::Kernel];
  for (const Axis axis : {Axis::Block, lab::Rx, lab::Ry, lab::K})
    if (!row[axis].empty()) text += fmt::format(" {} {}", axis.name(), row[axis]);
  return text;
}

std::string time_text(double ms) {
  return ms >= 1      ? fmt::format("{:.3g} ms", ms)
         : ms >= 1e-3 ? fmt::format("{:.3g} µs", ms * 1e3)
                      : fmt::format("{:.3g} ns", ms * 1e6);
}

double predicted(const Table& table, const Tuned& tuned, size_t at) {
  return score(table, tuned.ranking, tuned.ranking.rows[at]).number();
}

/// What takes no part, by its reason.
void say_what_is_left_out(const Table& predictions, Table& out) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Row& row : predictions.rows) {
    std::string why = row.refused;
    if (const Value* missing = row.find("not_modelled"); why.empty() && missing)
      why = "not ranked, as the model leaves out " + missing->text();
    if (why.empty()) continue;
    auto& kernels = by_reason[why];
    if (std::find(kernels.begin(), kernels.end(), row[Axis::Kernel]) == kernels.end())
      kernels.push_back(row[Axis::Kernel]);
  }
  for (const auto& [why, kernels] : by_reason)
    out.notes.push_back(fmt::format("{}: {}.", fmt::join(kernels, ", "), why));
  const auto hopeless = std::count_if(predictions.rows.begin(), predictions.rows.end(), is_hopeless);
  if (hopeless > 0)
    out.notes.push_back(
        fmt::format("{} more were not predicted closely, as very small sizes say that they take more than {} "
                    "times as long as the best.",
                    hopeless, kHopeless));
}

void say_what_is_best(const Table& predictions, const Tuned& tuned, Table& out) {
  const Contest& ranking = tuned.ranking;
  const Row& first = predictions.rows[ranking.rows[0]];
  const std::string where =
      fmt::format("n = {}{} on {}{}", ranking.n, ranking.r.empty() ? "" : ", r = " + ranking.r, ranking.gpu,
                  ranking.problem.empty() ? "" : fmt::format(" ({})", ranking.problem));
  const Span band = span_of(predictions, ranking, ranking.rows[0]);
  out.notes.push_back(
      fmt::format("By the model {} is the best of {} configurations for {}: {}, and eight of ten such "
                  "predictions took {} to {}.",
                  configuration(first), tuned.ranked, where, time_text(predicted(predictions, tuned, 0)),
                  time_text(band.low), time_text(band.high)));
  if (const size_t alike = as_good_as_first(predictions, tuned); alike > 1)
    out.notes.push_back(
        fmt::format("The model cannot tell it from the next {}: their bands overlap.", alike - 1));
  const auto loss = tuned.loss();
  if (tuned.measured.empty()) {
    out.notes.push_back("Nothing was measured: that needs the GPU itself.");
  } else if (!loss) {
    out.notes.push_back("What was measured does not say how good the model's pick is: its own run failed.");
  } else {
    const size_t best = tuned.best();
    const auto count = std::count_if(tuned.measured.begin(), tuned.measured.end(),
                                     [](const auto& time) { return time.has_value(); });
    if (best == 0) {
      out.notes.push_back(fmt::format("Measured, it is the best of the {} that were run.", count));
      return;
    }
    const std::string place = best < tuned.ranked ? fmt::format("ranked it number {}", best + 1)
                              : is_hopeless(predictions.rows[ranking.rows[best]])
                                  ? "thought it too slow to look at closely"
                                  : "does not rank it";
    out.notes.push_back(
        fmt::format("Measured, {} is the best of the {} that were run: {}. The model's pick takes {:.2f} "
                    "times as long; the model {}.",
                    configuration(predictions.rows[ranking.rows[best]]), count,
                    time_text(*tuned.measured[best]), *loss, place));
  }
}

}  // namespace

std::vector<std::string> tuned_families() { return kFamilies; }

Result<Study> everything_of(const std::string& family, int64_t n, int r) {
  if (std::find(kFamilies.begin(), kFamilies.end(), family) == kFamilies.end())
    return error(fmt::format("there is no family \"{}\" to tune", family),
                 fmt::format("there are {}", fmt::join(kFamilies, ", ")));
  Study study;
  study.name = "tune-" + family;
  for (const kernels::Case& kernel : kernels::all_cases()) {
    if (!kernel.name.starts_with(family + "/") || !on_one_gpu(kernel)) continue;
    Sweep sweep{kernel.name, kernel.axes.shapes, {n}, {}, kernel.axes.k};
    if (!kernel.axes.r.empty()) sweep.r = {r};
    study.full.push_back(std::move(sweep));
  }
  return study;
}

std::vector<std::string> drop_small_grids(std::vector<Item>& items, int64_t multiprocessors) {
  // The largest launch counts; what cannot be planned says so when it is run.
  const auto blocks_of = [](const Item& item) -> std::optional<int64_t> {
    const auto plan = kernels::make_plan(*item.kernel, item.config);
    if (!plan) return std::nullopt;
    int64_t most = 0;
    for (const auto& launch : plan->launches)
      most = std::max(most, static_cast<int64_t>(launch.grid.count()));
    return most;
  };
  int64_t most = 0;
  for (const Item& item : items) most = std::max(most, blocks_of(item).value_or(0));
  const int64_t least = std::min(most, multiprocessors) / 4;
  std::vector<std::string> dropped;
  std::erase_if(items, [&](const Item& item) {
    const auto blocks = blocks_of(item);
    if (!blocks || *blocks >= least) return false;
    if (std::find(dropped.begin(), dropped.end(), item.kernel->name) == dropped.end())
      dropped.push_back(item.kernel->name);
    return true;
  });
  return dropped;
}

bool take_measured(const Table& predictions, const Table& elsewhere, Tuned& tuned) {
  constexpr Axis kAxes[] = {Axis::Kernel, Axis::Gpu, Axis::Block, lab::N, lab::Rx, lab::Ry, lab::R, lab::K};
  tuned.measured.assign(tuned.ranking.rows.size(), std::nullopt);
  bool any = false;
  for (size_t i = 0; i < tuned.ranking.rows.size(); ++i) {
    const Row& row = predictions.rows[tuned.ranking.rows[i]];
    for (const Row& other : elsewhere.rows) {
      if (!std::all_of(std::begin(kAxes), std::end(kAxes), [&](Axis a) { return row[a] == other[a]; }))
        continue;
      const Value* time = figure(other, "time", Provenance::Measured);
      const Value* verified = other.find("verified");
      if (time && verified && verified->number() == 1) tuned.measured[i] = time->number(), any = true;
    }
  }
  if (!any) tuned.measured.clear();
  return any;
}

size_t Tuned::best() const {
  size_t best = 0;
  for (size_t i = 0; i < measured.size(); ++i)
    if (measured[i] && (!measured[best] || *measured[i] < *measured[best])) best = i;
  return best;
}

std::optional<double> Tuned::loss() const {
  if (measured.empty() || !measured[0]) return std::nullopt;
  return *measured[0] / *measured[best()];
}

std::vector<Tuned> rank_predictions(const Table& predictions) {
  std::vector<Tuned> all;
  for (Contest& contest : all_contests(predictions, "time", Provenance::Modelled, false)) {
    Tuned tuned{std::move(contest), 0, {}};
    tuned.ranked = tuned.ranking.rows.size();
    for (size_t i = 0; i < predictions.rows.size(); ++i) {
      const Row& row = predictions.rows[i];
      if (row.refused.empty() && (!modelled_whole(row) || is_hopeless(row)) &&
          problem_of(row) == tuned.ranking.problem)
        tuned.ranking.rows.push_back(i);
    }
    all.push_back(std::move(tuned));
  }
  return all;
}

size_t as_good_as_first(const Table& predictions, const Tuned& tuned) {
  const auto& rows = tuned.ranking.rows;
  size_t alike = 1;
  while (alike < tuned.ranked && !told_apart(predictions, tuned.ranking, rows[0], rows[alike])) ++alike;
  return alike;
}

Table tuning_table(const Table& predictions, const Tuned& tuned, size_t most) {
  Table out{fmt::format("Tuned for {}", tuned.ranking.gpu), {}, {}, predictions.axes};
  const auto& rows = tuned.ranking.rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool measured = i < tuned.measured.size() && tuned.measured[i];
    const Row& from = predictions.rows[rows[i]];
    if (i != tuned.best() && (i < tuned.ranked ? i >= most : !measured || is_hopeless(from))) continue;
    Row& row = out.rows.emplace_back();
    row.axes = from.axes;
    if (i < tuned.ranked)
      row.values.push_back(
          {"rank", static_cast<int64_t>(i + 1), "", Provenance::Modelled, "place by predicted time"});
    for (const char* tag : {"time", "time_low", "time_high"})
      if (const Value* v = figure(from, tag, Provenance::Modelled)) row.values.push_back(*v);
    if (measured)
      row.values.push_back({"measured_time", *tuned.measured[i], "ms", Provenance::Measured,
                            "median of the launches on the GPU"});
  }
  say_what_is_best(predictions, tuned, out);
  say_what_is_left_out(predictions, out);
  return out;
}

Row kept_row(const Table& predictions, const Tuned& tuned) {
  const size_t best = tuned.best();
  const Row& from = predictions.rows[tuned.ranking.rows[best]];
  Row row;
  row.axes = from.axes;
  if (const Value* problem = from.find("problem")) row.values.push_back(*problem);
  if (best < tuned.measured.size() && tuned.measured[best])
    row.values.push_back(
        {"time", *tuned.measured[best], "ms", Provenance::Measured, "median of the launches on the GPU"});
  else
    row.values.push_back(score(predictions, tuned.ranking, tuned.ranking.rows[best]));
  return row;
}

void keep(Table& known, const Row& row) {
  const auto same = [&](const Row& other) {
    return other[Axis::Study] == row[Axis::Study] && other[Axis::Gpu] == row[Axis::Gpu] &&
           other[lab::N] == row[lab::N] && other[lab::R] == row[lab::R] &&
           problem_of(other) == problem_of(row);
  };
  // A measured best is not given up for a predicted one.
  const auto old = std::find_if(known.rows.begin(), known.rows.end(), same);
  if (old == known.rows.end()) {
    known.rows.push_back(row);
    return;
  }
  const auto measured = [](const Row& r) {
    const Value* v = r.find("time");
    return v && v->provenance == Provenance::Measured;
  };
  if (measured(row) || !measured(*old)) *old = row;
}

}  // namespace ww::study
