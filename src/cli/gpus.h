// warpwright gpus [NAME]: the GPUs it knows, or one of them with every figure and its source.
#pragma once

#include "base/table.h"
#include "cli/shared/app.h"
#include "gpus/gpu.h"

namespace ww::cli {

/// Adds the subcommand. Its callback prints and sets exit_code: 0, or 2 for an unknown GPU or a wrong file.
void add_gpus(CLI::App& app, int& exit_code);

/// The GPU's figures, the source of each in its description.
Row gpu_row(const gpus::Gpu& gpu);

}  // namespace ww::cli
