// What `run`, `profile` and `check` do before a program starts: the same options, checks and environment.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/app.h"

namespace ww::cli {

struct StartOptions {
  std::string gpu;                    ///< "": WARPWRIGHT_GPU, else one that takes the program's code
  std::string flags;                  ///< for compiling a .cu file
  std::string compiler;               ///< of it: "nvcc", "clang", "" for the one there is
  std::string schedule;               ///< engine::order_of
  const CLI::App* command = nullptr;  ///< that add_start_options() was given
};
/// Adds them, and leaves every word from the program's name on to command.remaining().
void add_start_options(CLI::App& command, StartOptions& options);

struct Start {
  bool ready = false;    ///< false: a .cu file does not compile
  std::string messages;  ///< of the compiler, and notes; to be shown as they are
  std::string path;      ///< what to start
  std::string gpu;       ///< that it sees
};

/// Finds the program words[0], compiles it if it is a .cu file, chooses the GPU, and sets the environment of
/// this process for it. Errors: no program given, what find_cuda_program() says, no such GPU, no compiler.
Result<Start> prepare_start(const StartOptions& options, const std::vector<std::string>& words);

}  // namespace ww::cli
