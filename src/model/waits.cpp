#include "model/waits.h"

#include <algorithm>
#include <cmath>

namespace ww::model {

void add_waits(Activity& a, const gpus::Gpu& gpu, double load_requests, const caches::WaitCounts* waits) {
  if (a.global_rounds <= 0) return;
  const double per_block = a.warps_per_block();
  const double rounds = static_cast<double>(a.blocks) * per_block * a.global_rounds;
  caches::WaitCounts::Shares past{1, 1};  // 1.x
  if (waits) {
    past = waits->shares(load_requests / rounds);
  } else if (gpu.at_least(2)) {
    const double sectors = std::max(a.global_load_sectors, 1.0);
    const auto any = [&](double share) { return 1 - std::pow(1 - share, std::max(1.0, sectors / rounds)); };
    past.past_l1 = any(std::min(1.0, a.l2_read_sectors / sectors));
    past.past_l2 = std::min(past.past_l1, any(std::min(1.0, a.dram_bytes_read / gpus::kSector / sectors)));
  }
  const double warps = a.barriers > 0 ? per_block : 1;
  a.rounds_past_l1 = a.global_rounds * (1 - std::pow(1 - past.past_l1, warps));
  a.rounds_past_l2 = a.global_rounds * (1 - std::pow(1 - past.past_l2, warps));
}

}  // namespace ww::model
