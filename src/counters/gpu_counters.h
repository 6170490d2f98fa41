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

/// A PTX instruction that ran.
struct InstructionLine {
  std::string file;  ///< the source line that it comes from
  int line = 0;
  int ptx_line = 0;
  std::string ptx;            ///< "ld.shared.f32 %f2, [%r21]"
  std::vector<Value> values;  ///< as those of line_table, of this instruction alone
};
/// In the order of the PTX; nothing where it does not say what sources it comes from.
std::vector<InstructionLine> instruction_lines(const engine::RunResult& run,
                                               const rules::AccessTotals& totals, const gpus::Gpu& gpu);

}  // namespace ww::counters
