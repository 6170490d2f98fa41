#include "device/timing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::device {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  double rank = q * static_cast<double>(samples.size() - 1);
  auto below = static_cast<size_t>(rank);
  size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], rank - std::floor(rank));
}

double Repeats::spread() const {
  double median = quantile(samples_, 0.5);
  if (!(median > 0)) return 0;
  return (quantile(samples_, 0.75) - quantile(samples_, 0.25)) / median;
}

std::string_view Repeats::why_enough() const {
  int repeats = static_cast<int>(samples_.size());
  if (repeats < std::max(1, options_.min_repeats)) return {};
  if (spread() < options_.enough_spread) return "spread reached";
  if (repeats >= options_.max_repeats) return "repeat limit";
  if (total_ms_ >= options_.max_seconds * 1e3) return "time limit";
  return {};
}

Timing Repeats::timing() const {
  Timing timing;
  timing.median_ms = quantile(samples_, 0.5);
  timing.min_ms = quantile(samples_, 0);
  timing.max_ms = quantile(samples_, 1);
  timing.repeats = static_cast<int>(samples_.size());
  auto add = [&](std::string tag, auto value, std::string unit, std::string description) {
    timing.values.push_back(
        {std::move(tag), value, std::move(unit), Provenance::Measured, std::move(description)});
  };
  add("time_p25", quantile(samples_, 0.25), "ms", "a quarter of the runs was faster");
  add("time_p75", quantile(samples_, 0.75), "ms", "a quarter of the runs was slower");
  add("time_spread", 100 * spread(), "%", "time between the quartiles over the median");
  add("timing_stop", std::string(why_enough()), "", "why no more runs were made");
  return timing;
}

}  // namespace ww::device
