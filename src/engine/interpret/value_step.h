// Steps for listeners that follow undefined values, and the shadow of registers that they keep.
#pragma once

#include "engine/decode/program.h"

namespace ww::engine {

/// Tells events::Step where the flag in this slot is set.
Inst value_step_at(u32 flag);

/// Of a frame that begins, of a kernel or function: registers not written yet are undefined.
void begin_shadow(const FunctionCode& function, u8* regs);

}  // namespace ww::engine
