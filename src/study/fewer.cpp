#include "study/fewer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "report/compare.h"
#include "study/contest.h"

namespace ww::study {

namespace {
constexpr double kWorthLooking = 0.1;  // of the largest counter with the same unit

/// Transactions of one size, beside the sum of all sizes: fewer of one size may only be more of another.
bool is_one_size(const Row& row, const std::string& tag) {
  const size_t at = tag.find_last_not_of("0123456789");
  return at != std::string::npos && at + 1 < tag.size() && tag[at] == '_' && row.find(tag.substr(0, at));
}

}  // namespace

std::vector<Less> differences(const Row& best, const Row& other) {
  std::map<std::string, Less> found;
  std::map<std::string, double> largest;
  for (const Value& v : other.values)
    if (v.provenance == Provenance::Counted) largest[v.unit] = std::max(largest[v.unit], v.number());
  for (const Value& more : other.values) {
    // What is a small part of its kind explains nothing: a kernel has few barriers among its instructions.
    if (more.provenance != Provenance::Counted || !(more.number() >= kWorthLooking * largest[more.unit]))
      continue;
    if (is_one_size(other, more.tag)) continue;
    const Value* less = figure(best, more.tag, Provenance::Counted);
    if (report::worse_way(more.tag) == report::Worse::Less) continue;
    if (!less || less->unit != more.unit || less->number() < 0) continue;
    const double ratio = less->number() == 0 ? INFINITY : more.number() / less->number();
    if (more.number() <= 0 || ratio < kWorthSaying) continue;
    auto [it, fresh] = found.try_emplace(more.unit, Less{less, &more, ratio});
    if (!fresh && ratio > it->second.ratio) it->second = {less, &more, ratio};
  }
  std::vector<Less> out;
  for (auto& [unit, d] : found) out.push_back(d);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  if (out.size() > kMostDifferences) out.resize(kMostDifferences);
  return out;
}

}  // namespace ww::study
