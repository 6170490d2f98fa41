// A launch for a kernel of which none was given: what is tried, and what is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/help.h"
#include "cli/launch/input.h"
#include "cli/launch/options.h"
#include "cli/launch/parameters.h"
#include "device/device.h"

namespace ww::cli {

/// A launch of in.launch.kernel that was tried and runs.
struct Guess {
  ExampleLaunch launch;
  std::string command;  ///< that launches it so
  Diagnostics notes;    ///< on what it leaves out
};

/// Fills `in` with one. Nothing where none of those tried runs; `why`: what the last of them ended with.
std::optional<Guess> guess_launch(const LaunchOptions& options, LaunchInput& in,
                                  const std::vector<device::Source>& sources, std::string& why);

/// What could be tried. `fits`: the grid and the block that were given can be launched.
std::vector<ExampleLaunch> possible_launches(const LaunchOptions& options, const LaunchInput& in,
                                             const std::vector<Parameter>& parameters, bool fits);

/// Whether the example ends well, soon.
bool runs(const LaunchOptions& options, const LaunchInput& in, const ExampleLaunch& example,
          const std::vector<Parameter>& parameters, const std::vector<device::Source>& sources);

}  // namespace ww::cli
