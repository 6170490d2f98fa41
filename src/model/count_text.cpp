#include "model/count_text.h"

#include <fmt/format.h>

#include <cmath>

namespace ww::model {

std::string count_text(double count) {
  if (count >= 999.5e6) return fmt::format("{:.3g} billion", count * 1e-9);
  const double whole = std::round(count);
  if (whole >= 1e6) return fmt::format("{:.3g} million", count * 1e-6);
  std::string digits = fmt::format("{:.0f}", whole);
  if (whole >= 1000) digits.insert(digits.size() - 3, ",");
  return digits;
}

}  // namespace ww::model
