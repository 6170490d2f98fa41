#include "kernels/verify.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace ww::kernels {

double error_factor(int64_t roundings) {
  const double mu = std::ldexp(static_cast<double>(roundings), -24);
  return mu < 1 ? mu / (1 - mu) : std::numeric_limits<double>::infinity();
}

void Verifier::note_wrong(uint64_t row, uint64_t column, float computed, double exact, double bound) {
  if (result_.wrong++ > 0) return;
  const std::string place = reference_.rows() > 1         ? fmt::format("element ({}, {})", row, column)
                            : reference_.row_length() > 1 ? fmt::format("element {}", column)
                                                          : "the result";
  const std::string is =
      std::bit_cast<uint32_t>(computed) == kPoison ? "was never written" : fmt::format("is {}", computed);
  result_.first_wrong = fmt::format("{} {}, must be {:.9g} ± {:.2g}", place, is, exact, bound);
}

void Verifier::check(uint64_t first, std::span<const float> computed) {
  assert(std::isfinite(factor_));
  const uint64_t length = reference_.row_length();
  const uint64_t count = computed.size() / length;
  assert(count * length == computed.size());
  exact_.resize(computed.size());
  magnitude_.resize(computed.size());
  reference_.read(first, count, exact_, magnitude_);
  for (size_t i = 0; i < computed.size(); ++i) {
    const double bound = factor_ * magnitude_[i];
    const double difference = std::abs(static_cast<double>(computed[i]) - exact_[i]);
    const double of_bound = difference == 0 ? 0 : difference / bound;
    if (std::bit_cast<uint32_t>(computed[i]) == kPoison) ++result_.unwritten;
    if (!(difference <= bound))  // so is a NaN
      note_wrong(first + i / length, i % length, computed[i], exact_[i], bound);
    // A NaN is taken over and stays.
    if (difference > result_.max_error || std::isnan(difference)) result_.max_error = difference;
    if (of_bound > result_.error_of_bound || std::isnan(of_bound)) result_.error_of_bound = of_bound;
  }
  result_.elements += computed.size();
}

}  // namespace ww::kernels
