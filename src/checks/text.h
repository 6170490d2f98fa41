// Findings as a person reads them.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"

namespace ww::checks {

/// Kind and message, each party with its line of source, thread and calls, and what else is known; ends with
/// a line end.
std::string render(const Finding& finding);
/// All, with an empty line between them, and a last line that counts them. "" when there are none.
std::string render(const std::vector<Finding>& findings);

/// Whether Finding::other says where the host reads an uninitialised value.
bool host_reads(const Finding& finding);
/// "1 byte"; "4 uninitialised bytes" where `what` is "uninitialised ".
std::string bytes_of(u64 bytes, const char* what = "");
/// "1 error, 2 warnings".
std::string tally(const std::vector<Finding>& findings);
/// Whether one of them is an error.
bool any_error(const std::vector<Finding>& findings);

}  // namespace ww::checks
