// What `launch` and `explain` print, or write into a file or a folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checks/finding.h"
#include "cli/launch/options.h"
#include "cli/launch/shown.h"
#include "cli/shared/destination.h"
#include "gpus/gpu.h"

namespace ww::cli {

/// "32x8".
std::string text_of(const device::Dim3& extent);

/// The GPUs that were asked for, or the default where a reader is to see something of them. Errors: options
/// that contradict each other.
Result<std::string> gpu_names(const LaunchOptions& options, const Destination& to);

/// On the terminal sentences and numbers of each launch; in a folder the page, in a file the rows. `command`:
/// what the page says that it shows.
Status show_figures(const LaunchOptions& options, const Destination& to,
                    const std::vector<ShownLaunch>& launches, const std::vector<gpus::Gpu>& gpus,
                    const std::string& command);

/// Counters that are the same on every GPU: of each launch its title and its row. `findings`: of the checks,
/// where there were any; JSON has them beside the rows.
Status show_rows(const Destination& to, std::vector<std::pair<std::string, Row>> launches,
                 const std::vector<checks::Finding>* findings = nullptr);

}  // namespace ww::cli
