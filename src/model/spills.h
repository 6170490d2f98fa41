// Spilled registers on their way through the caches.
#pragma once

#include "gpus/gpu.h"
#include "model/activity.h"

namespace ww::model {

/// Words that the warps put away in local memory, summed; and that each thread has there at one time.
struct Spilled {
  double loads = 0, stores = 0, words = 0;
};

/// Of `bytes` that a loop goes round again and again, the part that a cache of `capacity` does not hold the
/// next time: a set of kWays lines keeps nothing of more than that many, and a hash deals lines to sets as a
/// Poisson process does (caches/sectored_cache.h).
double lost(double bytes, double capacity);

/// Adds them to what the kernel did. Each word is an access of its warp to a line of its own, and stays in a
/// cache as far as that holds it until the loop comes round.
void add_spills(Activity& activity, const Spilled& spilled, const gpus::Gpu& gpu);

}  // namespace ww::model
