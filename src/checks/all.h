// All checks by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.h"

namespace ww::checks {

/// Addresses that stay unused behind an allocation under checks (GlobalMemory), so that running far over its
/// end is seen.
inline constexpr u64 kGap = 64 * 1024;

struct Known {
  const char* name;
  const char* about;             ///< what it finds, in a few words
  bool only_when_asked = false;  ///< "all" does not mean it
};
/// In the order in which they are told of events.
const std::vector<Known>& known();

/// Names by commas, each once; "all" stands for those that need not be asked for. Error: a name that there is
/// not.
Result<std::vector<std::string>> names_in(const std::string& text);

/// The checks of these names. What ends a launch (deadlocks, assertions, traps) is found whatever the names
/// are.
std::vector<std::unique_ptr<Check>> make(const std::vector<std::string>& names, Findings& findings);

/// A fault of a launch as a finding, if it is one that listeners are not told of: that no block has ended for
/// too long.
std::optional<Finding> of_no_warp(const Fault& fault, const LaunchFacts& facts);

}  // namespace ww::checks
