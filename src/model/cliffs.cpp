// Where occupancy changes when one demand of a launch changes.
#include <algorithm>

#include "model/occupancy.h"

namespace ww::model {

namespace {

void append(std::vector<Step>& steps, const gpus::Gpu& gpu, const Demand& demand, int64_t first,
            int64_t last) {
  auto result = occupancy(gpu, demand);
  Step step{first, last, result ? result->active_warps : 0, result ? result->percent : 0};
  if (!steps.empty() && steps.back().active_warps == step.active_warps)
    steps.back().last = last;
  else
    steps.push_back(step);
}

}  // namespace

std::vector<Step> steps_by_registers(const gpus::Gpu& gpu, const Demand& demand) {
  std::vector<Step> steps;
  Demand other = demand;
  for (other.registers = 1; other.registers <= gpu.max_regs_per_thread; ++other.registers)
    append(steps, gpu, other, other.registers, other.registers);
  return steps;
}

std::vector<Step> steps_by_shared(const gpus::Gpu& gpu, const Demand& demand) {
  std::vector<Step> steps;
  Demand other = demand;
  other.static_shared = 0;
  int64_t most = gpu.smem_per_block_optin ? *gpu.smem_per_block_optin : gpu.smem_per_block_default;
  int64_t unit = gpu.smem_alloc_unit;
  // Between two steps lies at most one allocation unit: try the last byte of each, counted with what is added
  // to it.
  other.dynamic_shared = 0;
  auto none = occupancy(gpu, other);
  int64_t added = none ? none->shared_used + gpu.reserved_smem_per_block : gpu.reserved_smem_per_block.value;
  int64_t first = 0;
  for (int64_t allocated = 0; first <= most; allocated += unit) {
    int64_t last = std::min(allocated - added, most);
    if (last < first) continue;
    other.dynamic_shared = last;
    append(steps, gpu, other, first, last);
    first = last + 1;
  }
  return steps;
}

std::vector<Step> steps_by_block(const gpus::Gpu& gpu, const Demand& demand) {
  std::vector<Step> steps;
  Demand other = demand;
  other.block_y = other.block_z = 1;
  for (int64_t threads = 32; threads <= gpu.max_threads_per_block; threads += 32) {
    other.block_x = threads;
    append(steps, gpu, other, threads - 31, threads);
  }
  return steps;
}

Cliffs cliffs(const std::vector<Step>& steps, int64_t value) {
  Cliffs out;
  for (const auto& step : steps) {
    if (step.last < value) out.below = step;
    if (step.first > value && !out.above) out.above = step;
  }
  return out;
}

}  // namespace ww::model
