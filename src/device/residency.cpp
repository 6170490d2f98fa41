#include "device/residency.h"

#include <algorithm>

#include "model/occupancy.h"
#include "passes/liveness.h"

namespace ww::device {

int64_t estimated_registers(const engine::Program& program) { return passes::pressure_of(*program.entry).registers; }

counters::CacheSetup caches_of(const gpus::Gpu& gpu, const engine::Program& program, const engine::LaunchRequest& request) {
  model::Demand demand;
  demand.block_x = request.block.x;
  demand.block_y = request.block.y;
  demand.block_z = request.block.z;
  demand.registers = std::min(estimated_registers(program), gpu.max_regs_per_thread.value);
  demand.static_shared = program.shared_bytes;
  demand.dynamic_shared = request.dynamic_shared;
  demand.parameters = program.params_bytes;
  const auto occupancy = model::occupancy(gpu, demand);
  if (!occupancy) return counters::cache_setup(gpu, 1, program.shared_bytes + request.dynamic_shared);
  return counters::cache_setup(gpu, static_cast<uint32_t>(occupancy->active_blocks), static_cast<uint64_t>(occupancy->carveout.value_or(0)));
}

uint64_t most_resident_blocks(const gpus::Gpu& gpu, const engine::LaunchRequest& request) {
  const auto threads = static_cast<int64_t>(std::max<uint64_t>(1, request.block.count()));
  const int64_t per_sm = std::max<int64_t>(1, std::min(gpu.max_blocks_per_sm.value, gpu.max_threads_per_sm / threads));
  return static_cast<uint64_t>(per_sm * gpu.sm_count);
}

}  // namespace ww::device
