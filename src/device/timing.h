// When a timed kernel has run often enough, and what its times amount to. The same for every device.
#pragma once

#include <vector>

#include "device/device.h"

namespace ww::device {

/// The q-quantile, 0 ≤ q ≤ 1, linear between the closest ranks (type 7 of Hyndman and Fan, NumPy's default).
/// NaN of nothing.
double quantile(std::vector<double> samples, double q);

/// Collects repeats and decides when to stop.
class Repeats {
 public:
  explicit Repeats(const TimingOptions& options) : options_(options) {}

  void add(double ms) { samples_.push_back(ms), total_ms_ += ms; }
  /// True when the spread is small enough, or a limit is reached; never before min_repeats (at least 1).
  bool enough() const { return !why_enough().empty(); }
  /// (p75 - p25) / median.
  double spread() const;
  /// Median, extremes and the values time_p25, time_p75, time_spread, timing_stop.
  Timing timing() const;

 private:
  std::string_view why_enough() const;

  TimingOptions options_;
  std::vector<double> samples_;
  double total_ms_ = 0;
};

}  // namespace ww::device
