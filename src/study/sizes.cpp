#include "study/sizes.h"

#include <algorithm>

namespace ww::study {

namespace {

constexpr size_t kMostRuns = 4;
constexpr double kHardly = 1.005;  ///< times: what is shown of less is 1

/// Sizes next to each other, of one r, that have the same winner.
using Run = std::vector<const Contest*>;

/// The first two cannot be told apart.
bool level(const Table& table, const Contest& c) { return !told_apart(table, c, c.rows[0], c.rows[1]); }

std::vector<Run> runs_of(const Table& table, const std::vector<Contest>& all, const Contest& main) {
  std::vector<Run> runs;
  for (const Contest& c : all) {
    if (c.gpu != main.gpu || c.problem != main.problem) continue;
    if (!runs.empty() && runs.back().back()->r == c.r && same_winner(table, *runs.back().back(), c) &&
        level(table, *runs.back().back()) == level(table, c))
      runs.back().push_back(&c);
    else
      runs.push_back({&c});
  }
  std::erase_if(runs, [&](const Run& run) { return run.size() == 1 && run[0]->rows == main.rows; });
  return runs;
}

report::Conclusion sentence_about(const Table& table, const Run& run, const Contest& main) {
  const Contest &first = *run.front(), &last = *run.back();
  const auto by = [&](const Contest& c) { return times_better(c, table, c.rows[0], c.rows[1]).value_or(1); };
  const auto times = [&](const Contest& c) { return ratio(c, table, c.rows[0], c.rows[1]); };
  report::Conclusion c{run.size() == 1 ? "sizes" : "sizes.several", {}, {}};
  if (level(table, first)) c.message += ".level";
  c.goes_on = true;
  for (const Contest* contest : run) c.rows.push_back(contest->rows[0]);
  std::string n = run.size() == 1 ? first.n : first.n + " – " + last.n;
  if (first.r != main.r) n += ", R = " + first.r;  // else it would be said of the main one's radius
  c.arguments.emplace_back("n", n);
  c.arguments.emplace_back("best", report::RowName{first.rows[0]});
  c.arguments.emplace_back("score", score(table, first, first.rows[0]));
  if (run.size() == 1) {
    c.rows.push_back(first.rows[1]);
    c.arguments.emplace_back("by", times(first));
    c.arguments.emplace_back("next", report::RowName{first.rows[1]});
    c.arguments.emplace_back("next_score", score(table, first, first.rows[1]));
    return c;
  }
  const auto [least, most] = std::minmax_element(
      run.begin(), run.end(), [&](const Contest* a, const Contest* b) { return by(*a) < by(*b); });
  // "As fast as to twice as fast" is said as "up to twice as fast".
  if (!level(table, first) && by(**least) < kHardly) c.message += ".up_to";
  c.arguments.emplace_back("last_score", score(table, last, last.rows[0]));
  c.arguments.emplace_back("by", times(**least));
  c.arguments.emplace_back("by_most", times(**most));
  return c;
}

}  // namespace

void add_sizes(const Table& table, const std::vector<Contest>& all, const Contest& main,
               std::vector<report::Conclusion>& out) {
  std::vector<Run> runs = runs_of(table, all, main);
  // The longest are said, in the order of the sizes.
  std::vector<size_t> lengths;
  for (const Run& run : runs) lengths.push_back(run.size());
  std::sort(lengths.rbegin(), lengths.rend());
  const size_t shortest = lengths.size() > kMostRuns ? lengths[kMostRuns - 1] : 1;
  size_t said = 0;
  for (const Run& run : runs)
    if (run.size() >= shortest && said++ < kMostRuns) out.push_back(sentence_about(table, run, main));
}

}  // namespace ww::study
