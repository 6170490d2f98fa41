#include "study/rank.h"

#include <cmath>

namespace ww::study {

double kendall_tau(std::span<const std::pair<double, double>> pairs) {
  double agree = 0, first = 0, second = 0;
  for (size_t i = 0; i < pairs.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const double a = pairs[i].first - pairs[j].first, b = pairs[i].second - pairs[j].second;
      agree += (a * b > 0) - (a * b < 0);
      first += a != 0, second += b != 0;
    }
  return first * second > 0 ? agree / std::sqrt(first * second) : 1;
}

}  // namespace ww::study
