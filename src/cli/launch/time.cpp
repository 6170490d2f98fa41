#include "cli/launch/time.h"

#include <algorithm>
#include <cassert>

namespace ww::cli {

std::vector<Value> host_times(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::sort(seconds.begin(), seconds.end());
  const size_t n = seconds.size();
  const double median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
  return {
      {"host_seconds_least", seconds.front(), "s", Provenance::Measured,
       "the launch alone on this machine, the shortest"},
      {"host_seconds_median", median, "s", Provenance::Measured, "the same, the median"},
      {"launches", static_cast<int64_t>(n), "", Provenance::Input, "of the kernel, each on the same data"}};
}

}  // namespace ww::cli
