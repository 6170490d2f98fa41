// What a user says about one launch of a kernel of their own: `launch`, `explain` and `watch` of FILE.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/compile/cuda_source.h"
#include "cli/shared/destination.h"
#include "cli/shared/figure_options.h"
#include "cli/watch/own.h"
#include "engine/engine.h"

namespace ww::cli {

/// No kernel of the laboratory has a block that runs longer; what the user can say otherwise.
constexpr double kPatience = 60;  // seconds

/// What a kernel of the user's own is run for.
enum class Purpose { Launch, Explain, Watch };

struct LaunchOptions {
  Purpose purpose = Purpose::Launch;
  std::vector<std::string> files;
  bool loaded = false;  ///< the kernel before has loaded them
  std::string kernel, grid, block;
  CompileOptions compile;
  bool compiles = false;  ///< one of them was given
  std::vector<std::string> arguments, symbols;
  std::vector<std::string> verify;  ///< NAME=REFERENCE
  std::string tolerance;            ///< "": by the type
  std::string checks;               ///< "": none
  std::string schedule;             ///< engine::order_of; "": forward
  uint64_t shared = 0, limit = engine::Settings{}.branch_limit, seed = 1;
  double timeout = kPatience;
  bool count = true, cooperative = false;
  int threads = 0, repeat = 0;
  FigureOptions figures;
  PictureOptions picture;
  OutputOptions output;
  std::vector<LaunchOptions> next;  ///< what runs behind it, on the same arrays
};

/// The options that all three commands have; `run` carries the command out and returns the exit code.
void add_own_launch(CLI::App* command, const std::shared_ptr<LaunchOptions>& options,
                    std::function<int(const LaunchOptions&)> run, int& exit_code);

}  // namespace ww::cli
