// Findings from a program's processes to the user.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checks/finding.h"
#include "cli/shared/app.h"

namespace ww::cli {

struct FindingsOutput {
  std::string format;  ///< text, json or sarif; "": as the file's name ends, else text
  std::string out;     ///< "": standard error for text, standard output for the others
};
void add_findings_output(CLI::App& command, FindingsOutput& options);

/// Settles the format and sees that the file can be written, before the program starts. Errors: the file
/// cannot be written; its ending contradicts --format.
Status settle(FindingsOutput& options);

/// What the program's processes wrote (cuda/core/checking.h), each finding in its last state and equal ones
/// of several processes counted together. A last line may be cut off, where a process was killed.
Result<std::vector<checks::Finding>> read_findings(const std::string& path);

/// The members "format" and "findings" of a JSON object (docs/check.md), without its braces.
std::string findings_members(const std::vector<checks::Finding>& findings);

/// In the format, to where the settled options say. Of nothing found, text says so on standard error, and
/// where the program did not run to its end, that it was so until then.
Status deliver_findings(const std::vector<checks::Finding>& findings, const FindingsOutput& options,
                        bool to_its_end);

}  // namespace ww::cli
