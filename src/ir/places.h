// Where in the user's sources an instruction comes from, through the functions that were inlined there.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace ww::ir {

/// Its place and the places of the calls it was inlined through, innermost first; at least one.
std::vector<Location> inlining_chain(const Module& module, const Function& function, const Place& place);

/// Index of the first place of the chain that is not in one of CUDA's own headers (…/include/sm_20_atomic_…,
/// crt/, cuda/std, cooperative_groups …): the line a user can change. 0 where all are.
size_t users_place(const std::vector<Location>& chain);

/// Whether one of the places is the user's: neither in CUDA's headers nor known in the PTX text alone.
bool has_users_place(const Module& module, const std::vector<Location>& chain);

/// Of code without optimisation (nvcc -G): the user's place before the instruction. What CUDA's headers tell
/// the compiler to inline stands there without its call, behind the user's line. Empty: there is none.
std::vector<Location> place_before(const Module& module, const Function& function,
                                   const Instruction& instruction);

/// The chain, a line for each place, each behind `indent`; of those in CUDA's headers only the innermost, and
/// how many more there are. "" where nothing was inlined.
std::string inlining_text(const std::vector<Location>& chain, std::string_view indent);

}  // namespace ww::ir
