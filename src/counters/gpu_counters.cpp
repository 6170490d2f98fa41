#include "counters/gpu_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/round.h"
#include "counters/counters.h"
#include "counters/memory_values.h"
#include "ir/accesses.h"
#include "ir/places.h"
#include "ir/print.h"

namespace ww::counters {

namespace {

Value counted(std::string tag, u64 value, std::string unit, std::string description) {
  return {std::move(tag), static_cast<int64_t>(value), std::move(unit), Provenance::Counted,
          std::move(description)};
}

/// The part of the grid's blocks that the profiler of 1.x saw: those of one cluster of multiprocessors (three
/// in 1.2 and 1.3, two before), if they were dealt evenly.
double profiled_part(const gpus::Gpu& gpu, u64 blocks) {
  const u64 together = gpu.at_least(1, 2) ? 3 : 2;
  const u64 clusters = divide_up(static_cast<u64>(gpu.sm_count), together);
  return static_cast<double>(divide_up(blocks, clusters)) / static_cast<double>(blocks);
}

/// Compute to global memory access ratio, in the unit that the GPU's profiler makes of it (docs/accuracy.md).
void put_cgma(std::vector<Value>& out, const rules::AccessTotals& totals, const gpus::Gpu& gpu, u64 blocks,
              double flop) {
  const rules::Cost load = totals.sum(rules::CostSpace::Global, rules::AccessKind::Load),
                    store = totals.sum(rules::CostSpace::Global, rules::AccessKind::Store);
  double accesses = 0;
  std::string unit = "flop/transaction", what;
  if (gpu.cc_major == 1) {
    accesses = profiled_part(gpu, blocks) *
               static_cast<double>(2 * load.sized[0] + 2 * load.sized[1] + load.sized[2] + store.sized[2]);
    what =
        "flop / (2 x 32-byte loads + 2 x 64-byte loads + 128-byte loads + 128-byte stores) that the profiled "
        "multiprocessors made";
  } else if (gpu.at_least(5) && !gpu.at_least(7)) {
    accesses = static_cast<double>(load.transactions + store.transactions);
    what = "flop / (gld_transactions + gst_transactions)";
  } else {
    accesses = static_cast<double>(load.threads + store.threads);
    unit = "flop/access";
    what = "flop / accesses to global memory by threads";
  }
  if (accesses > 0) out.push_back({"cgma", flop / accesses, unit, Provenance::Counted, what});
}

}  // namespace

std::vector<Value> gpu_values(const engine::RunResult& run, const rules::AccessTotals& totals,
                              const gpus::Gpu& gpu, u64 blocks, const CacheFigures* caches) {
  std::vector<Value> out;
  count_instructions(run, out);
  count_divergence(run, out);
  count_flop(run, out);
  for (const auto& [family, cost] : memory_costs(totals))
    for (const MemoryMetric& m : memory_metrics(family->space))
      if (m.on(rules::capability(gpu)))
        out.push_back(counted(family->name + "_" + std::string(m.name), m.of(cost), std::string(m.unit),
                              std::string(m.description)));
  const auto flop = static_cast<double>(flop_of(run));
  if (caches) put_cache_values(out, *caches, flop);
  put_cgma(out, totals, gpu, blocks, flop);
  return out;
}

namespace {

/// What an instruction, or several, did.
struct Done {
  engine::Executions executions;
  std::map<std::string, std::pair<u64, const MemoryMetric*>> counters;

  void add(const engine::RunResult& run, const rules::AccessTotals& totals, rules::Capability cc, size_t i) {
    const ir::Instruction& in = *run.program->infos[i].instruction;
    executions.warps += run.executions[i].warps;
    executions.threads += run.executions[i].threads;
    if (!ir::effects_of(in).accesses_memory()) return;
    for (const MemoryFamily& f : memory_families()) {
      if (f.kind != totals.kind(i, f.space) || totals.of(i, f.space).requests == 0) continue;
      for (const MemoryMetric& m : memory_metrics(f.space)) {
        if (!m.on(cc)) continue;
        auto& [sum, metric] = counters[f.name + "_" + std::string(m.name)];
        sum += m.of(totals.of(i, f.space));
        metric = &m;
      }
    }
  }

  std::vector<Value> values() const {
    std::vector<Value> out = {counted("warp_instructions", executions.warps, "instructions",
                                      "PTX instructions executed, once for each warp"),
                              counted("thread_instructions", executions.threads, "instructions",
                                      "PTX instructions executed, once for each active thread")};
    for (const auto& [tag, c] : counters)
      out.push_back(counted(tag, c.first, std::string(c.second->unit), std::string(c.second->description)));
    return out;
  }
};

/// What was inlined from CUDA's headers (atomicAdd, __shfl_sync) counts for the line that called it.
Location users_line(const engine::InstInfo& info, const ir::Module& module) {
  const auto chain = ir::inlining_chain(module, *info.function, info.instruction->place);
  return chain[ir::users_place(chain)];
}

}  // namespace

Table line_table(const engine::RunResult& run, const rules::AccessTotals& totals, const gpus::Gpu& gpu) {
  std::map<std::pair<std::string, int>, Done> lines;
  for (size_t i = 0; i < run.executions.size() && i < totals.instructions(); ++i) {
    if (run.executions[i].warps == 0) continue;
    const Location at = users_line(run.program->infos[i], *run.program->module);
    lines[{at.file, at.line}].add(run, totals, rules::capability(gpu), i);
  }
  Table table{fmt::format("By source line, counted as on {}", gpu.name), {}, {}};
  for (const auto& [place, line] : lines) {
    Row row;
    row[Axis::Kernel] = fmt::format("{}:{}", place.first, place.second);
    row[Axis::Gpu] = gpu.id;
    row.values = line.values();
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<InstructionLine> instruction_lines(const engine::RunResult& run,
                                               const rules::AccessTotals& totals, const gpus::Gpu& gpu) {
  const ir::Module& module = *run.program->module;
  std::vector<InstructionLine> out;
  for (size_t i = 0; i < run.executions.size() && i < totals.instructions(); ++i) {
    if (run.executions[i].warps == 0) continue;
    const engine::InstInfo& info = run.program->infos[i];
    const Location at = users_line(info, module);
    if (at.file == module.name) continue;  // the PTX is the source
    Done done;
    done.add(run, totals, rules::capability(gpu), i);
    out.push_back({at.file, at.line, info.instruction->place.ptx_line,
                   ir::text_of(module, *info.function, *info.instruction), done.values()});
  }
  std::stable_sort(out.begin(), out.end(), [](const InstructionLine& a, const InstructionLine& b) {
    return a.ptx_line < b.ptx_line;
  });
  return out;
}

}  // namespace ww::counters
