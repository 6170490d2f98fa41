#include "study/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "report/axes.h"
#include "study/contest.h"

namespace ww::study {

namespace {

constexpr size_t kMost = 8;
constexpr double kPartWays = 1.25;  ///< times larger or smaller

struct Pair {
  const Value *reference, *other;
  size_t row, other_row;

  /// How many times larger the larger one is.
  double ratio() const {
    const double q = other->number() / reference->number();
    return q >= 1 ? q : 1 / q;
  }
};

/// A configuration: all axes but the study and the device that it ran on.
std::string configuration(const std::vector<Axis>& axes, const Row& row) {
  std::string key;
  for (const Axis axis : axes)
    if (axis != Axis::Study && axis != Axis::Device) key += row[axis] + '\n';
  return key;
}

bool engine_time(const Row& row, const Value& v) {
  return v.provenance == Provenance::Measured && row[Axis::Device] == "engine";
}

struct Found {
  const Value* value;
  size_t row;
};

void add_sentence(const std::string& tag, std::vector<Pair> pairs, std::vector<report::Conclusion>& out) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  const Pair &middle = pairs[pairs.size() / 2], &worst = pairs.back();
  const Provenance other = worst.other->provenance;
  const auto apart = static_cast<int64_t>(
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.ratio() > kPartWays; }));
  report::Conclusion c;
  c.message = worst.ratio() - 1 < 5e-4 ? "agree.same" : apart == 0 ? "agree.all" : "agree.apart";
  c.arguments.emplace_back("metric", report::MetricName{tag});
  const auto origin = [](Provenance p) { return report::MessageName{"provenance." + std::string(name(p))}; };
  c.arguments.emplace_back("other_origin", origin(other));
  c.arguments.emplace_back("reference_origin", origin(worst.reference->provenance));
  c.arguments.emplace_back("count", Value{"", static_cast<int64_t>(pairs.size()), "", other, ""});
  c.arguments.emplace_back("reference", *worst.reference);
  c.arguments.emplace_back("other", *worst.other);
  c.arguments.emplace_back("row", report::RowName{worst.row});
  c.arguments.emplace_back("middle", derived(100 * (middle.ratio() - 1), "%", other));
  c.arguments.emplace_back("most", derived(100 * (worst.ratio() - 1), "%", other));
  c.arguments.emplace_back("apart", Value{"", apart, "", other, ""});
  for (const Pair& p : pairs)
    if (apart == 0 ? &p == &pairs.back() : p.ratio() > kPartWays) {
      c.rows.push_back(p.row);
      if (p.other_row != p.row) c.rows.push_back(p.other_row);
    }
  out.push_back(std::move(c));
}

}  // namespace

void add_agreement(const Table& table, std::vector<report::Conclusion>& out) {
  // configuration → tag → what there is of it
  std::map<std::string, std::map<std::string, std::vector<Found>>> all;
  const std::vector<Axis> axes = report::axes_of(table);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    auto& tags = all[configuration(axes, table.rows[i])];
    for (const Value& v : table.rows[i].values)
      if (std::isfinite(v.number()) && v.number() != 0 && !engine_time(table.rows[i], v))
        tags[v.tag].push_back({&v, i});
  }
  // tag, reference and other origin → pairs
  std::map<std::tuple<std::string, Provenance, Provenance>, std::vector<Pair>> pairs;
  for (const auto& [key, tags] : all)
    for (const auto& [tag, found] : tags)
      for (const Found& reference : found) {
        const Provenance p = reference.value->provenance;
        if (p != Provenance::Measured && p != Provenance::Published) continue;
        for (const Found& other : found) {
          const Provenance q = other.value->provenance;
          const bool lesser =
              q == Provenance::Modelled || q == Provenance::Counted || q == Provenance::Theory;
          if (lesser && other.value->unit == reference.value->unit &&
              (other.value->number() > 0) == (reference.value->number() > 0))
            pairs[{tag, p, q}].push_back({reference.value, other.value, reference.row, other.row});
        }
      }
  std::vector<std::pair<std::string, std::vector<Pair>>> sorted;
  for (auto& [key, list] : pairs) sorted.emplace_back(std::get<0>(key), std::move(list));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  if (sorted.size() > kMost) sorted.resize(kMost);
  for (auto& [tag, list] : sorted) add_sentence(tag, std::move(list), out);
}

}  // namespace ww::study
