#include "study/conclusions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernels/axes.h"
#include "report/compare.h"
#include "study/agreement.h"
#include "study/contest.h"
#include "study/fewer.h"
#include "study/sizes.h"
#include "study/verdict.h"

namespace ww::study {

namespace {

using report::Conclusion;
using report::MetricName;
using report::RowName;

constexpr size_t kMostGpus = 4;      ///< with sentences of their own; of more only the first has them
constexpr size_t kMostProblems = 6;  ///< besides the main one

/// "h200, n = 1024": the same in all languages.
std::string words_of_place(const Contest& c) {
  const std::string n = c.n.empty() ? "" : "n = " + c.n;
  std::string text = c.gpu;
  for (const std::string& part : {n, c.own})
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// "a, b" → a and b.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(", ", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

void add_place(Conclusion& c, const Contest& contest) {
  c.arguments.emplace_back("origin", report::MessageName{"origin." + std::string(name(contest.provenance))});
  c.arguments.emplace_back("place", words_of_place(contest));
  c.arguments.emplace_back("gpu", contest.gpu);
  c.arguments.emplace_back("n", contest.n);
}

Value count_of(size_t count, Provenance provenance) {
  return {"", static_cast<int64_t>(count), "", provenance, ""};
}

/// Rows of the contest that cannot be told apart from its best one; the best itself is not among them.
size_t level_with_best(const Table& table, const Contest& contest) {
  return static_cast<size_t>(std::count_if(contest.rows.begin() + 1, contest.rows.end(), [&](size_t row) {
    return !told_apart(table, contest, contest.rows[0], row);
  }));
}

/// Between what the best one's figure lies, where the prediction says so.
void add_band(const Table& table, const Contest& contest, std::vector<Conclusion>& out) {
  const size_t best = contest.rows[0];
  if (contest.provenance != Provenance::Modelled) return;
  const auto ends = ends_of_span(table, contest, best);
  if (!ends) return;
  Conclusion c{"band" + side_of_band(table.rows[best]), {}, {best}};
  c.arguments.emplace_back("low", ends->first);
  c.arguments.emplace_back("high", ends->second);
  c.goes_on = true;
  out.push_back(std::move(c));
}

/// The best, the next and the last; or which of them cannot be told apart.
Conclusion best_of(const Table& table, const Contest& contest) {
  const size_t best = contest.rows[0], next = contest.rows[1], last = contest.rows.back();
  const size_t level = level_with_best(table, contest), others = contest.rows.size() - 1;
  Conclusion c{"best", {}, {best, next}};
  if (level == others && others > 1) c.message = "best.level.all";
  if (level == others && others == 1) c.message = "best.level";
  if (level < others && others > 1) c.message = level > 0 ? "best.level.some" : "best.of_many";
  add_place(c, contest);
  c.arguments.emplace_back("count", count_of(contest.rows.size(), contest.provenance));
  c.arguments.emplace_back("level", count_of(level, contest.provenance));
  c.arguments.emplace_back("best", RowName{best});
  c.arguments.emplace_back("score", score(table, contest, best));
  c.arguments.emplace_back("next", RowName{next});
  c.arguments.emplace_back("next_score", score(table, contest, next));
  c.arguments.emplace_back("by", ratio(contest, table, best, next));
  if (others > 1) {
    c.rows.push_back(last);
    c.arguments.emplace_back("last", RowName{last});
    c.arguments.emplace_back("last_score", score(table, contest, last));
    c.arguments.emplace_back("by_last", ratio(contest, table, best, last));
  }
  return c;
}

/// The sequential program on the host, for the same problem.
void add_host(const Table& table, const Contest& contest, std::vector<Conclusion>& out) {
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (row[Axis::Device] != "host" || row[lab::N] != contest.n || row[lab::R] != contest.r) continue;
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

/// The configurations of the best row's kernel and block, ordered by what they are ordered by.
std::vector<size_t> neighbours(const Table& table, const Contest& contest) {
  const Row& best = table.rows[contest.rows[0]];
  std::vector<size_t> rows;
  for (size_t i : contest.rows) {
    const Row& row = table.rows[i];
    const bool same_block = order_of(row) == Order::Block || row[Axis::Block] == best[Axis::Block];
    if (order_of(row) == order_of(best) && row[Axis::Kernel] == best[Axis::Kernel] &&
        row[Axis::Device] == best[Axis::Device] && same_block)
      rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](size_t a, size_t b) { return place_of(table.rows[a]) < place_of(table.rows[b]); });
  return rows;
}

/// Which side of the best a configuration is on, by what they are ordered by: "with less work for each
/// thread" is said of rows that have less.
const char* side_message(Order order, bool before) {
  switch (order) {
    case Order::Results:
      return before ? "binding.before" : "binding.after";
    case Order::K:
      return before ? "binding.before.k" : "binding.after.k";
    case Order::Block:
      return before ? "binding.before.block" : "binding.after.block";
  }
  return "";
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
  const Order order = order_of(table.rows[best]);
  const double here_at = place_of(table.rows[best]);
  const auto less =
      std::find_if(line.begin(), line.end(), [&](size_t i) { return place_of(table.rows[i]) >= here_at; });
  const auto more =
      std::find_if(less, line.end(), [&](size_t i) { return place_of(table.rows[i]) > here_at; });
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
  side(side_message(order, true), std::make_reverse_iterator(less), line.rend());
  side(side_message(order, false), more, line.end());
}

void add_differences(const Table& table, size_t best, size_t last, std::vector<Conclusion>& out) {
  bool first = true;
  for (const Less& d : differences(table.rows[best], table.rows[last])) {
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

/// The fastest and the slowest of GPUs, each with its row of the contest; best first.
void add_gpus(const Table& table, const Contest& c, std::vector<Conclusion>& out) {
  const size_t best = c.rows.front(), last = c.rows.back();
  Conclusion said{"gpus", {}, c.rows};
  if (!told_apart(table, c, best, c.rows[1])) said.message = "gpus.level";
  if (!told_apart(table, c, best, last)) said.message = "gpus.level.all";
  said.arguments.emplace_back("origin", report::MessageName{"origin." + std::string(name(c.provenance))});
  said.arguments.emplace_back("count", count_of(c.rows.size(), c.provenance));
  said.arguments.emplace_back("n", c.n);
  said.arguments.emplace_back("best", RowName{best});
  said.arguments.emplace_back("score", score(table, c, best));
  said.arguments.emplace_back("next", RowName{c.rows[1]});
  said.arguments.emplace_back("next_score", score(table, c, c.rows[1]));
  said.arguments.emplace_back("last", RowName{last});
  said.arguments.emplace_back("last_score", score(table, c, last));
  said.arguments.emplace_back("by", ratio(c, table, best, last));
  out.push_back(std::move(said));
}

/// The same of each GPU's best, where they solve one problem; else of one configuration that GPUs share.
void add_gpus(const Table& table, const std::vector<Contest>& contests, const std::string& tag, Provenance p,
              bool larger_is_better, std::vector<Conclusion>& out) {
  if (contests.empty()) {
    if (const auto shared = contest_of_gpus(table, tag, p, larger_is_better)) add_gpus(table, *shared, out);
    return;
  }
  Contest all = contests[0];
  all.gpu.clear();
  all.rows.clear();
  for (const Contest& c : contests)
    if (c.n == all.n && c.r == all.r && c.problem == all.problem) all.rows.push_back(c.rows[0]);
  if (all.rows.size() < 2) return;
  std::stable_sort(all.rows.begin(), all.rows.end(), [&](size_t a, size_t b) {
    const double x = score(table, all, a).number(), y = score(table, all, b).number();
    return larger_is_better ? x > y : x < y;
  });
  add_gpus(table, all, out);
}

/// Who wins on the other GPUs: the same as in `main`, others, or none for certain.
void add_winners(const Table& table, const std::vector<const Contest*>& others, const Contest& main,
                 std::vector<Conclusion>& out) {
  struct Group {
    const Contest* first;
    std::string gpus;
    std::vector<size_t> rows;
  };
  std::vector<Group> groups;
  const auto level = [&](const Contest& c) { return !told_apart(table, c, c.rows[0], c.rows[1]); };
  const auto together = [&](const Contest& a, const Contest& b) {
    return level(a) || level(b) ? level(a) == level(b) : same_winner(table, a, b);
  };
  for (const Contest* c : others) {
    auto it =
        std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return together(*g.first, *c); });
    if (it == groups.end()) it = groups.insert(groups.end(), {c, "", {}});
    it->gpus += (it->gpus.empty() ? "" : ", ") + c->gpu;
    it->rows.push_back(c->rows[0]);
  }
  for (Group& g : groups) {
    const bool same = !level(main) && same_winner(table, *g.first, main);
    Conclusion c{level(*g.first) ? "winners.level" : same ? "winners.same" : "winners.other", {}, g.rows};
    c.arguments.emplace_back("gpu", g.gpus);
    c.arguments.emplace_back("best", RowName{g.first->rows[0]});
    c.goes_on = true;
    out.push_back(std::move(c));
  }
}

/// The best at each other problem on the main GPU, at the size of which there is most; and on the others.
void add_problems(const Table& table, const std::vector<Contest>& all, const Contest& main,
                  std::vector<Conclusion>& out) {
  std::map<std::string, std::vector<const Contest*>> problems;  // for each GPU the largest
  for (const Contest& c : all) {
    if (c.problem == main.problem) continue;
    auto& gpus = problems[c.problem];
    const auto it =
        std::find_if(gpus.begin(), gpus.end(), [&](const Contest* other) { return other->gpu == c.gpu; });
    if (it == gpus.end())
      gpus.push_back(&c);
    else if (c.rows.size() >= (*it)->rows.size())
      *it = &c;
  }
  size_t said = 0;
  for (auto& [problem, gpus] : problems) {
    if (said++ == kMostProblems) return;
    const auto mine =
        std::find_if(gpus.begin(), gpus.end(), [&](const Contest* c) { return c->gpu == main.gpu; });
    const Contest& first = mine == gpus.end() ? *gpus.front() : **mine;
    out.push_back(best_of(table, first));
    std::erase(gpus, &first);
    add_winners(table, gpus, first, out);
  }
}

/// What GPUs' predicted times lack because the figure is not known. It is in none of the GPU's times, and in
/// their bands as far as it can be.
void add_missing(const Table& table, std::vector<Conclusion>& out) {
  std::map<std::string, std::set<std::string>> figures;  // by GPU
  for (const Row& row : table.rows)
    if (const Value* words = row.find("missing_figures"))
      for (std::string& key : split(words->text())) figures[row[Axis::Gpu]].insert(std::move(key));
  std::map<std::set<std::string>, std::string> gpus;  // that lack the same
  for (const auto& [gpu, keys] : figures) {
    std::string& list = gpus[keys];
    list += (list.empty() ? "" : ", ") + gpu;
  }
  bool first = true;
  for (const auto& [keys, list] : gpus) {
    Conclusion c{"missing", {}, {}};
    c.goes_on = !std::exchange(first, false);
    c.arguments.emplace_back("gpu", list);
    c.arguments.emplace_back("figures", report::FigureNames{{keys.begin(), keys.end()}});
    out.push_back(std::move(c));
  }
}

/// Rows whose predicted time leaves out something that they did, by what it is: nothing is said of them.
void add_left_out(const Table& table, std::vector<Conclusion>& out) {
  std::map<std::string, std::vector<size_t>> rows;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Value* words = table.rows[i].find("not_modelled");
    if (!words) continue;
    for (const std::string& what : split(words->text())) rows[what].push_back(i);
  }
  for (auto& [what, list] : rows) {
    Conclusion c{"left_out", {}, list};
    c.arguments.emplace_back("count", count_of(list.size(), Provenance::Modelled));
    c.arguments.emplace_back("what", report::MessageName{"unmodelled." + what});
    out.push_back(std::move(c));
  }
}

/// Tags of what was counted and is an amount, not a rate: of those less is better.
/// `everywhere`: only in units that mean the same on each GPU. What a profiler calls a transaction, a request
/// or a wavefront differs from generation to generation.
std::set<std::string> amounts(const Table& table, bool everywhere) {
  std::set<std::string> tags;
  for (const Row& row : table.rows)
    for (const Value& v : row.values)
      if (v.provenance == Provenance::Counted && std::isfinite(v.number()) && !v.unit.empty() &&
          v.unit.find_first_of("/%") == v.unit.npos &&
          (!everywhere || v.unit == "sector" || v.unit == "byte"))
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
void add_fewest(const char* message, const Table& table, bool everywhere, ContestFor contest_for,
                std::vector<Conclusion>& out) {
  std::map<std::string, std::pair<double, Contest>> by_unit;
  for (const auto& tag : amounts(table, everywhere)) {
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
  for (Provenance p : {Provenance::Measured, Provenance::Modelled, Provenance::Published}) {
    const std::vector<Contest> found = main_contests(table, p);
    const std::string tag = found.empty() ? "time" : found[0].tag;
    const bool larger = tag == "gflops";
    const std::vector<Contest> all = all_contests(table, tag, p, larger);
    add_gpus(table, found, tag, p, larger, out);
    const size_t told = found.size() > kMostGpus ? 1 : found.size();
    for (size_t i = 0; i < told; ++i) {
      out.push_back(best_of(table, found[i]));
      add_band(table, found[i], out);
      add_host(table, found[i], out);
      if (p == Provenance::Modelled) add_binding(table, found[i], out);
      add_sizes(table, all, found[i], out);
      if (i > 0) continue;
      std::vector<const Contest*> others;
      for (size_t k = told; k < found.size(); ++k) others.push_back(&found[k]);
      add_winners(table, others, found[0], out);
      if (p != Provenance::Published)
        add_differences(table, found[0].rows.front(), found[0].rows.back(), out);
      add_problems(table, all, found[0], out);
    }
    if (p == Provenance::Modelled) add_left_out(table, out);
    if (p == Provenance::Modelled && !out.empty()) add_missing(table, out);
  }
  if (out.empty())
    add_fewest(
        "fewest", table, false,
        [&](const std::string& tag) -> std::optional<Contest> {
          auto all = contests(table, tag, Provenance::Counted, false);
          return all.empty() ? std::nullopt : std::optional(std::move(all[0]));
        },
        out);
  if (out.empty())
    add_fewest(
        "gpus.fewest", table, true,
        [&](const std::string& tag) { return contest_of_gpus(table, tag, Provenance::Counted, false); }, out);
  add_agreement(table, out);
  return ranked(std::move(out));
}

}  // namespace ww::study
