// watch for a kernel of the user's own.
#pragma once

#include <atomic>
#include <string>

#include "cli/launch_buffers.h"
#include "device/device.h"
#include "gpus/gpu.h"

namespace ww::cli {

struct PictureOptions {
  std::string out, format, language = "en";
};

/// Whether the options make sense together.
Status check_picture(const PictureOptions& options);

/// Records the launch and writes its picture. Returns the exit code; what is wrong has been printed.
int watch_own(device::Device& device, const device::Launch& launch, const LaunchBuffers& buffers,
              const std::string& title, const gpus::Gpu& gpu, const PictureOptions& options,
              std::atomic<bool>& stop);

}  // namespace ww::cli
