// What several subcommands share: --device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/engine_device.h"

namespace ww::cli {

/// The devices a name means: "engine", "gpu" (the least loaded), "gpu0" and so on, "both" (the engine beside
/// the least loaded GPU), "auto" (both where a GPU answers, else the engine; says on stderr which). Errors:
/// no driver, no such GPU.
Result<std::vector<std::unique_ptr<device::Device>>> devices_named(const std::string& name,
                                                                   const engine::Settings& settings);

}  // namespace ww::cli
