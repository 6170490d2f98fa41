#include "cli/own_study/growth.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ww::cli {

void Growth::add(const std::map<int, double>& work, const std::function<std::optional<double>(int)>& run) {
  constexpr double kMostInstructions = 2e7;  // of warps, at the larger size: a second or so
  if (work.size() < 2) return stop();
  const auto last = std::prev(work.end()), before = std::prev(last);
  const double grown = static_cast<double>(last->first) / before->first;
  const double power = std::max(std::log(last->second / before->second) / std::log(grown), 1.0);
  std::erase_if(sizes_, [&](const std::vector<int>& pair) {
    const double times = static_cast<double>(pair.back()) / last->first;
    return last->second * std::pow(times, power) > kMostInstructions ||
           !std::all_of(pair.begin(), pair.end(), [&](int n) { return run(n).has_value(); });
  });
}

}  // namespace ww::cli
