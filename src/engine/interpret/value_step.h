// Steps for listeners that follow undefined values, and the shadow of registers that they keep.
#pragma once

#include "engine/decode/program.h"

namespace ww::engine {

/// Tells events::Step where the flag in this slot is set.
Inst value_step_at(u32 flag);

/// Clears the shadow of a frame that is used again.
void clear_shadow(const FunctionCode& function, u8* regs);
/// The same for the frame of a kernel that begins; registers not written yet are undefined.
void begin_shadow(const FunctionCode& entry, u8* regs);

}  // namespace ww::engine
