// A counted run through the caches of GPUs.
#pragma once

#include <optional>

#include "counters/gpu_counters.h"
#include "sampling/counted_run.h"

namespace ww::device {

/// The caches that a launch meets on this GPU and how fast it asks them, with so many registers per thread. A
/// launch that the GPU could not run gets one block for each SM.
caches::CacheSetup caches_of(const gpus::Gpu& gpu, const sampling::CountedRun& run,
                             const engine::LaunchRequest& request, int64_t registers);

/// No fewer blocks than the GPU holds at once, whatever the kernel takes.
uint64_t most_resident_blocks(const gpus::Gpu& gpu, const engine::LaunchRequest& request);

/// One for each of the GPUs, empty for one without caches; `registers`: per thread, on each. The GPUs are
/// shared out to `threads` threads of the host.
std::vector<std::optional<counters::CacheRun>> cache_runs(const sampling::CountedRun& run,
                                                          const engine::LaunchRequest& request,
                                                          const std::vector<const gpus::Gpu*>& gpus,
                                                          const std::vector<int64_t>& registers, int threads);

}  // namespace ww::device
