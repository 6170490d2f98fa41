#include "model/pace.h"

#include <algorithm>

#include "model/time_parts.h"

namespace ww::model {

caches::Pace pace_of(const CodeWork& code, const sampling::CountedRun& run, const gpus::Gpu& gpu) {
  using rules::AccessKind, rules::CostSpace;
  const rules::AccessTotals& totals = run.of(rules::capability(gpu));
  const auto requests = [&](AccessKind kind) {
    double sum = 0;
    for (CostSpace space : {CostSpace::Global, CostSpace::Local, CostSpace::Texture})
      sum += static_cast<double>(totals.sum(space, kind).requests);
    return sum;
  };
  const double loads = requests(AccessKind::Load),
               all = loads + requests(AccessKind::Store) + requests(AccessKind::Atomic);
  Activity a = activity_of({code.activity, {}}, run, gpu, {});
  // What goes past L1 is the replay's to find.
  a.l2_read_sectors = a.l2_write_sectors = a.global_store_sectors = 0;
  std::vector<std::string_view> missing;
  const auto works = work(gpu, a, missing);
  const Wait waits = wait(gpu, a, missing);
  caches::Pace p;
  if (all > 0)
    p.request = std::max(
        1.0, std::max(station_clocks(works, Station::Core), station_clocks(works, Station::DataPath)) / all);
  if (a.global_rounds > 0) {
    p.round_loads = std::max(1.0, loads / (a.warps() * a.global_rounds));
    p.round_own = waits.own / a.global_rounds;
  }
  p.oldest_first = gpu.at_least(7);
  p.begin = waits.begin;
  if (gpu.block_interval) p.begin_interval = *gpu.block_interval * gpu.boost_clock * 1e-3;
  if (gpu.l1_latency) p.l1 = *gpu.l1_latency;
  p.l2 = gpu.l2_latency ? gpu.l2_latency->value : p.l1;
  p.dram = gpu.dram_latency ? gpu.dram_latency->value : p.l2;
  if (gpu.l2_latency_spread) p.l2_spread = *gpu.l2_latency_spread;
  if (gpu.l2_read_port) p.port_sector = gpus::kSector / *gpu.l2_read_port;
  const double dram = gpu.dram_bandwidth_measured ? *gpu.dram_bandwidth_measured : gpu.dram_bandwidth.value;
  p.dram_sector = gpus::kSector * gpu.boost_clock * 1e-3 / dram;
  return p;
}

}  // namespace ww::model
