#include "sampling/counted_run.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "rules/generations.h"
#include "rules/merged.h"
#include "sampling/grid_trace.h"
#include "sampling/regular.h"
#include "sampling/sample.h"

namespace ww::sampling {

namespace {

/// What the workers of a run add up, each for itself: once for all capabilities on which it is the same.
class Totals {
 public:
  explicit Totals(const std::vector<rules::Capability>& capabilities) : capabilities_(capabilities) {}

  std::vector<rules::AccessTotals>& of(int worker, const engine::Program& program) {
    std::lock_guard lock(mutex_);
    if (none_.empty()) begin(program);
    return by_worker_.try_emplace(worker, none_).first->second;
  }
  std::vector<rules::AccessTotals> sum(const engine::Program& program) {
    std::vector<rules::AccessTotals> all = std::move(of(0, program)), out;
    for (const auto& [worker, totals] : by_worker_)
      for (size_t k = 0; worker > 0 && k < totals.size(); ++k) all[k].add(totals[k], 1);
    for (size_t k = 0; k < capabilities_.size(); ++k) {
      out.emplace_back(program, capabilities_[k], groups_[group_[k]].merged);
      out.back().add(all[group_[k]], 1);
    }
    return out;
  }

 private:
  struct Group {
    rules::Capability rules;
    std::vector<rules::MergedAccess> merged;
  };
  void begin(const engine::Program& program) {
    for (rules::Capability cc : capabilities_) {
      Group mine{rules::same_rules_from(cc), rules::merged_accesses(program, cc)};
      const auto same = [&](const Group& g) {
        const auto alike = [](const rules::MergedAccess& a, const rules::MergedAccess& b) {
          return a.instructions == b.instructions && a.bytes == b.bytes;
        };
        return g.rules == mine.rules &&
               std::equal(g.merged.begin(), g.merged.end(), mine.merged.begin(), mine.merged.end(), alike);
      };
      const auto known = std::find_if(groups_.begin(), groups_.end(), same);
      group_.push_back(static_cast<size_t>(known - groups_.begin()));
      if (known != groups_.end()) continue;
      none_.emplace_back(program, cc, mine.merged);
      groups_.push_back(std::move(mine));
    }
  }

  const std::vector<rules::Capability>& capabilities_;
  std::mutex mutex_;
  std::vector<size_t> group_;  ///< by capability
  std::vector<Group> groups_;
  std::vector<rules::AccessTotals> none_;  ///< by group
  std::map<int, std::vector<rules::AccessTotals>> by_worker_;
};

/// Runs some blocks of the grid and adds what they did, each block `times`.
class Counter {
 public:
  Counter(engine::Engine& engine, engine::LoadedModule& module, const engine::LaunchRequest& request,
          const CountPlan& plan)
      : engine_(engine), module_(module), request_(request), plan_(plan), others_(request.listeners) {
    request_.counted = true;
  }

  /// Only `blocks` (none: all), counted once. `probe` may watch.
  Result<CountedRun> run(std::vector<u64> blocks, Probe* probe = nullptr) {
    CountedRun out;
    Totals totals(plan_.capabilities);
    rules::PatternObserver patterns(
        [&](int worker, const engine::Program& program, const rules::AccessHistogram& h) {
          for (rules::AccessTotals& t : totals.of(worker, program)) t.add(h);
        });
    caches::TraceLimits limits;
    limits.events = blocks.empty() ? 4 * kReplayBudget : ~u64{0};  // blocks that were chosen are all wanted
    limits.blocks = plan_.traced_blocks;
    caches::TraceRecorder recorder(limits);
    const bool heard = !plan_.capabilities.empty() || probe || plan_.traced_blocks > 0;
    request_.listeners = others_;
    if (plan_.traced_blocks > 0) request_.listeners.push_back(&recorder);
    if (probe) request_.listeners.push_back(probe);
    if (heard) request_.listeners.push_back(&patterns);
    request_.blocks = std::move(blocks);
    auto result = engine_.run(module_, request_);
    if (!result) return result.error();
    if (heard) patterns.finish();
    traces.merge(recorder.take());
    out.run = std::move(*result);
    out.totals = totals.sum(*out.run.program);
    out.blocks = request_.grid.count();
    out.blocks_run = request_.blocks.empty() ? out.blocks : request_.blocks.size();
    return out;
  }

  std::map<u64, caches::BlockTrace> traces;  ///< of all blocks that ran, as far as they are kept

 private:
  engine::Engine& engine_;
  engine::LoadedModule& module_;
  engine::LaunchRequest request_;
  const CountPlan& plan_;
  std::vector<events::Listener*> others_;  ///< the request's own
};

bool went_wrong(const CountedRun& r) { return !r.run.faults.empty() || r.run.cancelled; }

void add(CountedRun& all, const CountedRun& more, u64 times) {
  all.run.ran = engine::both(all.run.ran, more.run.ran);
  for (size_t k = 0; k < all.run.executions.size(); ++k) {
    all.run.executions[k].warps += more.run.executions[k].warps * times;
    all.run.executions[k].threads += more.run.executions[k].threads * times;
    all.run.executions[k].parted += more.run.executions[k].parted * times;
  }
  for (const auto& [instruction, landings] : more.run.landings)
    for (u32 s = 0; s < engine::kLandingCount; ++s) {
      all.run.landings[instruction][s].requests += landings[s].requests * times;
      all.run.landings[instruction][s].bytes += landings[s].bytes * times;
    }
  for (size_t k = 0; k < all.totals.size(); ++k) all.totals[k].add(more.totals[k], times);
}

bool alike(const CountedRun& a, const CountedRun& b) {
  const auto same = [](const engine::Executions& x, const engine::Executions& y) {
    return x.warps == y.warps && x.threads == y.threads && x.parted == y.parted;
  };
  return a.totals == b.totals && a.run.landings == b.run.landings &&
         std::equal(a.run.executions.begin(), a.run.executions.end(), b.run.executions.begin(), same);
}

/// Blocks of a grid in no pattern that a kernel's own would follow: multiples of the golden ratio.
std::vector<u64> scattered(u64 blocks) {
  constexpr int kTrials = 6;
  std::vector<u64> out;
  double at = 0;
  for (int k = 0; k < kTrials; ++k) {
    at += 0.6180339887498949;
    at -= std::floor(at);
    out.push_back(static_cast<u64>(at * static_cast<double>(blocks)));
  }
  return out;
}

Result<CountedRun> run_whole(Counter& counter, const engine::Extent3& grid) {
  auto all = counter.run({});
  if (all) all->trace = std::make_shared<RecordedGrid>(grid.count(), std::move(counter.traces));
  return all;
}

Result<CountedRun> run_sample(Counter& counter, const engine::Extent3& grid, const CountPlan& plan) {
  const auto whole = [&](std::string why) {
    counter.traces.clear();
    auto all = run_whole(counter, grid);
    if (all) all->sampling = std::move(why);
    return all;
  };
  // One inner block and its neighbours tell how addresses move with the block's index.
  const Sampler sampler(grid);
  const u64 base = sampler.inner_block();
  Probe at_base;
  auto first = counter.run({base}, &at_base);
  if (!first || went_wrong(*first)) return first;
  if (!independent_blocks(*first->run.program)) return whole("its blocks hand results to one another");
  if (!regular_control(first->run)) return whole("what its blocks do depends on data or on their place");
  std::array<u32, 3> periods{1, 1, 1};
  std::map<u64, CountedRun> done;
  for (size_t d = 0; d < 3; ++d) {
    const auto next = sampler.neighbour(d);
    if (!next) continue;
    Probe there;
    auto run = counter.run({*next}, &there);
    if (!run || went_wrong(*run)) return run;
    periods[d] = period(at_base, there);
    done.emplace(*next, std::move(*run));
  }
  const auto groups = sampler.groups(periods);
  u64 planned = 0;
  for (const auto& group : groups) planned += group.second.size();
  if (2 * planned > grid.count()) return whole("too few of its blocks do alike");
  // Blocks near, far away and here and there must do as their representatives do.
  done.emplace(base, *first);
  std::vector<u64> trials = {sampler.far_block(periods)};
  for (const auto& neighbour : done) trials.push_back(neighbour.first);
  for (u64 b : scattered(grid.count())) trials.push_back(b);
  for (u64 trial : trials) {
    const u64 standing_for_it = sampler.number(sampler.representative(sampler.place(trial), periods));
    if (standing_for_it == trial) continue;
    for (u64 b : {standing_for_it, trial}) {
      if (done.contains(b)) continue;
      auto run = counter.run({b});
      if (!run || went_wrong(*run)) return run;
      done.emplace(b, std::move(*run));
    }
    if (!alike(done.at(trial), done.at(standing_for_it))) return whole("its blocks do not do alike");
  }

  CountedRun all = *first;
  for (auto& e : all.run.executions) e = {};
  all.run.landings.clear();
  for (rules::AccessTotals& t : all.totals) t.clear();
  all.blocks_run = done.size();
  for (const auto& [times, blocks] : groups) {
    std::vector<u64> fresh;
    for (u64 b : blocks) {
      if (auto it = done.find(b); it != done.end())
        add(all, it->second, times);
      else
        fresh.push_back(b);
    }
    if (fresh.empty()) continue;
    auto run = counter.run(fresh);
    if (!run || went_wrong(*run)) return run;
    add(all, *run, times);
    all.blocks_run += fresh.size();
  }
  if (plan.traced_blocks == 0) return all;
  auto translated = std::make_shared<TranslatedGrid>(grid, sampler, periods, counter.traces);
  bool proven = true;
  for (const auto& [block, trace] : counter.traces) proven &= translated->predicts(block, trace);
  all.trace = translated;
  if (proven) return all;
  // Blocks do alike, but not where translation says: the first ones run.
  counter.traces.clear();
  std::vector<u64> blocks(std::min(plan.traced_blocks, grid.count()));
  std::iota(blocks.begin(), blocks.end(), u64{0});
  auto begin = counter.run(std::move(blocks));
  if (!begin || went_wrong(*begin)) return begin;
  all.trace = std::make_shared<RecordedGrid>(grid.count(), std::move(counter.traces));
  return all;
}

}  // namespace

const rules::AccessTotals& CountedRun::of(rules::Capability cc) const {
  auto it = std::find_if(totals.begin(), totals.end(),
                         [&](const rules::AccessTotals& t) { return t.capability() == cc; });
  assert(it != totals.end());
  return *it;
}

Result<CountedRun> run_counted(engine::Engine& engine, engine::LoadedModule& module,
                               engine::LaunchRequest request, const CountPlan& plan) {
  const engine::Extent3 grid = request.grid;
  Counter counter(engine, module, request, plan);
  return plan.sample && !request.cooperative ? run_sample(counter, grid, plan) : run_whole(counter, grid);
}

}  // namespace ww::sampling
