// What several subcommands share: --gpu and --format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/app.h"
#include "gpus/gpu.h"
#include "report/report.h"

namespace ww::cli {

/// The built-in GPU, or the one in the file; empty after the reason has been printed on stderr.
std::optional<gpus::Gpu> gpu_named(const std::string& name);

/// Adds the GPUs of these names that are not there yet; "all": the built-in ones, the oldest first. False
/// after the reason has been printed on stderr.
bool add_gpus(const std::vector<std::string>& names, std::vector<gpus::Gpu>& gpus);

/// --format table|csv|json into `format`.
void add_format(CLI::App& command, report::Format& format);
/// The same; empty where it is not given.
void add_format(CLI::App& command, std::optional<report::Format>& format);

}  // namespace ww::cli
