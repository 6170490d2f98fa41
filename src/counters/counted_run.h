// Runs a kernel once and counts for any number of GPUs.
#pragma once

#include "counters/access_totals.h"
#include "engine/engine.h"
#include "gpus/gpu.h"

namespace ww::counters {

struct CountPlan {
  std::vector<Capability> capabilities;  ///< of the GPUs to count for
  bool sample = false;                   ///< run a part of the grid that stands for the rest, if there is one
};

struct CountedRun {
  engine::RunResult run;             ///< its executions are those of the whole grid
  std::vector<AccessTotals> totals;  ///< one for each capability of the plan
  u64 blocks = 0, blocks_run = 0;    ///< of the grid, and those that ran
  std::string sampling;              ///< why the grid ran whole although a sample was wanted; "" otherwise

  /// The totals for this capability, which is one of the plan's.
  const AccessTotals& of(Capability cc) const;
};

/// Errors as Engine::run. A run that faulted has no totals.
Result<CountedRun> run_counted(engine::Engine& engine, engine::LoadedModule& module, engine::LaunchRequest request,
                               const CountPlan& plan);

}  // namespace ww::counters
