// The place of an instruction with the calls that lead there: a wait mostly stands in a function that many
// call.
#pragma once

#include <string>
#include <vector>

#include "engine/decode/program.h"

namespace ww::engine {

/// As ir::inlining_chain. Where that ends in CUDA's headers, because nvcc -G inlines nothing or does not say
/// so, it ends with the user's place before the instruction, or the only one that calls the function, maybe
/// through others in headers, if there is one.
std::vector<Location> chain_with_call(const Program& program, u32 instruction);
/// "x.cu:14 (PTX line 971), called at x.cu:55".
std::string place_with_calls(const Program& program, u32 instruction);

}  // namespace ww::engine
