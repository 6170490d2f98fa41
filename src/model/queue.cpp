#include "model/queue.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ww::model {

double round_time(double customers, std::span<const double> demand, double delay) {
  std::vector<double> queue(demand.size(), 0.0);  // customers at each station, with one customer fewer
  double round = delay, before = delay;
  const int whole = static_cast<int>(std::ceil(std::max(1.0, customers)));
  for (int n = 1; n <= whole; ++n) {
    before = round;
    round = delay;
    for (size_t i = 0; i < demand.size(); ++i) round += demand[i] * (1 + queue[i]);
    if (round <= 0) return 0;
    for (size_t i = 0; i < demand.size(); ++i) queue[i] = n * demand[i] * (1 + queue[i]) / round;
  }
  const double missing = whole - std::max(1.0, customers);
  return round - missing * (round - before);
}

}  // namespace ww::model
