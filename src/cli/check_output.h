// Findings from a program's processes to the user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "checks/finding.h"

namespace ww::cli {

struct FindingsOutput {
  std::string format = "text";  ///< text, json or sarif
  std::string out;              ///< "": standard error for text, standard output for the others
};
void add_findings_output(CLI::App& command, FindingsOutput& options);

/// What the program's processes wrote (cuda/core/checking.h), each finding in its last state and equal ones
/// of several processes counted together. A last line may be cut off, where a process was killed.
Result<std::vector<checks::Finding>> read_findings(const std::string& path);

/// In the format, to where the options say. Of nothing found, text says so on standard error.
Status deliver_findings(const std::vector<checks::Finding>& findings, const FindingsOutput& options);

}  // namespace ww::cli
