// Atomic updates for whoever reduces many elements at once.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Whether there is an atomic operation of this kind (atom.op.type).
bool has_atomic(isa::Type type, isa::Mod op);
/// *to = op(*to, *from), one element of `type` (16, 32 or 64 bits), in one step against other threads of the
/// host. Sums of f32 in global memory flush subnormals, as atom.add does there.
void reduce_into(isa::Type type, isa::Mod op, bool shared, u8* to, const u8* from);

}  // namespace ww::engine
