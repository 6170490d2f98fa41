// The place of an instruction with the calls that it was inlined through: a wait mostly stands in a function
// that many call.
#pragma once

#include <string>

#include "engine/decode/program.h"

namespace ww::engine {

/// "x.cu:14 (PTX line 971), called at x.cu:55".
std::string place_with_calls(const Program& program, u32 instruction);

}  // namespace ww::engine
