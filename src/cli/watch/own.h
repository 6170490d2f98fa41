// watch for a kernel of the user's own.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "cli/launch/buffers.h"
#include "cli/launch/parameters.h"
#include "device/device.h"
#include "gpus/gpu.h"
#include "watch/watch.h"

namespace ww::cli {

struct PictureOptions {
  std::string out, format, language = "en";
  std::vector<watch::Recording>* collect = nullptr;  ///< where recordings go that are to stand side by side
};

/// Whether JSON is to be written, not a page.
bool wants_json(const PictureOptions& options);

/// Whether the options make sense together.
Status check_picture(const PictureOptions& options);

/// What the sources tell of a launch's arrays.
struct KnownArrays {
  std::vector<Parameter> parameters;
  std::map<std::string, watch::Declared> shared;
};

/// Records the launch. `title`: the kernel's name for people. Errors as of watch::record.
Result<watch::Recording> record_own(device::Device& device, const device::Launch& launch,
                                    const LaunchBuffers& buffers, const KnownArrays& known,
                                    const std::string& title, const gpus::Gpu& gpu, std::atomic<bool>& stop);

}  // namespace ww::cli
