// warpwright devices: what can run kernels here, and which GPU is the least loaded.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/app.h"
#include "device/gpu.h"

namespace ww::cli {

/// Adds the subcommand. Its callback prints and sets exit_code to 0, also when there is no GPU: the engine is
/// always there.
void add_devices(CLI::App& app, int& exit_code);

/// What it prints: the engine by its name, every GPU with its load, the least loaded one marked; or one line
/// that says why there is no GPU.
std::string devices_page(const std::string& engine, const Result<std::vector<device::GpuSummary>>& gpus);

}  // namespace ww::cli
