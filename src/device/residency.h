// How many blocks of a launch a GPU's SM holds at once, as far as the PTX tells.
#pragma once

#include "counters/cache/hierarchy.h"
#include "engine/engine.h"

namespace ww::device {

/// Registers per thread that a compiler would take at least (passes/liveness.h).
int64_t estimated_registers(const engine::Program& program);

/// The caches that a launch meets on this GPU. Registers are estimated; a launch that the GPU could not run is given one block
/// for each SM.
counters::CacheSetup caches_of(const gpus::Gpu& gpu, const engine::Program& program, const engine::LaunchRequest& request);

/// No fewer blocks than the GPU holds at once, whatever the kernel takes.
uint64_t most_resident_blocks(const gpus::Gpu& gpu, const engine::LaunchRequest& request);

}  // namespace ww::device
