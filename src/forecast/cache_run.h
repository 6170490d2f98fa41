// A counted run through the caches of a GPU.
#pragma once

#include <optional>

#include "caches/pace.h"
#include "counters/cache_values.h"
#include "forecast/launch_shape.h"
#include "model/occupancy.h"
#include "sampling/counted_run.h"

namespace ww::forecast {

/// The caches that a launch meets on this GPU, asked at this pace. `occupancy` may be null: a launch that the
/// GPU could not run gets one block for each SM.
caches::CacheSetup caches_of(const gpus::Gpu& gpu, const model::Occupancy* occupancy, uint64_t shared,
                             const caches::Pace& pace);

/// No fewer blocks than the GPU holds at once, whatever the kernel takes.
uint64_t most_resident_blocks(const gpus::Gpu& gpu, const LaunchShape& shape);

}  // namespace ww::forecast
