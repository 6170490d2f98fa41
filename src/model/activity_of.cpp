#include "model/activity_of.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "counters/counters.h"
#include "ir/accesses.h"
#include "model/tensor_work.h"
#include "model/waits.h"

namespace ww::model {

namespace {

using rules::AccessKind;
using rules::CostSpace;

/// Executions by warps of one function's instructions, by block and place in it; 0 for what the program does
/// not hold.
using Executed = std::vector<std::vector<double>>;

Executed executed(const engine::RunResult& run, const ir::Function& f) {
  Executed out(f.blocks.size());
  for (size_t b = 0; b < out.size(); ++b) out[b].resize(f.blocks[b].instructions.size());
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const auto& info = run.program->infos[k];
    if (info.function != &f) continue;
    const auto& instructions = f.blocks[info.block].instructions;
    const auto at = info.instruction - instructions.data();
    if (at >= 0 && at < static_cast<ptrdiff_t>(instructions.size()))
      out[info.block][static_cast<size_t>(at)] = static_cast<double>(run.executions[k].warps);
  }
  return out;
}

double times(const std::vector<double>& block) {
  double most = 0;
  for (double n : block) most = std::max(most, n);
  return most;
}

/// Adds the chain of `rounds` passes through a stretch, `times` over. Of its global loads no more are under
/// way at once than registers hold.
void add(ptxas::Chain& all, ptxas::Chain chain, const ptxas::LoadRoom& loads, double rounds, double times) {
  if (chain.global > 0 && loads.room > 0)
    chain.global = std::max(chain.global, rounds * loads.words / loads.room);
  all.global += times * chain.global;
  all.shared += times * chain.shared;
  all.alu += times * chain.alu;
}

/// Warp instructions that start bulk and tensor copies.
double bulk_operations(const engine::RunResult& run) {
  double sum = 0;
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const ir::Instruction& in = *run.program->infos[k].instruction;
    bool bulk = false;
    for (const isa::MemoryEffect& e : ir::effects_of(in).memory) bulk |= e.range == isa::Range::Bulk;
    if (bulk) sum += static_cast<double>(run.executions[k].warps);
  }
  return sum;
}

/// How often a stretch is run by itself, and for a loop that is unrolled its bodies of two and four rounds.
struct Bodies {
  double once = 0, two = 0, four = 0;
  double entries = 0;  ///< of an unrolled loop
  double rounds() const { return once + 2 * two + ptxas::kUnroll * four; }
  double all() const { return once + two + four; }
};

Bodies bodies_of(const ptxas::Stretch& s, const Executed& executed) {
  const double n = times(executed[s.blocks.front()]);
  const auto& last = executed[s.blocks.back()];
  if (!s.unrolled || last.empty()) return {n};
  // The branch back is guarded, so that it counts where it is taken; what is left came from outside.
  const double entries = n - last.back();
  if (entries < 1) return {n};
  const auto rounds = static_cast<int64_t>(std::lround(n / entries));
  const double scale = n / static_cast<double>(std::max<int64_t>(rounds, 1));
  static_assert(ptxas::kUnroll == 4);
  return {scale * static_cast<double>(rounds % 2), scale * static_cast<double>(rounds % 4 / 2),
          scale * static_cast<double>(rounds / 4), entries};
}

/// The chain of all executions of a stretch, summed over the warps.
void add_stretch(ptxas::Chain& all, const ptxas::Stretch& s, const ptxas::LoadRoom& loads,
                 const Bodies& bodies) {
  add(all, s.once, loads, 1, bodies.once);
  add(all, s.two, loads, 2, bodies.two);
  add(all, s.four, loads, ptxas::kUnroll, bodies.four);
}

/// Who runs a stretch, as far as the number of its executions tells.
enum class Who { AllWarps, OneOfBlock, OneBlock };

Who runs(double executions, const Activity& a, bool barriers) {
  if (a.blocks > 1 && executions <= a.warps_per_block()) return Who::OneBlock;
  return barriers && executions <= static_cast<double>(a.blocks) ? Who::OneOfBlock : Who::AllWarps;
}

/// Clocks of a chain whose loads L2 has: those of the last block, of what others wrote.
double clocks_of(const ptxas::Chain& chain, double fences, double barriers, const Activity& a,
                 const gpus::Gpu& gpu) {
  const auto figure = [](const gpus::Maybe<gpus::Rate>& f) { return f ? f->value : 0; };
  return chain.global * figure(gpu.l2_latency) + chain.shared * figure(gpu.shared_latency) +
         chain.alu * figure(gpu.alu_latency) + fences * figure(gpu.fence_latency) +
         barriers * (figure(gpu.barrier_latency) + a.warps_per_block() * figure(gpu.barrier_per_warp));
}

/// Adds what warps pass one after another. What one warp does for its block, all of them wait for at the next
/// barrier; what one block does for all comes behind everything else.
void add_waiting(Activity& a, ptxas::Chain& all, const ir::Function& f, const ptxas::Stretch& s,
                 const ptxas::LoadRoom& loads, const Bodies& bodies, const Executed& counts, bool barriers,
                 const gpus::Gpu& gpu) {
  const double n = times(counts[s.blocks.front()]);
  if (n == 0) return;
  ptxas::Chain chain;
  add_stretch(chain, s, loads, bodies);
  double fences = 0, meetings = 0;
  for (ir::BlockId b : s.blocks)
    for (size_t i = 0; i < counts[b].size(); ++i) {
      const ir::Instruction& in = f.blocks[b].instructions[i];
      if (ptxas::is_fence(in)) fences += counts[b][i];
      if (ptxas::is_barrier(in)) meetings += counts[b][i];
    }
  const Who who = runs(n, a, barriers);
  if (who == Who::OneBlock) {
    const ptxas::Chain once{chain.global / n, chain.shared / n, chain.alu / n};
    a.alone += clocks_of(once, fences / n, meetings / n, a, gpu);
    return;
  }
  const double others = who == Who::OneOfBlock ? a.warps_per_block() : 1;
  all.global += others * chain.global, all.shared += others * chain.shared, all.alu += others * chain.alu;
  a.fences += others * fences;
  a.barriers += meetings;
}

/// Instructions by class, the chain of a warp, barriers and overlap. Returns what is spilled.
Spilled add_code(Activity& a, const sampling::CountedRun& run, const gpus::Gpu& gpu, const LaunchFacts& facts,
                 const KernelCode& code) {
  Spilled out;
  const engine::Program& program = *run.run.program;
  ptxas::Chain chain;
  std::array<double, ptxas::kUnits> sums{};
  double beside = 0;
  for (size_t n = 0; n < code.size(); ++n) {
    const ir::Function& f = *program.functions[n]->function;
    const auto& [machine, loading, spinning, stretches, loads] = code[n];
    const Executed counts = executed(run.run, f);
    bool meets = false;
    for (size_t b = 0; b < machine.size(); ++b)
      for (size_t i = 0; i < machine[b].size(); ++i) {
        for (size_t u = 0; u < sums.size(); ++u) sums[u] += machine[b][i].of[u] * counts[b][i];
        if (spinning[b][i]) a.spin_reads += counts[b][i];
        if (loading[b][i]) beside += machine[b][i].sum() * counts[b][i];
        meets = meets || (ptxas::is_barrier(f.blocks[b].instructions[i]) && counts[b][i] > 0);
      }
    for (size_t k = 0; k < stretches.size(); ++k) {
      const Bodies bodies = bodies_of(stretches[k], counts);
      add_waiting(a, chain, f, stretches[k], loads[k], bodies, counts, meets, gpu);
      for (size_t u = 0; u < sums.size(); ++u)
        sums[u] -= stretches[k].once_a_body.of[u] * (bodies.rounds() - bodies.all());
      sums[static_cast<size_t>(ptxas::Unit::IntAlu)] += ptxas::kUnrollComparisons * bodies.entries;
      sums[static_cast<size_t>(ptxas::Unit::Other)] += ptxas::kUnrollBranches * bodies.entries;
    }
    if (!facts.spills) continue;
    const auto spilled =
        ptxas::spills_of(f, stretches, rules::capability(gpu), static_cast<int>(a.registers));
    double stores = 0, loads_in_code = 0;
    for (const ptxas::Spill& s : spilled) stores += 4 * s.stores, loads_in_code += 4 * s.loads;
    const auto scale = [](int64_t said, double estimated) {
      return said > 0 && estimated > 0 ? static_cast<double>(said) / estimated : 1;
    };
    for (size_t k = 0; k < stretches.size(); ++k) {
      const double ran = times(counts[stretches[k].blocks.front()]);
      out.loads += ran * spilled[k].loads * scale(facts.spill_loads, loads_in_code);
      out.stores += ran * spilled[k].stores * scale(facts.spill_stores, stores);
      if (ran > 0) out.words = std::max(out.words, spilled[k].words);
    }
  }
  const auto sum = [&](ptxas::Unit u) { return sums[static_cast<size_t>(u)]; };
  using ptxas::Unit;
  a.fp32 = sum(Unit::Fp32), a.fp64 = sum(Unit::Fp64), a.int_alu = sum(Unit::IntAlu),
  a.int_mul = sum(Unit::IntMul);
  a.sfu = sum(Unit::Special), a.tensor = sum(Unit::Tensor), a.load_store = sum(Unit::LoadStore),
  a.other = sum(Unit::Other);
  const double warps = a.warps();
  a.global_rounds = chain.global / warps, a.shared_rounds = chain.shared / warps,
  a.alu_chain = chain.alu / warps;
  a.barriers /= warps, a.fences /= warps;
  a.overlap = a.instructions() > 0 ? std::min(1.0, beside / a.instructions()) : 1;
  return out;
}

/// What caches let through. Without a model of them: everything that the warps ask for reaches L2, and every
/// buffer goes between L2 and memory once, or less if fewer sectors are asked for. 1.x has no caches for it.
void add_caches(Activity& a, const counters::CacheFigures* caches, const rules::AccessTotals& totals,
                const gpus::Gpu& gpu, double buffers) {
  const auto sum = [&](AccessKind kind) {
    rules::Cost c = totals.sum(CostSpace::Global, kind);
    c += totals.sum(CostSpace::Local, kind);
    c += totals.sum(CostSpace::Texture, kind);
    return c;
  };
  const rules::Cost load = sum(AccessKind::Load), store = sum(AccessKind::Store),
                    atomic = sum(AccessKind::Atomic);
  const auto moved = [&](const rules::Cost& c) {
    return 32.0 * c.sized[0] + 64.0 * c.sized[1] + 128.0 * c.sized[2];
  };
  if (gpu.cc_major == 1) {
    a.dram_bytes_read = moved(load) + moved(atomic);
    a.dram_bytes_written = moved(store) + moved(atomic);
    a.global_load_sectors = a.dram_bytes_read / gpus::kSector;
    return;
  }
  a.global_load_sectors = static_cast<double>(load.sectors);
  a.global_store_sectors = static_cast<double>(store.sectors + atomic.sectors);
  if (caches) {
    a.l2_read_sectors = static_cast<double>(caches->l2_read_sectors);
    a.l2_write_sectors = static_cast<double>(caches->l2_write_sectors);
    a.dram_bytes_read = static_cast<double>(caches->dram_bytes_read);
    a.dram_bytes_written = static_cast<double>(caches->dram_bytes_written);
    if (caches->bulk_known) a.bulk_operations = 0;
    return;
  }
  a.l2_read_sectors = static_cast<double>(load.sectors);
  a.l2_write_sectors = a.global_store_sectors;
  const auto once = [&](double sectors) {
    return buffers > 0 ? std::min(gpus::kSector * sectors, buffers) : gpus::kSector * sectors;
  };
  a.dram_bytes_read = once(a.l2_read_sectors);
  a.dram_bytes_written = once(a.l2_write_sectors);
}

/// Warp instructions that read or write texels, in linear memory or in arrays.
double texel_accesses(const engine::RunResult& run) {
  uint64_t all = 0;
  for (size_t k = 0; k < run.executions.size(); ++k) {
    if (run.executions[k].warps == 0) continue;
    const std::vector<ir::Access> accesses = ir::accesses_of(*run.program->infos[k].instruction);
    if (std::any_of(accesses.begin(), accesses.end(), [](const ir::Access& access) {
          return access.path == isa::Path::Texture || access.path == isa::Path::Surface;
        }))
      all += run.executions[k].warps;
  }
  return static_cast<double>(all);
}

}  // namespace

CodeWork code_work(const sampling::CountedRun& run, const gpus::Gpu& gpu, const LaunchFacts& facts,
                   const KernelCode& code) {
  const rules::AccessTotals& totals = run.of(rules::capability(gpu));
  CodeWork out;
  Activity& a = out.activity;
  a.blocks = facts.blocks, a.threads_per_block = facts.threads_per_block, a.registers = facts.registers;
  a.shared = run.run.program->shared_bytes + facts.dynamic_shared;
  a.parameters = run.run.program->params_bytes;
  a.flop = static_cast<double>(counters::flop_of(run.run));
  a.bulk_operations = bulk_operations(run.run);
  a.tensor_multiplies = tensor_multiplies(run.run, gpu);
  out.spilled = add_code(a, run, gpu, facts, code);
  for (AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic, AccessKind::Copy}) {
    const rules::Cost shared = totals.sum(CostSpace::Shared, kind);
    (kind == AccessKind::Load ? a.shared_load_wavefronts : a.shared_store_wavefronts) +=
        static_cast<double>(shared.wavefronts);
    a.shared_conflicts += static_cast<double>(shared.conflicts);
    for (CostSpace space : {CostSpace::Global, CostSpace::Local}) {
      const rules::Cost cost = totals.sum(space, kind);
      a.global_wavefronts += static_cast<double>(cost.l1.data);
      a.tag_lookups += static_cast<double>(cost.l1.lookups) / rules::kPlaces;
      a.global_requests += static_cast<double>(cost.requests);
      if (space == CostSpace::Local) a.local_sectors += static_cast<double>(cost.sectors);
    }
  }
  // A request of constant memory for several words becomes as many requests (CUDA C programming guide,
  // "Constant Memory").
  a.constant_passes = static_cast<double>(totals.sum(CostSpace::Constant, AccessKind::Load).conflicts);
  a.texture_requests = texel_accesses(run.run);
  return out;
}

Activity activity_of(const CodeWork& work, const sampling::CountedRun& run, const gpus::Gpu& gpu,
                     const MemoryFacts& facts) {
  const rules::AccessTotals& totals = run.of(rules::capability(gpu));
  Activity a = work.activity;
  a.atomic_passes = facts.atomic_passes;
  add_caches(a, facts.caches, totals, gpu, facts.buffers);
  const double requests = static_cast<double>(totals.sum(CostSpace::Global, AccessKind::Load).requests +
                                              totals.sum(CostSpace::Local, AccessKind::Load).requests +
                                              totals.sum(CostSpace::Texture, AccessKind::Load).requests);
  add_waits(a, gpu, requests, facts.waits);
  add_spills(a, work.spilled, gpu);
  return a;
}

}  // namespace ww::model
