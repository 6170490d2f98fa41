// What the shared accesses of a kernel would cost if the rows of its arrays were longer: tried on the
// addresses of a run.
#pragma once

#include <atomic>
#include <vector>

#include "base/result.h"
#include "forecast/padding.h"
#include "gpus/gpu.h"
#include "kernels/case.h"

namespace ww::watch {

using forecast::kMostPadding;
using forecast::Padding;
using forecast::PaddingTrial;

/// Runs the first blocks of each launch and prices each access to the arrays that Plan::shared names by the
/// GPU's rules: at its own addresses, and at those that it would have with longer rows. A padding that would
/// misalign an access is none. One trial for each launch. `stop` ends it early (an error). Errors: those of
/// running the kernel.
Result<std::vector<PaddingTrial>> try_padding(const kernels::Case& chosen, const kernels::Config& config,
                                              const gpus::Gpu& gpu, const std::atomic<bool>& stop);

}  // namespace ww::watch
