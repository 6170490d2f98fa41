// Findings as JSON: one line each, and back.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "checks/finding.h"

namespace ww::checks {

/// One object on one line, without a line end; docs/check.md says what is in it.
std::string write_json(const Finding& finding);
/// Error: it is no finding.
Result<Finding> read_json(std::string_view line, const std::string& name);

/// The findings of a file that `check --format json` wrote. Errors: it is none, or damaged.
Result<std::vector<Finding>> read_findings_file(std::string_view text, const std::string& name);

/// "error", "warning", "hint".
std::string_view name(Severity severity);

}  // namespace ww::checks
