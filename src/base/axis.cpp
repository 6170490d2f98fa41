#include "base/axis.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace ww {

Axis axis_named(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  std::lock_guard lock(mutex);
  auto known = names.find(name);
  if (known == names.end()) known = names.emplace(name).first;
  return Axis(*known);
}

std::string& Axes::operator[](Axis axis) {
  for (auto& [known, value] : values_)
    if (known == axis) return value;
  return values_.emplace_back(axis, std::string()).second;
}

const std::string& Axes::operator[](Axis axis) const {
  static const std::string kNone;
  for (const auto& [known, value] : values_)
    if (known == axis) return value;
  return kNone;
}

void Axes::complete(const Axes& other) {
  for (const auto& [axis, value] : other)
    if (std::string& here = (*this)[axis]; here.empty()) here = value;
}

std::vector<std::pair<std::string_view, std::string_view>> Axes::sorted() const {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const auto& [axis, value] : values_)
    if (!value.empty()) all.emplace_back(axis.name(), value);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace ww
