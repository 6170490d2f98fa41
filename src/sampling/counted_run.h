// Runs a kernel once and counts for any number of GPUs.
#pragma once

#include "caches/replay.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "rules/access_totals.h"

namespace ww::sampling {

using engine::u32;
using engine::u64;

struct CountPlan {
  std::vector<rules::Capability> capabilities;  ///< of the GPUs to count for
  bool sample = false;  ///< run a part of the grid that stands for the rest, if there is one
  /// Record what blocks asked of memory, for replays: of at least so many, if memory allows it, and of more
  /// as long as replays can want them. 0: none.
  u64 traced_blocks = 0;
};

struct CountedRun {
  engine::RunResult run;                           ///< its executions are those of the whole grid
  std::vector<rules::AccessTotals> totals;         ///< one for each capability of the plan
  u64 blocks = 0, blocks_run = 0;                  ///< of the grid, and those that ran
  std::shared_ptr<const caches::GridTrace> trace;  ///< if the plan asks for it
  std::string sampling;  ///< why the grid ran whole although a sample was wanted; "" otherwise

  /// The totals for this capability, which is one of the plan's.
  const rules::AccessTotals& of(rules::Capability cc) const;
};

/// Lines that a replay looks up (replay.h): a fraction of a second.
inline constexpr u64 kReplayBudget = u64{12} << 20;

/// The request's own listeners hear every run. Errors as Engine::run. A run that faulted has no totals.
Result<CountedRun> run_counted(engine::Engine& engine, engine::LoadedModule& module,
                               engine::LaunchRequest request, const CountPlan& plan);

}  // namespace ww::sampling
