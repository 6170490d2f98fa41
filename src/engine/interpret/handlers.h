// Handlers and decoded steps that several parts of the engine need.
#pragma once

#include "engine/decode/program.h"

namespace ww::engine {

class FunctionDecoder;

/// A lane row under a mask: runs all lanes into scratch and blends the active ones into place.
const Inst* masked_lanes(Warp& w, const Inst* i);
/// A lane row under a rounding mode that the host's arithmetic can be set to (aux->more is the row's own
/// handler).
const Inst* rounded_lanes(Warp& w, const Inst* i);
/// Whether a row's .rnd is obtained by setting the host's rounding mode (conversions and most f32 arithmetic
/// round by themselves).
bool host_rounding(isa::Op op);

/// Adds one warp execution and the number of active lanes to a counter.
Inst count_step(const LaneCode& lanes, u32 counter);
/// Where diverged lanes wait for each other.
Inst join_point();
/// Behind the last instruction of a function: control must not get there.
Inst end_of_code();
/// dst = offset + the start of the function's frame in local memory.
Inst local_address(u32 dst, int bytes, u64 offset);
/// A register with addresses has been written: its shape is unknown.
Inst forget_shape(const LaneCode& lanes, u32 shape_slot);
/// It has been moved by a constant: its shape moves along.
Inst shift_shape(const LaneCode& lanes, u32 shape_slot, u64 by);
/// The same by what a 64-bit register holds, if that is the same for all lanes.
Inst shift_shape_by(const LaneCode& lanes, u32 shape_slot, u32 register_slot);
/// The shape of an address that is a sum, see LaneCode::sum.
Inst sum_shape(const LaneCode& lanes, const Aux& aux, u32 shape, u32 pattern, u32 address, u32 index,
               u64 offset);
/// `high`: the upper half of it.
Inst read_clock(u32 dst, int bytes, Special what, bool high);

/// An instruction for which the full and the masked case are the same handler.
inline Inst special(Handler handler) {
  Inst i{};
  i.full = i.masked = i.lane = handler;
  return i;
}

}  // namespace ww::engine
