#include "study/conclusions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/compare.h"
#include "study/agreement.h"
#include "study/contest.h"
#include "study/sizes.h"

namespace ww::study {

namespace {

using report::Conclusion;
using report::MetricName;
using report::RowName;

constexpr size_t kMostGpus = 4;      ///< each with sentences of its own
constexpr size_t kMostProblems = 6;  ///< besides the main one
constexpr size_t kMostDifferences = 3;
constexpr double kWorthSaying = 1.2;  ///< times less

void add_place(Conclusion& c, const Contest& contest) {
  c.arguments.emplace_back("origin", report::MessageName{"origin." + std::string(name(contest.provenance))});
  c.arguments.emplace_back("gpu", contest.gpu);
  c.arguments.emplace_back("n", contest.n);
}

/// The best, the next and the last.
Conclusion best_of(const Table& table, const Contest& contest) {
  const size_t best = contest.rows[0], next = contest.rows[1], last = contest.rows.back();
  Conclusion c{contest.gpu.empty() ? "best.no_gpu" : "best", {}, {best, next}};
  add_place(c, contest);
  c.arguments.emplace_back("count",
                           Value{"", static_cast<int64_t>(contest.rows.size()), "", contest.provenance, ""});
  c.arguments.emplace_back("best", RowName{best});
  c.arguments.emplace_back("score", score(table, contest, best));
  c.arguments.emplace_back("next", RowName{next});
  c.arguments.emplace_back("next_score", score(table, contest, next));
  c.arguments.emplace_back(
      "by", derived(times_better(contest, table, best, next).value_or(1), "", contest.provenance));
  if (contest.rows.size() > 2) {
    c.message += ".of_many";
    c.rows.push_back(last);
    c.arguments.emplace_back("last", RowName{last});
    c.arguments.emplace_back("last_score", score(table, contest, last));
    c.arguments.emplace_back(
        "by_last", derived(times_better(contest, table, best, last).value_or(1), "", contest.provenance));
  }
  return c;
}

/// The sequential program on the host, for the same problem.
void add_host(const Table& table, const Contest& contest, std::vector<Conclusion>& out) {
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (row[Axis::Device] != "host" || row[Axis::N] != contest.n || row[Axis::R] != contest.r) continue;
    const Value* host = figure(row, contest.tag, Provenance::Measured);
    if (!host || host->number() <= 0) continue;
    const Value& best = score(table, contest, contest.rows[0]);
    const double ratio =
        contest.larger_is_better ? best.number() / host->number() : host->number() / best.number();
    Conclusion c{"best.host", {}, {contest.rows[0], i}};
    c.arguments.emplace_back("best", RowName{contest.rows[0]});
    c.arguments.emplace_back("by", derived(ratio, "", contest.provenance));
    c.arguments.emplace_back("host", RowName{i});
    c.arguments.emplace_back("host_score", *host);
    c.goes_on = true;
    out.push_back(std::move(c));
    return;
  }
}

/// What binds a row, as the model says: the tag of the largest part of its time.
std::string binding(const Row& row) {
  for (const Value& v : row.values)
    if (v.tag == "binding")
      if (auto* tag = std::get_if<std::string>(&v.value)) return *tag;
  return {};
}

/// The configurations of the best row's kernel and block, ordered by the work of a thread.
std::vector<size_t> neighbours(const Table& table, const Contest& contest) {
  const Row& best = table.rows[contest.rows[0]];
  std::vector<size_t> rows;
  for (size_t i : contest.rows) {
    const Row& row = table.rows[i];
    const bool same_block =
        row[Axis::Rx].empty() && row[Axis::K].empty() ? true : row[Axis::Block] == best[Axis::Block];
    if (row[Axis::Kernel] == best[Axis::Kernel] && row[Axis::Device] == best[Axis::Device] && same_block)
      rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    return work_per_thread(table.rows[a]) < work_per_thread(table.rows[b]);
  });
  return rows;
}

/// What binds at the best, and on either side the nearest configuration that something else binds, or else
/// the nearest.
void add_binding(const Table& table, const Contest& contest, std::vector<Conclusion>& out) {
  const size_t best = contest.rows[0];
  const std::string here = binding(table.rows[best]);
  if (here.empty()) return;
  Conclusion c{"binding", {}, {best}};
  c.arguments.emplace_back("best", RowName{best});
  c.arguments.emplace_back("part", MetricName{here, true});
  const Value* part = figure(table.rows[best], here, Provenance::Modelled);
  const Value* time = figure(table.rows[best], "time", Provenance::Modelled);
  if (part && time && time->number() > 0) {
    c.message += ".share";
    c.arguments.emplace_back("share",
                             derived(100 * part->number() / time->number(), "%", Provenance::Modelled));
  }
  c.goes_on = true;
  out.push_back(std::move(c));

  const std::vector<size_t> line = neighbours(table, contest);
  const auto at = std::find(line.begin(), line.end(), best);
  const auto side = [&](const char* message, auto from, auto to) {
    auto other = std::find_if(from, to, [&](size_t i) {
      return !binding(table.rows[i]).empty() && binding(table.rows[i]) != here;
    });
    if (other == to) other = from;
    if (other == to || binding(table.rows[*other]).empty()) return;
    Conclusion c{message, {}, {*other}};
    c.arguments.emplace_back("row", RowName{*other});
    c.arguments.emplace_back("part", MetricName{binding(table.rows[*other]), true});
    c.arguments.emplace_back("score", score(table, contest, *other));
    c.goes_on = true;
    out.push_back(std::move(c));
  };
  side("binding.before", std::make_reverse_iterator(at), line.rend());
  side("binding.after", at + 1, line.end());
}

struct Difference {
  const Value *less, *more;
  double ratio;
};

/// Counters of which the best row has less than the other, where less is no worse; the largest ratio first,
/// one for each unit.
std::vector<Difference> differences(const Row& best, const Row& other) {
  std::map<std::string, Difference> found;
  std::map<std::string, double> largest;
  for (const Value& v : other.values)
    if (v.provenance == Provenance::Counted) largest[v.unit] = std::max(largest[v.unit], v.number());
  for (const Value& more : other.values) {
    if (more.provenance != Provenance::Counted || !(more.number() >= 0.01 * largest[more.unit])) continue;
    const Value* less = figure(best, more.tag, Provenance::Counted);
    if (report::worse_way(more.tag) == report::Worse::Less) continue;
    if (!less || less->unit != more.unit || less->number() < 0) continue;
    const double ratio = less->number() == 0 ? INFINITY : more.number() / less->number();
    if (more.number() <= 0 || ratio < kWorthSaying) continue;
    auto [it, fresh] = found.try_emplace(more.unit, Difference{less, &more, ratio});
    if (!fresh && ratio > it->second.ratio) it->second = {less, &more, ratio};
  }
  std::vector<Difference> out;
  for (auto& [unit, d] : found) out.push_back(d);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  if (out.size() > kMostDifferences) out.resize(kMostDifferences);
  return out;
}

void add_differences(const Table& table, size_t best, size_t last, std::vector<Conclusion>& out) {
  bool first = true;
  for (const Difference& d : differences(table.rows[best], table.rows[last])) {
    Conclusion c{std::isinf(d.ratio) ? "less.none" : "less", {}, {best, last}};
    c.arguments.emplace_back("best", RowName{best});
    c.arguments.emplace_back("last", RowName{last});
    c.arguments.emplace_back("metric", MetricName{d.more->tag});
    c.arguments.emplace_back("less", *d.less);
    c.arguments.emplace_back("more", *d.more);
    if (!std::isinf(d.ratio)) c.arguments.emplace_back("by", derived(d.ratio, "", Provenance::Counted));
    c.goes_on = !std::exchange(first, false);
    out.push_back(std::move(c));
  }
}

/// The fastest and the slowest GPU for a configuration that all of them have.
void add_gpus(const Table& table, const std::vector<Contest>& contests, std::vector<Conclusion>& out) {
  if (contests.size() < 2) return;
  const auto rank = [&](const Contest& c) {
    return score(table, c, c.rows[0]).number() * (c.larger_is_better ? -1 : 1);
  };
  std::vector<const Contest*> same;  // of one problem
  for (const Contest& c : contests)
    if (c.n == contests[0].n && c.r == contests[0].r) same.push_back(&c);
  if (same.size() < 2) return;
  std::stable_sort(same.begin(), same.end(), [&](auto* a, auto* b) { return rank(*a) < rank(*b); });
  const Contest &first = *same.front(), &last = *same.back();
  Conclusion c{"gpus", {}, {}};
  c.arguments.emplace_back("origin", report::MessageName{"origin." + std::string(name(first.provenance))});
  for (const Contest* contest : same) c.rows.push_back(contest->rows[0]);
  c.arguments.emplace_back("count", Value{"", static_cast<int64_t>(same.size()), "", first.provenance, ""});
  c.arguments.emplace_back("n", first.n);
  c.arguments.emplace_back("best", RowName{first.rows[0]});
  c.arguments.emplace_back("score", score(table, first, first.rows[0]));
  c.arguments.emplace_back("last", RowName{last.rows[0]});
  c.arguments.emplace_back("last_score", score(table, last, last.rows[0]));
  c.arguments.emplace_back("by", derived(times_better(first, table, first.rows[0], last.rows[0]).value_or(1),
                                         "", first.provenance));
  out.push_back(std::move(c));
}

/// The best at each other problem on the same GPU, at the size of which there is most.
void add_problems(const Table& table, const std::vector<Contest>& all, const Contest& main,
                  std::vector<Conclusion>& out) {
  std::map<std::string, const Contest*> problems;
  for (const Contest& c : all) {
    if (c.gpu != main.gpu || c.problem == main.problem) continue;
    auto [it, fresh] = problems.try_emplace(c.problem, &c);
    if (!fresh && c.rows.size() >= it->second->rows.size()) it->second = &c;
  }
  size_t said = 0;
  for (const auto& [problem, contest] : problems)
    if (said++ < kMostProblems) out.push_back(best_of(table, *contest));
}

/// Tags of what was counted and is an amount, not a rate: of those less is better.
std::set<std::string> amounts(const Table& table) {
  std::set<std::string> tags;
  for (const Row& row : table.rows)
    for (const Value& v : row.values)
      if (v.provenance == Provenance::Counted && std::isfinite(v.number()) && !v.unit.empty() &&
          v.unit.find_first_of("/%") == v.unit.npos)
        tags.insert(v.tag);
  return tags;
}

/// A sentence about a counted amount: who has least, who has most.
Conclusion least(const char* message, const Table& table, const Contest& contest, double ratio) {
  const size_t best = contest.rows.front(), last = contest.rows.back();
  Conclusion c{message, {}, {best, last}};
  c.arguments.emplace_back("n", contest.n);
  c.arguments.emplace_back("count",
                           Value{"", static_cast<int64_t>(contest.rows.size()), "", Provenance::Counted, ""});
  c.arguments.emplace_back("metric", MetricName{contest.tag});
  c.arguments.emplace_back("best", RowName{best});
  c.arguments.emplace_back("last", RowName{last});
  c.arguments.emplace_back("score", score(table, contest, best));
  c.arguments.emplace_back("last_score", score(table, contest, last));
  c.arguments.emplace_back("by", derived(ratio, "", Provenance::Counted));
  c.arguments.emplace_back("most", derived(100 * (ratio - 1), "%", Provenance::Counted));
  return c;
}

/// Where nothing says how long it took: who needs the least of what was counted, for each unit the metric
/// that differs most; or that all are alike. `contest_for` gives the contest of a tag, if there is one.
template <class ContestFor>
void add_fewest(const char* message, const Table& table, ContestFor contest_for,
                std::vector<Conclusion>& out) {
  std::map<std::string, std::pair<double, Contest>> by_unit;
  for (const auto& tag : amounts(table)) {
    std::optional<Contest> contest = contest_for(tag);
    if (!contest) continue;
    const auto ratio = times_better(*contest, table, contest->rows.front(), contest->rows.back());
    if (!ratio) continue;
    auto [it, fresh] = by_unit.try_emplace(score(table, *contest, contest->rows[0]).unit, *ratio, *contest);
    if (!fresh && *ratio > it->second.first) it->second = {*ratio, *contest};
  }
  std::vector<std::pair<double, Contest>> found;
  for (auto& [unit, entry] : by_unit) found.push_back(std::move(entry));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (!found.empty() && found[0].first < kWorthSaying) {
    out.push_back(least("alike", table, found[0].second, found[0].first));
    return;
  }
  for (size_t i = 0; i < std::min(found.size(), kMostDifferences + 1); ++i)
    if (found[i].first >= kWorthSaying) out.push_back(least(message, table, found[i].second, found[i].first));
}

}  // namespace

std::vector<Conclusion> conclusions(const Table& table) {
  std::vector<Conclusion> out;
  const bool several = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const Row& row) { return row.find("problem") != nullptr; });
  for (Provenance p : {Provenance::Measured, Provenance::Modelled, Provenance::Published}) {
    // Where a table holds several problems, arithmetic is not what they are about.
    std::vector<Contest> found;
    const char* tag = "gflops";
    if (!several) found = contests(table, tag, p, true);
    if (found.empty()) found = contests(table, tag = "time", p, false);
    const std::vector<Contest> all = all_contests(table, tag, p, tag == std::string_view("gflops"));
    add_gpus(table, found, out);
    for (size_t i = 0; i < std::min(found.size(), kMostGpus); ++i) {
      out.push_back(best_of(table, found[i]));
      add_host(table, found[i], out);
      if (p == Provenance::Modelled) add_binding(table, found[i], out);
      add_sizes(table, all, found[i], out);
      if (i == 0 && p != Provenance::Published)
        add_differences(table, found[i].rows.front(), found[i].rows.back(), out);
      if (i == 0) add_problems(table, all, found[i], out);
    }
  }
  if (out.empty())
    add_fewest(
        "fewest", table,
        [&](const std::string& tag) -> std::optional<Contest> {
          auto all = contests(table, tag, Provenance::Counted, false);
          return all.empty() ? std::nullopt : std::optional(std::move(all[0]));
        },
        out);
  if (out.empty())
    add_fewest(
        "gpus.fewest", table,
        [&](const std::string& tag) { return contest_of_gpus(table, tag, Provenance::Counted, false); }, out);
  add_agreement(table, out);
  return out;
}

}  // namespace ww::study
