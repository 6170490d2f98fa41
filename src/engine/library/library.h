// Functions that every CUDA program may call without defining them: vprintf, malloc, free, __assertfail.
#pragma once

#include "engine/decode/decode.h"

namespace ww::engine {

/// Decodes a call of an undefined function with the arguments and results of `plan`; refuses what is not
/// known by name.
void decode_library_call(FunctionDecoder& d, const ir::Instruction& in, const ir::Call& call,
                         const CallPlan& plan);

}  // namespace ww::engine
