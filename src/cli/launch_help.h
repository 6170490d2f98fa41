// What a kernel wants, for a user whose arguments were wrong: its parameters, and a command that works.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/launch_options.h"
#include "cli/launch_parameters.h"

namespace ww::cli {

/// An example: how the kernel could be launched.
struct ExampleLaunch {
  device::Dim3 grid, block;
  uint64_t shared = 0;                 ///< dynamic shared memory of a block
  std::vector<std::string> arguments;  ///< as --arg takes them
  bool plane = false;
  uint64_t elements = 1;  ///< of an array for each thread
  uint64_t size = 0;      ///< what whole numbers are; 0: the threads in x
};

/// What could be tried for these parameters, the likeliest first. `grid`, `block`: those that were given, or
/// zeros. `plane`: the kernel asks for its place in y. `shared`: dynamic shared memory; 0: none was given.
/// `likely`: blocks that its code speaks for.
std::vector<ExampleLaunch> examples_for(const std::vector<Parameter>& parameters, const device::Dim3& grid,
                                        const device::Dim3& block, const std::vector<device::Dim3>& likely,
                                        bool plane, uint64_t shared, bool wants_shared);

/// The same with `times` as many blocks in each direction that it uses, and arrays and sizes as that asks.
ExampleLaunch grown(const ExampleLaunch& example, const std::vector<Parameter>& parameters, uint32_t times);

/// The command that launches so.
std::string command_of(const LaunchOptions& options, const ExampleLaunch& example);

/// Whether the module has shared memory whose size the launch says.
bool wants_dynamic_shared(const ir::Module& module);

/// Whether the kernel asks for its place in y.
bool asks_for_plane(const ir::Module& module, const std::string& kernel);

/// The parameters one by one, and the first example for which `runs` holds; where it holds for none, the
/// first, which then is called a guess.
std::string parameters_help(const LaunchOptions& options, const std::string& kernel,
                            const std::vector<Parameter>& parameters,
                            const std::vector<ExampleLaunch>& examples,
                            const std::function<bool(const ExampleLaunch&)>& runs);

}  // namespace ww::cli
