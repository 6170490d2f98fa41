#include "cli/launch/explain_tried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "forecast/sentences.h"
#include "model/explain_lines.h"
#include "watch/padding.h"

namespace ww::cli {

namespace {

constexpr double kGain = 0.02;      // of the time: less is no gain
constexpr size_t kMostShapes = 12;  // that are run

std::string name_of(const kernels::Shape& s) {
  return s.rx > 0 ? fmt::format("block={} tile={}x{}", s.block, s.rx, s.ry)
                  : fmt::format("block={}", s.block);
}

/// All launches together; nothing if the GPU refuses one.
std::optional<double> total_of(const std::vector<device::LaunchReport>& reports) {
  double ms = 0;
  for (const auto& r : reports) {
    if (r.gpus.empty() || !r.gpus.front().figures || !r.gpus.front().figures->prediction.refused.empty())
      return {};
    ms += r.gpus.front().figures->prediction.time.total;
  }
  return ms;
}

/// Whether another shape could help: something other than work takes time.
bool wants_other_shape(const std::vector<device::LaunchReport>& reports) {
  double waiting = 0, all = 0;
  for (const auto& r : reports) {
    const model::Time& t = r.gpus.front().figures->prediction.time;
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
    return forecast::conflicts_matter(r.gpus.front().figures->prediction.activity);
  };
  if (std::none_of(reports.begin(), reports.end(), conflicts)) return out;
  const auto trials = watch::try_padding(chosen, config, gpu, stop);
  if (!trials || trials->size() != reports.size()) return out;
  for (size_t i = 0; i < reports.size(); ++i) {
    const watch::PaddingTrial& t = (*trials)[i];
    if (!conflicts(reports[i])) continue;
    std::string text = forecast::padding_sentence(gpu, reports[i].gpus.front().figures->prediction, t).text;
    if (!text.empty()) out[i].push_back(std::move(text));
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
