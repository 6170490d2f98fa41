// Runs a kernel of the laboratory once and records what it does to memory.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "device/device.h"
#include "gpus/gpu.h"
#include "kernels/case.h"
#include "watch/recorder.h"
#include "watch/recording.h"

namespace ww::watch {

/// Warp instructions (accesses and barriers) that a recording may hold, and elements of its buffers.
inline constexpr u64 kMostEvents = 200'000;
inline constexpr u64 kMostElements = u64{1} << 22;

struct Recording {
  std::string kernel;
  kernels::Config config;
  kernels::Problem problem = kernels::Problem::Matmul;
  std::string gpu, gpu_name;  ///< its id, and its name for people
  rules::Capability capability = 0;
  std::vector<Launch> launches;
  std::string title;                           ///< of a kernel of the user's own; "": the laboratory's
  std::map<std::string, std::string> sources;  ///< texts of its files by name; the laboratory's are known
};
/// What people call it.
std::string title_of(const Recording& recording);

/// Errors: what make_plan and the engine refuse, a fault of the kernel, a recording that would be too large
/// (with a smaller n that would do), a case of the host. `stop` may be set by others to interrupt; it is set
/// when the recording is full.
Result<Recording> record(const kernels::Case& chosen, const kernels::Config& config, const gpus::Gpu& gpu,
                         std::atomic<bool>& stop);

/// The same of a kernel of the user's own. `what`: entry, grid, block, dynamic shared memory and the global
/// arrays of `launch`, which runs on a device with one thread and `stop` as its cancel flag. `known`: what
/// its source says.
Result<Recording> record(device::Device& device, const device::Launch& launch, Launch what,
                         const Known& known, const gpus::Gpu& gpu, std::atomic<bool>& stop);

/// The smallest n that shows something of this case and shape: two blocks in each direction, or the next
/// larger one that the kernel admits. 0: none was found.
int64_t small_n(const kernels::Case& chosen, kernels::Config config);
/// The smallest radius that the kernel takes with this shape: 1, 2, or the first of its axis; 0 where it has
/// no axis.
int small_r(const kernels::Case& chosen, kernels::Config config);

/// The recording as JSON; docs/watch.md describes it. "<" does not occur in it.
std::string write_json(const Recording& recording);

}  // namespace ww::watch
