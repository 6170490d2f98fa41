#include "cli/explain_tried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "model/explain_lines.h"
#include "model/prediction.h"
#include "watch/padding.h"

namespace ww::cli {

namespace {

constexpr double kGain = 0.02;      // of the time: less is no gain
constexpr size_t kMostShapes = 12;  // that are run

double scaled(double value, uint64_t before, uint64_t after) {
  return before == 0 ? value : value * static_cast<double>(after) / static_cast<double>(before);
}

/// The activity with the shared accesses of the trial's paddings.
model::Activity padded(model::Activity a, const watch::PaddingTrial& t) {
  a.shared_load_wavefronts = scaled(a.shared_load_wavefronts, t.before.loads, t.after.loads);
  a.shared_store_wavefronts = scaled(a.shared_store_wavefronts, t.before.stores, t.after.stores);
  a.shared_conflicts = scaled(a.shared_conflicts, t.before.conflicts, t.after.conflicts);
  a.shared += static_cast<int64_t>(t.more_bytes);
  return a;
}

std::string rows_of(const watch::Padding& p) {
  return fmt::format("rows of {} with {} instead of {} words", p.array, p.columns + p.words, p.columns);
}

std::string sentence(const gpus::Gpu& gpu, const model::Prediction& p, const watch::PaddingTrial& t) {
  if (t.better.empty())
    return fmt::format("Tried: longer rows (by 1 to {} words) of {}. None has fewer bank conflicts.",
                       watch::kMostPadding, fmt::join(t.in_vain, " and "));
  std::vector<std::string> rows;
  for (const watch::Padding& one : t.better) rows.push_back(rows_of(one));
  std::string text = fmt::format(
      "Tried: {}. All shared accesses then take {:.4g} of {:.4g} wavefronts", fmt::join(rows, ", "),
      scaled(p.activity.shared_load_wavefronts, t.before.loads, t.after.loads) +
          scaled(p.activity.shared_store_wavefronts, t.before.stores, t.after.stores),
      p.activity.shared_load_wavefronts + p.activity.shared_store_wavefronts);
  const auto time = model::predict_time(gpu, padded(p.activity, t));
  if (!time) return text + ", but the GPU has not enough shared memory for them.";
  if (time->total > (1 - kGain) * p.time.total)
    return text + fmt::format(", which hardly changes the time ({:.4g} ms).", time->total);
  return text + fmt::format(": {:.4g} ms instead of {:.4g}.", time->total, p.time.total);
}

std::string name_of(const kernels::Shape& s) {
  return s.rx > 0 ? fmt::format("block={} tile={}x{}", s.block, s.rx, s.ry)
                  : fmt::format("block={}", s.block);
}

/// All launches together; nothing if the GPU refuses one.
std::optional<double> total_of(const std::vector<device::LaunchReport>& reports) {
  double ms = 0;
  for (const auto& r : reports) {
    if (r.gpus.empty() || !r.gpus.front().prediction || !r.gpus.front().prediction->refused.empty())
      return {};
    ms += r.gpus.front().prediction->time.total;
  }
  return ms;
}

/// Whether another shape could help: something other than work takes time.
bool wants_other_shape(const std::vector<device::LaunchReport>& reports) {
  double waiting = 0, all = 0;
  for (const auto& r : reports) {
    const model::Time& t = r.gpus.front().prediction->time;
    waiting += t.tail + t.latency + t.barriers;
    all += t.total;
  }
  return waiting >= model::kWorthTelling * all;
}

std::vector<kernels::Shape> neighbours(const kernels::Case& chosen, const kernels::Config& config) {
  const kernels::Shape& own = config.shape;
  std::vector<kernels::Shape> found;
  for (const kernels::Shape& s : chosen.axes.shapes) {
    const bool same_tile = s.rx == own.rx && s.ry == own.ry;
    const bool next_tile = s.block == own.block && std::abs(s.rx - own.rx) + std::abs(s.ry - own.ry) == 1;
    kernels::Config trial = config;
    trial.shape = s;
    if (s != own && (same_tile || next_tile) && kernels::make_plan(chosen, trial)) found.push_back(s);
  }
  // The nearest ones, where there are too many.
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.block - own.block) < std::abs(b.block - own.block);
  });
  if (found.size() > kMostShapes) found.resize(kMostShapes);
  return found;
}

}  // namespace

std::vector<std::vector<std::string>> tried_padding(const kernels::Case& chosen,
                                                    const kernels::Config& config, const gpus::Gpu& gpu,
                                                    const std::vector<device::LaunchReport>& reports,
                                                    const std::atomic<bool>& stop) {
  std::vector<std::vector<std::string>> out(reports.size());
  const auto conflicts = [](const device::LaunchReport& r) {
    const model::Activity& a = r.gpus.front().prediction->activity;
    const double all = a.shared_load_wavefronts + a.shared_store_wavefronts;
    return all > 0 && a.shared_conflicts >= model::kWorthTelling * all;
  };
  if (std::none_of(reports.begin(), reports.end(), conflicts)) return out;
  const auto trials = watch::try_padding(chosen, config, gpu, stop);
  if (!trials || trials->size() != reports.size()) return out;
  for (size_t i = 0; i < reports.size(); ++i) {
    const watch::PaddingTrial& t = (*trials)[i];
    if (!conflicts(reports[i]) || (t.better.empty() && t.in_vain.empty())) continue;
    out[i].push_back(sentence(gpu, *reports[i].gpus.front().prediction, t));
  }
  return out;
}

std::string tried_shapes(const kernels::Case& chosen, const kernels::Config& config,
                         const std::vector<device::LaunchReport>& reports, kernels::Runner& runner,
                         device::Device& device, const std::atomic<bool>& stop) {
  const auto own = total_of(reports);
  if (!own || !wants_other_shape(reports)) return {};
  std::vector<std::pair<double, kernels::Shape>> found;
  std::vector<std::string> tried;
  for (const kernels::Shape& shape : neighbours(chosen, config)) {
    if (stop) return {};
    kernels::Config other = config;
    other.shape = shape;
    const auto run = runner.reports(chosen, other, device);
    const auto time = run ? total_of(*run) : std::nullopt;
    if (!time) continue;
    found.push_back({*time, shape});
    tried.push_back(name_of(shape));
  }
  if (found.empty()) return {};
  const auto& [ms, best] =
      *std::min_element(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; });
  if (ms > (1 - kGain) * *own) return fmt::format("Tried: {}. None is faster.", fmt::join(tried, ", "));
  return fmt::format("Tried: {}. The best is {}: {:.4g} ms instead of {:.4g}.", fmt::join(tried, ", "),
                     name_of(best), ms, *own);
}

}  // namespace ww::cli
