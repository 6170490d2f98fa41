#include "model/spills.h"

#include <algorithm>
#include <cmath>

#include "model/occupancy.h"

namespace ww::model {

double lost(double bytes, double capacity) {
  constexpr int kWays = 8;
  if (capacity <= 0) return 1;
  const double mean = kWays * bytes / capacity;
  // Of n lines of a set all or none: sum of n p(n) / mean over n > kWays, which is the part of n >= kWays.
  double fewer = 0, p = std::exp(-mean);
  for (int n = 0; n < kWays; ++n) fewer += p, p *= mean / (n + 1);
  return std::clamp(1 - fewer, 0.0, 1.0);
}

void add_spills(Activity& a, const Spilled& s, const gpus::Gpu& gpu) {
  if (s.words == 0) return;
  constexpr double kLine = 128, kSectors = kLine / gpus::kSector;
  a.load_store += s.loads + s.stores;
  a.global_wavefronts += s.loads + s.stores;
  if (gpu.at_least(7)) a.tag_lookups += s.loads + s.stores;
  a.global_load_sectors += kSectors * s.loads;
  Demand demand;
  demand.block_x = a.threads_per_block, demand.registers = a.registers, demand.dynamic_shared = a.shared;
  const auto occupied = occupancy(gpu, demand);
  if (!occupied) return;
  const auto sms = static_cast<double>(std::min<int64_t>(gpu.sm_count, a.blocks));
  const auto blocks =
      static_cast<double>(std::min<int64_t>(occupied->active_blocks * gpu.sm_count, a.blocks));
  const double bytes = 4 * s.words * blocks * static_cast<double>(a.threads_per_block);
  // L1 writes through; before 7.0 it does not keep what was written.
  const double l1 =
      gpu.at_least(7) && gpu.l1_shared_bytes
          ? static_cast<double>(*gpu.l1_shared_bytes) - static_cast<double>(occupied->carveout.value_or(0))
          : 0;
  const double past_l1 = lost(bytes / sms, l1);
  const double past_l2 = gpu.l2_bytes ? lost(bytes, static_cast<double>(*gpu.l2_bytes)) : 1;
  a.l2_read_sectors += kSectors * past_l1 * s.loads;
  a.l2_write_sectors += kSectors * s.stores;
  a.global_store_sectors += kSectors * s.stores;
  a.dram_bytes_read += kLine * past_l1 * past_l2 * s.loads;
  a.dram_bytes_written += kLine * past_l2 * s.stores;
}

}  // namespace ww::model
