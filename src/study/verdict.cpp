#include "study/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernels/axes.h"
#include "report/axes.h"
#include "study/contest.h"
#include "study/fewer.h"

namespace ww::study {

namespace {

using report::Conclusion;
using report::MessageName;
using report::MetricName;
using report::RowName;

constexpr size_t kMostChanges = 3;
constexpr double kLeastChange = 1.02;  ///< times faster: less is no change

/// What each takes alone; the largest counts. Parts of one resource that another part sums up are left out.
constexpr const char* kAlone[] = {"time_issue",   "time_fp32",    "time_int",          "time_fp64",
                                  "time_sfu",     "time_tensor",  "time_tensor_power", "time_shared",
                                  "time_l1",      "time_l1_tags", "time_load_store",   "time_constant",
                                  "time_atomics", "time_l2",      "time_l2_port",      "time_dram"};

/// What is added to the longest of them.
constexpr const char* kAdded[] = {"time_tail", "time_latency", "time_barriers", "time_launch"};

/// The sentences of an answer: the first opens it.
class Answers {
 public:
  Conclusion& add(const std::string& answer, const std::string& rest, std::vector<size_t> rows) {
    const bool more = std::any_of(out_.begin(), out_.end(), [&](const Conclusion& c) {
      return c.message.starts_with("verdict." + answer);
    });
    out_.push_back({"verdict." + answer + rest, {}, std::move(rows), more});
    return out_.back();
  }
  std::vector<Conclusion> take() { return std::move(out_); }

 private:
  std::vector<Conclusion> out_;
};

Value count_in(size_t count) { return {"", static_cast<int64_t>(count), "", Provenance::Counted, ""}; }

std::string binding_of(const Row& row) {
  const Value* v = row.find("binding");
  const auto* tag = v ? std::get_if<std::string>(&v->value) : nullptr;
  return tag ? *tag : "";
}

/// How much of the row's time that part is, in %.
std::optional<Value> share_of(const Row& row, const std::string& tag) {
  const Value *part = figure(row, tag, Provenance::Modelled),
              *time = figure(row, "time", Provenance::Modelled);
  if (!part || !time || time->number() <= 0) return {};
  return derived(100 * part->number() / time->number(), "%", Provenance::Modelled);
}

void add_place(const Contest& c, Answers& out) {
  const std::string n = c.n.empty() ? "" : "n = " + c.n;
  std::string place;
  for (const std::string& part : {c.gpu, n, c.own})
    if (!part.empty()) place += (place.empty() ? "" : ", ") + part;
  if (!place.empty()) out.add("best", ".place", {}).arguments.emplace_back("place", place);
}

/// Kernels of a study of own kernels may do the same as the contest's: nobody knows.
void add_unrelated(const Table& table, const Contest& c, Answers& out) {
  const std::vector<size_t> others = unrelated(table, c);
  if (others.empty()) return;
  const size_t best = c.rows[0], next = others[0];
  if (c.rows.size() > 1) {
    Conclusion& said = out.add("best", ".beside", {next});
    said.arguments.emplace_back("next", RowName{next});
    said.arguments.emplace_back("score", score(table, c, next));
  } else {
    const bool apart = told_apart(table, c, best, next);
    Conclusion& said = out.add("best", apart ? ".unsure" : ".unsure_level", {best, next});
    said.arguments.emplace_back("best", RowName{best});
    said.arguments.emplace_back("score", score(table, c, best));
    said.arguments.emplace_back("next", RowName{next});
    said.arguments.emplace_back("next_score", score(table, c, next));
    said.arguments.emplace_back("by", ratio(c, table, best, next));
    add_place(c, out);
  }
  out.add("best", ".unknown", {});
}

void add_only(const Table& table, const Contest& c, Answers& out) {
  if (!unrelated(table, c).empty()) return add_unrelated(table, c, out);
  Conclusion& said = out.add("best", ".only", {c.rows[0]});
  said.arguments.emplace_back("best", RowName{c.rows[0]});
  said.arguments.emplace_back("score", score(table, c, c.rows[0]));
  if (!c.gpu.empty()) said.arguments.emplace_back("gpu", c.gpu);
  if (!c.n.empty()) said.arguments.emplace_back("n", c.n);
  add_place(c, out);
}

void add_best(const Table& table, const Contest& c, Answers& out) {
  if (c.rows.size() == 1) return add_only(table, c, out);
  const size_t best = c.rows[0], next = c.rows[1], last = c.rows.back();
  const auto level = static_cast<size_t>(std::count_if(
      c.rows.begin() + 1, c.rows.end(), [&](size_t row) { return !told_apart(table, c, best, row); }));
  const size_t others = c.rows.size() - 1;
  const char* how = level == others ? ".all" : level > 0 ? ".level" : others == 1 ? ".two" : "";
  Conclusion& said = out.add("best", how, {best, next, last});
  said.arguments.emplace_back("best", RowName{best});
  said.arguments.emplace_back("score", score(table, c, best));
  said.arguments.emplace_back("next", RowName{next});
  said.arguments.emplace_back("by", ratio(c, table, best, next));
  said.arguments.emplace_back("last", RowName{last});
  said.arguments.emplace_back("last_score", score(table, c, last));
  said.arguments.emplace_back("by_last", ratio(c, table, best, last));
  said.arguments.emplace_back("count", count_in(c.rows.size()));
  said.arguments.emplace_back("level", count_in(level));
  // Known to whoever reads the row's name.
  if (!c.gpu.empty()) said.arguments.emplace_back("gpu", c.gpu);
  if (!c.n.empty()) said.arguments.emplace_back("n", c.n);
  add_place(c, out);
  add_unrelated(table, c, out);
}

void add_why(const Table& table, const Contest& c, Answers& out) {
  const size_t best = c.rows[0], last = c.rows.back();
  const bool apart = told_apart(table, c, best, last);
  const std::string here = binding_of(table.rows[best]), there = binding_of(table.rows[last]);
  if (const auto share = share_of(table.rows[best], here)) {
    const auto other = share_of(table.rows[last], there);
    const bool both = apart && other && there != here;
    Conclusion& said = out.add("why", both ? ".both" : ".binding", {best});
    said.arguments.emplace_back("part", MetricName{here, true});
    said.arguments.emplace_back("share", *share);
    if (both) {
      said.rows.push_back(last);
      said.arguments.emplace_back("last_part", MetricName{there, true});
      said.arguments.emplace_back("last_share", *other);
    }
  }
  if (!apart || c.gpu.empty() || c.provenance == Provenance::Published) return;
  for (const Less& d : differences(table.rows[best], table.rows[last])) {
    Conclusion& said = out.add("why", ".less", {best, last});
    said.arguments.emplace_back("metric", MetricName{d.more->tag});
    said.arguments.emplace_back("less", *d.less);
    said.arguments.emplace_back("more", *d.more);
    break;
  }
}

/// A value of an axis that the best row does not have, at its best.
struct Other {
  Axis axis;
  size_t row;
  double times;
};

/// Whether each value of the other axis goes with one of this, in all rows of the contest.
bool follows(const Table& table, const Contest& c, Axis axis, Axis from) {
  std::map<std::string, std::string> known;
  return std::all_of(c.rows.begin(), c.rows.end(), [&](size_t row) {
    const std::string& value = table.rows[row][axis];
    return known.emplace(table.rows[row][from], value).first->second == value;
  });
}

/// For each axis the worst value, with the best that goes with it: what the choice is worth at most.
std::vector<Other> others_of(const Table& table, const Contest& c) {
  const Row& best = table.rows[c.rows[0]];
  std::vector<Other> out;
  for (const Axis axis : report::axes_of(table)) {
    if (axis == Axis::Study || axis == Axis::Gpu || axis == lab::N || axis == lab::R || best[axis].empty())
      continue;
    std::vector<std::pair<std::string, size_t>> first;  // of each value; rows stand best first
    for (size_t row : c.rows) {
      const std::string& value = table.rows[row][axis];
      const bool known =
          std::any_of(first.begin(), first.end(), [&](const auto& entry) { return entry.first == value; });
      if (!value.empty() && value != best[axis] && !known) first.emplace_back(value, row);
    }
    if (first.empty()) continue;
    const size_t worst = first.back().second;
    const auto times = times_better(c, table, c.rows[0], worst);
    if (times && *times >= kLeastChange && told_apart(table, c, c.rows[0], worst))
      out.push_back({axis, worst, *times});
  }
  // A block that follows from another axis is the same change; what each kernel has one value of was never
  // compared with another.
  const std::vector<Other> all = out;
  std::erase_if(out, [&](const Other& other) {
    return std::any_of(all.begin(), all.end(), [&](const Other& cause) {
      return cause.axis != other.axis && (other.axis == Axis::Block || cause.axis == Axis::Kernel) &&
             follows(table, c, other.axis, cause.axis);
    });
  });
  std::stable_sort(out.begin(), out.end(), [](const Other& a, const Other& b) { return a.times > b.times; });
  while (out.size() > kMostChanges) out.pop_back();
  return out;
}

/// "matmul/" where all kernels of the contest are in it.
std::string folder_of(const Table& table, const Contest& c) {
  const std::string& first = table.rows[c.rows[0]][Axis::Kernel];
  const std::string folder = first.substr(0, first.find('/') + 1);
  const bool all = std::all_of(c.rows.begin(), c.rows.end(),
                               [&](size_t row) { return table.rows[row][Axis::Kernel].starts_with(folder); });
  return all ? folder : "";
}

void add_change(const Table& table, const Contest& c, Answers& out) {
  const size_t best = c.rows[0];
  const Row& row = table.rows[best];
  if (!c.gpu.empty() && c.rows.size() > 1) {
    const std::string folder = folder_of(table, c);
    const auto value = [&](size_t of, Axis axis) {
      const std::string& text = table.rows[of][axis];
      return axis == Axis::Kernel ? text.substr(folder.size()) : text;
    };
    const std::vector<Other> others = others_of(table, c);
    for (const Other& other : others) {
      Conclusion& said = out.add("change", ".axis", {best, other.row});
      said.arguments.emplace_back("axis", MessageName{"axis." + std::string(other.axis.name())});
      said.arguments.emplace_back("value", value(best, other.axis));
      said.arguments.emplace_back("other", value(other.row, other.axis));
      said.arguments.emplace_back("by", ratio(c, table, best, other.row));
    }
    if (others.empty() && !told_apart(table, c, best, c.rows.back())) out.add("change", ".none", {});
  }
  const std::string here = binding_of(row);
  const auto share = share_of(row, here);
  if (!share) return;
  const Value* next = nullptr;
  const auto consider = [&](const char* tag) {
    const Value* part = tag == here ? nullptr : figure(row, tag, Provenance::Modelled);
    if (here == "time_data_path" && (part && (part->tag == "time_shared" || part->tag == "time_l1"))) return;
    if (part && part->number() > 0 && (!next || part->number() > next->number())) next = part;
  };
  for (const char* tag : kAlone) consider(tag);
  for (const char* tag : kAdded) consider(tag);
  if (!next) return;
  // No change of the kernel shortens its launch.
  Conclusion& said = out.add("change", here == "time_launch" ? ".launch" : ".next", {best});
  said.arguments.emplace_back("part", MetricName{here, true});
  said.arguments.emplace_back("share", *share);
  said.arguments.emplace_back("next", MetricName{next->tag, true});
  said.arguments.emplace_back("time", *next);
}

/// At how many other sizes and GPUs the same configuration comes first.
void add_elsewhere(const Table& table, const Contest& c, Answers& out) {
  if (c.gpu.empty()) return;
  size_t all = 0, same = 0;
  for (const Contest& other : all_contests(table, c.tag, c.provenance, c.larger_is_better)) {
    if (other.gpu == c.gpu && other.n == c.n && other.r == c.r && other.problem == c.problem) continue;
    ++all;
    same += same_winner(table, other, c) || !told_apart(table, other, other.rows[0], other.rows[1]);
  }
  if (all == 0) return;
  Conclusion& said = out.add("sure", ".elsewhere", {});
  said.arguments.emplace_back("same", count_in(same));
  said.arguments.emplace_back("count", count_in(all));
}

/// Where kernels are compared of which nothing verified that they compute the same: who says so.
void add_compared(const Table& table, const Contest& c, Answers& out) {
  std::string by;
  bool several = false;
  for (size_t row : c.rows) {
    several |= table.rows[row][Axis::Kernel] != table.rows[c.rows[0]][Axis::Kernel];
    if (const Value* v = table.rows[row].find("problem_by"); v && by != "arrays") by = v->text();
  }
  if (several && !by.empty()) out.add("sure", by == "arrays" ? ".by_arrays" : ".by_study", {});
}

void add_sure(const Table& table, const Contest& c, Answers& out) {
  const size_t best = c.rows[0];
  const Row& row = table.rows[best];
  const bool measured = c.provenance == Provenance::Measured;
  if (const auto ends = ends_of_span(table, c, best)) {
    Conclusion& said = out.add("sure", measured ? ".runs" : ".band" + side_of_band(row), {best});
    said.arguments.emplace_back("low", ends->first);
    said.arguments.emplace_back("high", ends->second);
  } else {
    out.add("sure", "." + std::string(name(c.provenance)), {});
  }
  if (row.find("missing_figures")) out.add("sure", ".missing", {best});
  add_elsewhere(table, c, out);
  add_compared(table, c, out);
  std::vector<size_t> wrong, faults, left_out;
  size_t verified = 0;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Value* v = table.rows[i].find("verified");
    if (v && v->number() == 1) ++verified;
    if (v && v->number() != 1) (table.rows[i].find("fault") ? faults : wrong).push_back(i);
    if (c.provenance == Provenance::Modelled && !modelled_whole(table.rows[i])) left_out.push_back(i);
  }
  if (!wrong.empty())
    out.add("sure", ".wrong", wrong).arguments.emplace_back("count", count_in(wrong.size()));
  else if (verified > 0)
    out.add("sure", ".verified", {}).arguments.emplace_back("count", count_in(verified));
  if (!faults.empty())
    out.add("sure", ".faults", faults).arguments.emplace_back("count", count_in(faults.size()));
  if (!left_out.empty())
    out.add("sure", ".left_out", left_out).arguments.emplace_back("count", count_in(left_out.size()));
}

/// The contest that the table is about.
std::optional<Contest> main_contest(const Table& table) {
  for (Provenance p : {Provenance::Measured, Provenance::Modelled, Provenance::Published}) {
    if (auto found = main_contests(table, p); !found.empty()) return std::move(found[0]);
    // What kernels of one study take is asked for more than what one takes elsewhere.
    if (auto only = contest_of_one(table, p); only && !unrelated(table, *only).empty()) return only;
    if (auto shared = contest_of_gpus(table, "time", p, false)) return shared;
  }
  for (Provenance p : {Provenance::Measured, Provenance::Modelled})
    if (auto only = contest_of_one(table, p)) return only;
  return {};
}

double number_at(const Conclusion& c, std::string_view key) {
  for (const auto& [name, argument] : c.arguments)
    if (name == key)
      if (const Value* v = std::get_if<Value>(&argument)) return v->number();
  return 0;
}

/// Doublings that a sentence tells of, capped: beyond, more is not worth more.
double doublings(const Conclusion& c) {
  constexpr double kMost = 5;
  const double times = std::max(number_at(c, "by"), number_at(c, "by_last"));
  return times > 1 ? std::min(std::log2(times), kMost) : 0;
}

/// What a sentence is worth by what it is about.
double worth(const Conclusion& c, bool first_best) {
  const std::string& m = c.message;
  if (m.starts_with("best")) return (first_best ? 100 : 4) + doublings(c);
  if (m.starts_with("gpus.level.all")) return 1;
  if (m.starts_with("gpus")) return 5 + doublings(c);
  if (m == "agree.apart") return 6;  // the model or the paper is wrong there
  if (m.starts_with("less")) return m == "less.none" ? 6 : 2 + doublings(c);
  if (m.starts_with("fewest")) return 3 + doublings(c);
  if (m == "left_out") return 2.5;
  if (m == "missing") return 2;
  return 1;
}

}  // namespace

std::vector<Conclusion> verdict(const Table& table, size_t not_so) {
  const auto contest = main_contest(table);
  if (!contest) return {};
  Answers out;
  add_best(table, *contest, out);
  add_why(table, *contest, out);
  add_change(table, *contest, out);
  add_sure(table, *contest, out);
  if (not_so > 0) out.add("sure", ".not_so", {}).arguments.emplace_back("count", count_in(not_so));
  return out.take();
}

std::vector<Conclusion> ranked(std::vector<Conclusion> conclusions) {
  struct Thought {
    double worth = 0;
    std::vector<Conclusion> sentences;
  };
  std::vector<Thought> thoughts;
  bool first_best = true;
  for (Conclusion& c : conclusions) {
    if (!c.goes_on || thoughts.empty()) {
      thoughts.push_back({worth(c, first_best), {}});
      first_best &= !c.message.starts_with("best");
    }
    thoughts.back().sentences.push_back(std::move(c));
  }
  std::stable_sort(thoughts.begin(), thoughts.end(),
                   [](const Thought& a, const Thought& b) { return a.worth > b.worth; });
  std::vector<Conclusion> out;
  for (Thought& t : thoughts)
    for (Conclusion& c : t.sentences) out.push_back(std::move(c));
  return out;
}

}  // namespace ww::study
