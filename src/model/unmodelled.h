// The parts of a launch's time that the model has no rule or no figure for, found by what the kernel did.
#pragma once

#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "model/activity.h"

namespace ww::model {

enum class Unmodelled {
  AtomicMeetings,  ///< atomics of one line of global memory that wait for each other
  ConstantPasses,  ///< reads of constant memory for several words
  LockAttempts,    ///< loops that go round until another thread has done something
  TextureUnits,    ///< fetches from textures
  BulkUnits,       ///< bulk and tensor copies whose way through the caches is not known
};
/// "atomic_meetings", …: what values and messages call it.
std::string_view name(Unmodelled what);

/// From this part of the predicted time on, what is left out counts.
inline constexpr double kCountsFrom = 0.01;

/// What the launch did that is not in a prediction of so many SM clocks. Passes without a figure are taken to
/// need a clock each, less than on any GPU that was measured: what would not count even so is not listed.
std::vector<Unmodelled> unmodelled(const gpus::Gpu& gpu, const Activity& activity, double clocks);

}  // namespace ww::model
