// What a GPU's profiler would say of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/table.h"
#include "counters/cache_values.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "rules/access_totals.h"

namespace ww::counters {

using engine::u32;
using engine::u64;

/// Counters of the run on this GPU, under neutral names. `blocks`: of the whole grid. `caches`: may be null.
std::vector<Value> gpu_values(const engine::RunResult& run, const rules::AccessTotals& totals,
                              const gpus::Gpu& gpu, u64 blocks, const CacheFigures* caches);

/// The counters of every source line that ran: requests, transactions or sectors, wavefronts and conflicts as
/// the GPU has them, and executions. A row for each line (axis kernel: "file.cu:12"), in the order of the
/// source.
Table line_table(const engine::RunResult& run, const rules::AccessTotals& totals, const gpus::Gpu& gpu);

}  // namespace ww::counters
