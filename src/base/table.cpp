#include "base/table.h"

#include <fmt/format.h>

#include <cmath>

namespace ww {

std::string_view name(Provenance provenance) {
  static constexpr std::string_view kNames[] = {"input",  "published", "counted",
                                                "theory", "modelled",  "measured"};
  return kNames[static_cast<int>(provenance)];
}

std::string Value::text() const {
  if (auto* d = std::get_if<double>(&value); d && std::isnan(*d))
    return "nan";  // a NaN has no sign worth showing
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

double Value::number() const {
  if (auto* d = std::get_if<double>(&value)) return *d;
  if (auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  return std::nan("");
}

const Value* Row::find(std::string_view tag) const {
  for (const auto& v : values)
    if (v.tag == tag) return &v;
  return nullptr;
}

}  // namespace ww
