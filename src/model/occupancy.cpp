#include "model/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/round.h"

namespace ww::model {

using gpus::Gpu;

namespace {

constexpr int64_t kMaxBlockZ =
    64;  // CUDA C Programming Guide, technical specifications: all compute capabilities
constexpr int64_t kLaunchHeader =
    16;  // 1.x: bytes of shared memory for grid and block sizes, before the parameters
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

class Calculator {
 public:
  Calculator(const Gpu& gpu, const Demand& demand) : gpu_(gpu), demand_(demand) {}

  Result<Occupancy> run() {
    if (!block_is_sane()) return why_;
    result_.warps_per_block = divide_up(demand_.threads(), gpus::kWarp);
    limit(Resource::Warps) = gpu_.max_warps_per_sm / result_.warps_per_block;
    limit(Resource::Blocks) = gpu_.max_blocks_per_sm;
    if (demand_.grid_blocks > 0) limit(Resource::Grid) = divide_up(demand_.grid_blocks, gpu_.sm_count);
    registers();
    shared_memory();
    if (!why_.empty()) return why_;
    conclude();
    return std::move(result_);
  }

 private:
  std::optional<int64_t>& limit(Resource resource) { return result_.limit[static_cast<int>(resource)]; }

  void refuse(std::string message, std::string hint = {}) {
    why_.push_back(error(fmt::format("{} cannot launch this: {}", gpu_.name, message), std::move(hint)));
  }

  bool block_is_sane() {
    int64_t most = gpu_.max_threads_per_block;
    auto side = [&](char axis, int64_t size, int64_t max) {
      if (size < 1 || size > max) refuse(fmt::format("block.{} is {}, it may be 1 to {}", axis, size, max));
    };
    side('x', demand_.block_x, most);
    side('y', demand_.block_y, most);
    side('z', demand_.block_z, kMaxBlockZ);
    if (!why_.empty()) return false;
    if (demand_.threads() > most)
      refuse(fmt::format("{} threads in a block, the limit of compute capability {} is {}", demand_.threads(),
                         gpu_.compute_capability(), most));
    if (demand_.registers < 0 || demand_.static_shared < 0 || demand_.dynamic_shared < 0 ||
        demand_.parameters < 0 || demand_.grid_blocks < 0)
      refuse("registers, shared memory, parameters and grid size cannot be negative");
    return why_.empty();
  }

  void registers() {
    if (demand_.registers > gpu_.max_regs_per_thread) {
      refuse(fmt::format("{} registers per thread, the limit of compute capability {} is {}",
                         demand_.registers, gpu_.compute_capability(), gpu_.max_regs_per_thread.value));
      return;
    }
    if (gpu_.registers_by_block)
      registers_by_block();
    else
      registers_by_warp();
  }

  // 1.x: a block gets registers for an even number of warps, rounded up as a whole.
  void registers_by_block() {
    int64_t warps = round_up(result_.warps_per_block, gpu_.warp_alloc_gran);
    result_.registers_per_block = round_up(warps * gpus::kWarp * demand_.registers, gpu_.reg_alloc_unit);
    check_block_registers(result_.registers_per_block);
    if (result_.registers_per_block > 0)
      limit(Resource::Registers) = gpu_.regs_per_sm / result_.registers_per_block;
  }

  // 2.0 and later: each warp is rounded up; the register file is divided among the parts of an SM.
  void registers_by_warp() {
    int64_t per_warp = round_up(gpus::kWarp * demand_.registers, gpu_.reg_alloc_unit);
    result_.registers_per_block = per_warp * result_.warps_per_block;
    // The hardware checks as if every part of the SM held equally many warps of the block. GP100 has two
    // parts, but the driver refuses there what other Pascals with their four would (cuda_occupancy.h).
    int64_t parts =
        gpu_.cc_major == 6 ? std::max<int64_t>(gpu_.warp_alloc_gran, 4) : gpu_.warp_alloc_gran.value;
    check_block_registers(per_warp * round_up(result_.warps_per_block, parts));
    if (per_warp == 0) return;
    int64_t warps_per_part = gpu_.regs_per_sm / gpu_.warp_alloc_gran / per_warp;
    limit(Resource::Registers) = warps_per_part * gpu_.warp_alloc_gran / result_.warps_per_block;
  }

  void check_block_registers(int64_t needed) {
    if (needed > gpu_.max_regs_per_block)
      refuse(fmt::format("{} threads of {} registers need {} registers, a block may have {}",
                         demand_.threads(), demand_.registers, needed, gpu_.max_regs_per_block.value),
             "a smaller block, or fewer registers per thread (-maxrregcount, __launch_bounds__)");
  }

  void shared_memory() {
    // Each part is checked against the SM first, so that the sum cannot overflow.
    int64_t most = gpu_.smem_per_sm;
    for (int64_t part : {demand_.static_shared, demand_.dynamic_shared, demand_.parameters})
      if (part > most) {
        refuse(fmt::format("{} bytes of shared memory in a block, an SM has {}", part, most));
        return;
      }
    int64_t used = demand_.static_shared + demand_.dynamic_shared;
    if (gpu_.cc_major == 1) used += kLaunchHeader + demand_.parameters;
    result_.shared_used = used;
    result_.shared_per_block = round_up(used + gpu_.reserved_smem_per_block, gpu_.smem_alloc_unit);

    int64_t plain = gpu_.smem_per_block_default;
    int64_t optin = gpu_.smem_per_block_optin ? gpu_.smem_per_block_optin->value : plain;
    result_.needs_optin = used > plain;
    if (demand_.static_shared > plain)
      refuse(fmt::format("{} bytes of static shared memory, a block may declare {}", demand_.static_shared,
                         plain),
             optin > plain ? fmt::format("dynamic shared memory may reach {} bytes", optin) : "");
    else if (used > optin)
      refuse(fmt::format("{} bytes of shared memory in a block, the limit of compute capability {} is {}",
                         used, gpu_.compute_capability(), optin));
    if (result_.shared_per_block > 0)
      limit(Resource::SharedMemory) = gpu_.smem_per_sm / result_.shared_per_block;
  }

  void conclude() {
    result_.active_blocks = kAny;
    for (const auto& most : result_.limit)
      result_.active_blocks = std::min(result_.active_blocks, most.value_or(kAny));
    for (int i = 0; i < kResourceCount; ++i)
      if (result_.limit[i] == result_.active_blocks) result_.binding.push_back(static_cast<Resource>(i));
    result_.active_warps = result_.active_blocks * result_.warps_per_block;
    result_.active_threads = result_.active_blocks * demand_.threads();
    result_.percent =
        100.0 * static_cast<double>(result_.active_warps) / static_cast<double>(gpu_.max_warps_per_sm);
    if (!gpu_.at_least(7)) return;
    int64_t needed = result_.active_blocks * result_.shared_per_block;
    for (int64_t size : gpu_.smem_carveouts)
      if (size >= needed && !result_.carveout) result_.carveout = size;
  }

  const Gpu& gpu_;
  const Demand& demand_;
  Occupancy result_;
  Diagnostics why_;
};

}  // namespace

std::string_view name(Resource resource) {
  static constexpr std::string_view kNames[] = {"warps", "registers", "shared memory", "blocks", "grid"};
  static_assert(std::size(kNames) == kResourceCount);
  return kNames[static_cast<int>(resource)];
}

Result<Occupancy> occupancy(const Gpu& gpu, const Demand& demand) { return Calculator(gpu, demand).run(); }

}  // namespace ww::model
