// Capabilities whose accesses cost the same.
#pragma once

#include "rules/rules.h"

namespace ww::rules {

/// The first capability by whose rules (rules.h) every access costs what it does on this one.
Capability same_rules_from(Capability cc);

}  // namespace ww::rules
