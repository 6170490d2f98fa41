// What a GPU's profiler would say of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/table.h"
#include "counters/access_totals.h"
#include "counters/cache/replay.h"
#include "engine/engine.h"
#include "gpus/gpu.h"

namespace ww::counters {

inline Capability capability(const gpus::Gpu& gpu) { return 10 * gpu.cc_major + gpu.cc_minor; }

/// A replay of the run through a GPU's caches.
struct CacheRun {
  CacheSetup setup;
  Replay replay;
};

/// Counters of the run on this GPU, under neutral names. `blocks`: of the whole grid. `caches`: may be null.
std::vector<Value> gpu_values(const engine::RunResult& run, const AccessTotals& totals, const gpus::Gpu& gpu,
                              u64 blocks, const CacheRun* caches);

/// The counters of every source line that ran: requests, transactions or sectors, wavefronts and conflicts as
/// the GPU has them, and executions. A row for each line (axis kernel: "file.cu:12"), in the order of the
/// source.
Table line_table(const engine::RunResult& run, const AccessTotals& totals, const gpus::Gpu& gpu);

}  // namespace ww::counters
