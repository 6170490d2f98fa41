#include "forecast/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "caches/atomics.h"
#include "counters/gpu_counters.h"
#include "forecast/cache_run.h"
#include "forecast/registers.h"
#include "isa/first_capability.h"
#include "model/activity_of.h"
#include "model/pace.h"

namespace ww::forecast {

namespace {

model::Demand demand_of(const engine::Program& program, const LaunchShape& shape, int64_t registers) {
  model::Demand demand;
  demand.block_x = shape.block.x, demand.block_y = shape.block.y, demand.block_z = shape.block.z;
  demand.registers = registers;
  demand.static_shared = program.shared_bytes;
  demand.dynamic_shared = static_cast<int64_t>(shape.dynamic_shared);
  demand.parameters = program.params_bytes;
  return demand;
}

model::LaunchFacts launch_facts(const LaunchShape& shape, const model::Registers& registers,
                                const gpus::Gpu& gpu) {
  model::LaunchFacts facts;
  facts.blocks = static_cast<int64_t>(shape.grid.count());
  facts.threads_per_block = static_cast<int64_t>(shape.block.count());
  facts.dynamic_shared = static_cast<int64_t>(shape.dynamic_shared);
  facts.registers = registers.per_thread;
  facts.spill_stores = registers.spill_stores, facts.spill_loads = registers.spill_loads;
  facts.spills = registers.from == Provenance::Counted ? registers.spill_loads > 0
                                                       : registers.per_thread >= gpu.max_regs_per_thread;
  return facts;
}

/// Loads or stores doubles. Older compilers for 1.0 to 1.2 make floats of them (nvcc manual, "Double is not
/// supported. Demoting to float"), so arrays of doubles would have other sizes there. Arithmetic alone is
/// none: on those GPUs, the library's functions do without it.
bool moves_doubles(const ir::Instruction& in) {
  return (in.op == ir::Op::ld || in.op == ir::Op::st) && in.type() == isa::Type::f64;
}

/// Why the GPU cannot run this program at all: an instruction that came later. "" if it can.
std::string lacking(const engine::Program& program, const gpus::Gpu& gpu) {
  constexpr int kDoubles = 13;  // CUDA C programming guide, "Features and Technical Specifications"
  std::string latest;
  int first = rules::capability(gpu);
  for (const engine::InstInfo& info : program.infos) {
    const bool doubles = moves_doubles(*info.instruction);
    const int from = std::max(isa::first_capability(info.instruction->form()), doubles ? kDoubles : 0);
    if (from > first) first = from, latest = doubles ? "f64" : isa::later_operation(info.instruction->form());
  }
  if (latest.empty()) return "";
  return fmt::format("the kernel uses {}, which GPUs have from compute capability {}.{} on; {} has {}",
                     latest, first / 10, first % 10, gpu.id, gpu.compute_capability());
}

/// `atomic_passes`: the same for all GPUs.
Figures figures_of(const sampling::CountedRun& run, const gpus::Gpu& gpu, const Facts& facts,
                   double atomic_passes) {
  const engine::Program& program = *run.run.program;
  Figures out;
  out.gpu = gpu.id;
  const rules::AccessTotals& totals = run.of(rules::capability(gpu));
  out.memory = counters::memory_costs(totals);
  const auto find = [&] {
    CodeOn on{registers_of(facts.ptx, *program.module, *program.module->find_function(facts.kernel), gpu,
                           facts.registers),
              {}};
    on.code = model::kernel_code(program, gpu, on.registers.per_thread);
    return on;
  };
  const std::shared_ptr<const CodeOn> known =
      facts.code ? facts.code->of(run.run.program, gpu, find) : std::make_shared<const CodeOn>(find());
  const model::Registers& registers = known->registers;
  const model::CodeWork code =
      model::code_work(run, gpu, launch_facts(facts.shape, registers, gpu), known->code);
  model::MemoryFacts memory;
  memory.buffers = facts.buffers;
  memory.atomic_passes = atomic_passes;
  std::optional<counters::CacheRun> replayed;
  if (run.trace && gpu.l2_bytes) {
    const auto held = model::occupancy(gpu, demand_of(program, facts.shape, registers.per_thread));
    const auto setup =
        caches_of(gpu, held ? &*held : nullptr, program.shared_bytes + facts.shape.dynamic_shared,
                  model::pace_of(code, run, gpu));
    replayed = {setup, facts.replays ? facts.replays->of(*run.trace, setup, sampling::kReplayBudget)
                                     : caches::replay(*run.trace, setup, sampling::kReplayBudget)};
    // What was not replayed will be like the late part of what was.
    const caches::Replay& r = replayed->replay;
    memory.waits = r.whole ? &r.counts.waits : &r.late.waits;
  }
  out.caches = counters::cache_figures(replayed ? &*replayed : nullptr, totals, gpu);
  if (out.caches) memory.caches = &*out.caches;
  out.prediction = model::predict(gpu, model::activity_of(code, run, gpu, memory), registers);
  if (std::string why = lacking(program, gpu); !why.empty()) {
    out.prediction.refused = std::move(why);
    out.prediction.time = {};
  }
  if (facts.shared)
    out.padding = try_padding(*facts.shared, rules::capability(gpu), {}, facts.shape.dynamic_shared, true);
  return out;
}

double atomic_passes_of(const sampling::CountedRun& run) {
  return run.trace ? caches::busiest_atomic_line(*run.trace) : 0;
}

}  // namespace

sampling::CountPlan plan_for(std::span<const gpus::Gpu* const> gpus, const LaunchShape& shape, bool sample) {
  sampling::CountPlan plan;
  plan.sample = sample;
  for (const gpus::Gpu* gpu : gpus) {
    const rules::Capability cc = rules::capability(*gpu);
    if (std::find(plan.capabilities.begin(), plan.capabilities.end(), cc) == plan.capabilities.end())
      plan.capabilities.push_back(cc);
    if (gpu->l2_bytes) plan.traced_blocks = std::max(plan.traced_blocks, most_resident_blocks(*gpu, shape));
  }
  return plan;
}

double buffer_bytes(engine::Engine& engine, const std::vector<std::vector<uint8_t>>& arguments) {
  double bytes = 0;
  for (const auto& argument : arguments) {
    uint64_t address = 0;
    if (argument.size() != sizeof address) continue;
    std::memcpy(&address, argument.data(), sizeof address);
    if (const auto buffer = engine.memory().find(address)) bytes += static_cast<double>(buffer->size);
  }
  return bytes;
}

Figures of(const sampling::CountedRun& run, const gpus::Gpu& gpu, const Facts& facts) {
  return figures_of(run, gpu, facts, atomic_passes_of(run));
}

std::vector<Figures> of_each(const sampling::CountedRun& run, std::span<const gpus::Gpu* const> gpus,
                             const Facts& facts, int threads) {
  std::vector<Figures> out(gpus.size());
  if (gpus.empty()) return out;
  const double atomic_passes = atomic_passes_of(run);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t k; (k = next.fetch_add(1)) < gpus.size();)
      out[k] = figures_of(run, *gpus[k], facts, atomic_passes);
  };
  std::vector<std::thread> team;
  for (size_t k = 1; k < std::min(gpus.size(), static_cast<size_t>(std::max(threads, 1))); ++k)
    team.emplace_back(work);
  work();
  for (auto& t : team) t.join();
  return out;
}

std::vector<Value> counter_values(const sampling::CountedRun& run, const gpus::Gpu& gpu,
                                  const Figures& figures) {
  return counters::gpu_values(run.run, run.of(rules::capability(gpu)), gpu, run.blocks,
                              figures.caches ? &*figures.caches : nullptr);
}

Value engine_ran(std::string back) {
  return {"engine_ran", std::move(back), "", Provenance::Measured,
          "how this machine ran the kernel: interpreter, compiled code, or both"};
}

Value blocks_run(const sampling::CountedRun& run) {
  return {"blocks_run", static_cast<int64_t>(run.blocks_run), "blocks", Provenance::Counted,
          "blocks of the grid that ran; they stand for the others"};
}

}  // namespace ww::forecast
