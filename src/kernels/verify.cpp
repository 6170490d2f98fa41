#include "kernels/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/in_parts.h"

namespace ww::kernels {

double error_factor(int64_t roundings) {
  const double mu = std::ldexp(static_cast<double>(roundings), -24);
  return mu < 1 ? mu / (1 - mu) : std::numeric_limits<double>::infinity();
}

namespace {

/// The larger one; a NaN is taken over and stays.
double larger(double so_far, double value) { return value > so_far || std::isnan(value) ? value : so_far; }

}  // namespace

void Verifier::note_wrong(uint64_t row, uint64_t column, float computed, double exact, double bound) {
  const std::string place = reference_.rows() > 1         ? fmt::format("element ({}, {})", row, column)
                            : reference_.row_length() > 1 ? fmt::format("element {}", column)
                                                          : "the result";
  const std::string is =
      std::bit_cast<uint32_t>(computed) == kPoison ? "was never written" : fmt::format("is {}", computed);
  result_.first_wrong = fmt::format("{} {}, must be {:.9g} ± {:.2g}", place, is, exact, bound);
}

void Verifier::check(uint64_t first, std::span<const float> computed) {
  assert(std::isfinite(factor_));
  constexpr uint64_t kWorthAThread = 1 << 16;
  const uint64_t length = reference_.row_length();
  const uint64_t count = computed.size() / length;
  assert(count * length == computed.size());
  exact_.resize(computed.size());
  magnitude_.resize(computed.size());
  reference_.read(first, count, exact_, magnitude_);
  std::mutex merging;
  uint64_t first_wrong = computed.size();
  const uint64_t wrong_before = result_.wrong;
  in_parts(computed.size(), kWorthAThread, [&](uint64_t begin, uint64_t end) {
    Verification part;
    uint64_t part_wrong = end;
    for (uint64_t i = begin; i < end; ++i) {
      const double bound = factor_ * magnitude_[i];
      const double difference = std::abs(static_cast<double>(computed[i]) - exact_[i]);
      const double of_bound = difference == 0 ? 0 : difference / bound;
      if (std::bit_cast<uint32_t>(computed[i]) == kPoison) ++part.unwritten;
      if (!(difference <= bound) && part.wrong++ == 0) part_wrong = i;  // so is a NaN
      part.max_error = larger(part.max_error, difference);
      part.error_of_bound = larger(part.error_of_bound, of_bound);
    }
    const std::lock_guard lock(merging);
    if (part.wrong > 0) first_wrong = std::min(first_wrong, part_wrong);
    result_.wrong += part.wrong;
    result_.unwritten += part.unwritten;
    result_.max_error = larger(result_.max_error, part.max_error);
    result_.error_of_bound = larger(result_.error_of_bound, part.error_of_bound);
  });
  if (const uint64_t i = first_wrong; wrong_before == 0 && i < computed.size())
    note_wrong(first + i / length, i % length, computed[i], exact_[i], factor_ * magnitude_[i]);
  result_.elements += computed.size();
}

}  // namespace ww::kernels
