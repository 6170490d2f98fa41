#include "device/cache_runs.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "model/occupancy.h"
#include "model/pace.h"

namespace ww::device {

caches::CacheSetup caches_of(const gpus::Gpu& gpu, const sampling::CountedRun& run,
                             const engine::LaunchRequest& request, int64_t registers) {
  const engine::Program& program = *run.run.program;
  model::Demand demand;
  demand.block_x = request.block.x;
  demand.block_y = request.block.y;
  demand.block_z = request.block.z;
  demand.registers = registers;
  demand.static_shared = program.shared_bytes;
  demand.dynamic_shared = request.dynamic_shared;
  demand.parameters = program.params_bytes;
  const auto occupancy = model::occupancy(gpu, demand);
  auto setup = occupancy ? caches::cache_setup(gpu, static_cast<uint32_t>(occupancy->active_blocks),
                                               static_cast<uint64_t>(occupancy->carveout.value_or(0)))
                         : caches::cache_setup(gpu, 1, program.shared_bytes + request.dynamic_shared);
  model::LaunchFacts facts;
  facts.blocks = static_cast<int64_t>(request.grid.count());
  facts.threads_per_block = static_cast<int64_t>(request.block.count());
  facts.registers = registers;
  facts.dynamic_shared = request.dynamic_shared;
  setup.pace = model::pace_of(run, gpu, facts);
  return setup;
}

uint64_t most_resident_blocks(const gpus::Gpu& gpu, const engine::LaunchRequest& request) {
  const auto threads = static_cast<int64_t>(std::max<uint64_t>(1, request.block.count()));
  const int64_t per_sm =
      std::max<int64_t>(1, std::min(gpu.max_blocks_per_sm.value, gpu.max_threads_per_sm / threads));
  return static_cast<uint64_t>(per_sm * gpu.sm_count);
}

std::vector<std::optional<counters::CacheRun>> cache_runs(const sampling::CountedRun& run,
                                                          const engine::LaunchRequest& request,
                                                          const std::vector<const gpus::Gpu*>& gpus,
                                                          const std::vector<int64_t>& registers,
                                                          int threads) {
  std::vector<std::optional<counters::CacheRun>> out(gpus.size());
  if (!run.trace) return out;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t k; (k = next.fetch_add(1)) < gpus.size();) {
      if (!gpus[k]->l2_bytes) continue;
      const auto setup = caches_of(*gpus[k], run, request, registers[k]);
      out[k] = {setup, caches::replay(*run.trace, setup, sampling::kReplayBudget)};
    }
  };
  std::vector<std::thread> team;
  for (size_t k = 1; k < std::min(gpus.size(), static_cast<size_t>(threads)); ++k) team.emplace_back(work);
  work();
  for (auto& t : team) t.join();
  return out;
}

}  // namespace ww::device
