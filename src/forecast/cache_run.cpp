#include "forecast/cache_run.h"

#include <algorithm>

namespace ww::forecast {

caches::CacheSetup caches_of(const gpus::Gpu& gpu, const model::Occupancy* occupancy, uint64_t shared,
                             const caches::Pace& pace) {
  auto setup = occupancy ? caches::cache_setup(gpu, static_cast<uint32_t>(occupancy->active_blocks),
                                               static_cast<uint64_t>(occupancy->carveout.value_or(0)))
                         : caches::cache_setup(gpu, 1, shared);
  setup.pace = pace;
  return setup;
}

uint64_t most_resident_blocks(const gpus::Gpu& gpu, const LaunchShape& shape) {
  const auto threads = static_cast<int64_t>(std::max<uint64_t>(1, shape.block.count()));
  const int64_t per_sm =
      std::max<int64_t>(1, std::min(gpu.max_blocks_per_sm.value, gpu.max_threads_per_sm / threads));
  return static_cast<uint64_t>(per_sm * gpu.sm_count);
}

}  // namespace ww::forecast
