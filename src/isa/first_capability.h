// From which GPUs on an instruction exists.
#pragma once

#include "isa/form.h"

namespace ww::isa {

/// The first compute capability that has this instruction, as 10 · major + minor (80: 8.0), from the PTX
/// manual's "Target ISA Notes"; 0 for what every GPU has in some way: a compiler for older GPUs writes
/// something else that does the same.
int first_capability(const Form& form);
/// What of the instruction came with it, as programs write it: "barrier.cluster", "cp.async", "mma.sp"; ""
/// where that is 0.
std::string_view later_operation(const Form& form);

}  // namespace ww::isa
