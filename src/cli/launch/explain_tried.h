// What `explain` advises: changes that were tried, each with what it is predicted to give.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "device/device.h"
#include "gpus/gpu.h"
#include "kernels/run.h"

namespace ww::cli {

/// For each launch the sentences that belong to it: padded rows of shared arrays, where bank conflicts take
/// at least a twentieth of the launch's shared accesses. Nothing where a trial failed or nothing was worth
/// it.
std::vector<std::vector<std::string>> tried_padding(const kernels::Case& chosen,
                                                    const kernels::Config& config, const gpus::Gpu& gpu,
                                                    const std::vector<device::LaunchReport>& reports,
                                                    const std::atomic<bool>& stop);

/// A sentence about the same kernel with other block sides and, where it has them, tiles with one result more
/// or less in a direction; "" where it has no others, or nothing but work itself takes time. `runner` has the
/// GPU and the registers that the kernel itself was run with.
std::string tried_shapes(const kernels::Case& chosen, const kernels::Config& config,
                         const std::vector<device::LaunchReport>& reports, kernels::Runner& runner,
                         device::Device& device, const std::atomic<bool>& stop);

}  // namespace ww::cli
