// Matches the arguments of a launch with the kernel's parameters, with errors for those that do not fit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/help.h"
#include "cli/launch/input.h"
#include "cli/launch/parameters.h"
#include "device/device.h"
#include "watch/recorder.h"

namespace ww::cli {

/// What PTX, mangled names and sources tell of a kernel's parameters. `members`: those of structs, too, for
/// which a .cu file is compiled once more, with debugging information.
std::vector<Parameter> known_parameters(const LaunchOptions& options, const ir::Module& code,
                                        const std::string& kernel, const std::vector<device::Source>& sources,
                                        bool members);

/// What the sources say of the variables of all kernels, by name; .cu files are compiled once more for it.
std::map<std::string, watch::Declared> declared_variables(const LaunchOptions& options,
                                                          const std::vector<device::Source>& sources);

/// What the sources say of __constant__ and __device__ variables. `members`: those of structs, too, as above.
KnownVariables known_variables(const LaunchOptions& options, const std::vector<device::Source>& sources,
                               bool members);

/// Whether the command says nothing of how its one kernel is launched, so that this may be guessed.
bool leaves_launch_open(const LaunchOptions& options, const LaunchInput& in);

/// Puts `in.arguments` into the kernel's order. Where neither grid nor block nor arguments were given, they
/// are guessed, if a guess runs, and the command is told. False after it has been printed what is wrong, what
/// the parameters are, and an example that works.
bool arguments_ready(const LaunchOptions& options, const device::Info& info, LaunchInput& in,
                     const std::vector<device::Source>& sources);

}  // namespace ww::cli
