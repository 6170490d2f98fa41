// What launch and explain share: the GPUs that a kernel of the user's is counted for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/shown.h"
#include "cli/shared/app.h"
#include "device/device.h"
#include "gpus/gpu.h"
#include "model/explain_lines.h"

namespace ww::cli {

struct FigureOptions {
  std::string gpus;  ///< names, by commas; "": none was given
  int64_t registers = 0;
  bool lines = false;
};

/// --gpu, --registers and --lines.
void add_figure_options(CLI::App& command, FigureOptions& options);

/// "a,b" as names.
std::vector<std::string> names_in(const std::string& text);

/// Built-in GPUs by name, or files; nothing after the reason has been printed.
std::optional<std::vector<gpus::Gpu>> gpus_named(const std::string& names);

/// Asks the launch for the figures of these GPUs, which must stay where they are.
void ask_for(device::Launch& launch, const std::vector<gpus::Gpu>& gpus, int64_t registers);

/// What the launch's report says. `kernel`: its name for people.
ShownLaunch shown(const device::Launch& launch, const device::LaunchReport& report,
                  const std::vector<gpus::Gpu>& gpus, const std::string& kernel,
                  const model::SourceLine& source);

}  // namespace ww::cli
