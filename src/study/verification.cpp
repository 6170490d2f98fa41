// What a table says about whether its results are right.
#include <cmath>

#include "study/conclusions.h"
#include "study/contest.h"

namespace ww::study {

namespace {
constexpr size_t kMostRows = 1000;  ///< that a sentence points at
}

std::vector<report::Conclusion> verification(const Table& table) {
  std::vector<size_t> right, wrong, refused, unverified;
  const Value* largest = nullptr;
  size_t where = 0;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const Value* verified = row.find("verified");
    if (!row.refused.empty())
      refused.push_back(i);
    else if (!verified)
      unverified.push_back(i);
    else
      (verified->number() == 1 ? right : wrong).push_back(i);
    const Value* part = row.find("error_of_bound");
    if (part && std::isfinite(part->number()) && (!largest || part->number() > largest->number())) {
      largest = part;
      where = i;
    }
  }
  std::vector<report::Conclusion> out;
  const auto add = [&](const char* message, const std::vector<size_t>& rows) -> report::Conclusion& {
    const Value count{"", static_cast<int64_t>(rows.size()), "", Provenance::Measured, ""};
    return out.emplace_back(report::Conclusion{
        message, {{"count", count}}, rows.size() <= kMostRows ? rows : std::vector<size_t>{}});
  };
  if (!wrong.empty()) add("verified.wrong", wrong).arguments.emplace_back("row", report::RowName{wrong[0]});
  if (!right.empty()) {
    auto& c = add(wrong.empty() ? "verified.all" : "verified.some", {});
    c.arguments[0].second = Value{"", static_cast<int64_t>(right.size()), "", Provenance::Measured, ""};
    if (largest) {
      auto& bound = out.emplace_back(report::Conclusion{"verified.bound", {}, {where}});
      bound.goes_on = true;
      bound.arguments.emplace_back("part", derived(100 * largest->number(), "%", Provenance::Measured));
      bound.arguments.emplace_back("row", report::RowName{where});
    }
  }
  if (!refused.empty()) add("verified.refused", refused);
  if (!unverified.empty()) add(right.empty() && wrong.empty() ? "verified.none" : "verified.not", unverified);
  return out;
}

std::vector<report::Conclusion> expected(const std::vector<Outcome>& outcomes) {
  std::vector<report::Conclusion> out, good;
  for (const Outcome& outcome : outcomes) {
    const char* message = outcome.good()          ? "expected.so"
                          : outcome.wrong.empty() ? "expected.not"
                                                  : "expected.unknown";
    report::Conclusion c{message, {{"text", outcome.expectation->text}}, {}};
    for (const Outcome::Failure& failure : outcome.failures)
      if (c.rows.size() < kMostRows) c.rows.push_back(failure.row);
    if (!outcome.failures.empty()) c.arguments.emplace_back("figures", outcome.failures[0].what);
    if (!outcome.wrong.empty()) c.arguments.emplace_back("why", outcome.wrong);
    (outcome.good() ? good : out).push_back(std::move(c));
  }
  out.insert(out.end(), good.begin(), good.end());
  return out;
}

}  // namespace ww::study
