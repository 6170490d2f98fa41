// How fast a kernel's warps go from one request to the next: what a replay through the caches needs to know
// of time.
#pragma once

#include "caches/pace.h"
#include "model/activity_of.h"

namespace ww::model {

/// Of the code alone, as if nothing were spilled and no cache had answered yet. Latencies and rates that the
/// GPU lacks are those of a nearer level, or none.
caches::Pace pace_of(const CodeWork& code, const sampling::CountedRun& run, const gpus::Gpu& gpu);

}  // namespace ww::model
