// Which level of memory a warp's rounds of loads wait for.
#pragma once

#include "caches/waits.h"
#include "gpus/gpu.h"
#include "model/activity.h"

namespace ww::model {

/// Sets rounds_past_l1 and rounds_past_l2 of an activity that has everything else: a round waits for the
/// farthest of its loads, with barriers for the farthest that any warp of the block waits for. `waits`: of a
/// replay through the caches, with the number of its load requests in the whole launch; without one (nullptr)
/// every sector is as likely as any other to be the far one.
void add_waits(Activity& activity, const gpus::Gpu& gpu, double load_requests,
               const caches::WaitCounts* waits);

}  // namespace ww::model
