// A child process whose output is kept.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  bool timed_out = false;
  std::string output, errors;  ///< what it wrote to standard output and standard error
};

/// Runs `command` (a path or a name in PATH, and its arguments; no shell) to its end, with empty input. A
/// process that takes longer than `seconds` is killed with its children. Error: it could not be started.
Result<ProcessResult> run_process(const std::vector<std::string>& command, double seconds);

/// The path of an executable file of this name in the folders of PATH, then in `more` (separated by ':'); ""
/// if there is none.
std::string find_program(const std::string& name, const std::string& more = {});

}  // namespace ww
