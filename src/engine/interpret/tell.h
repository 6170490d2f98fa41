// Reports memory accesses to the launch's listeners, and counts where generic ones point to.
#pragma once

#include <optional>

#include "engine/decode/decode.h"
#include "events/events.h"
#include "ir/accesses.h"

namespace ww::engine {

/// Wraps a decoded ld, st or atomic, whose address is src[0] + imm, so that it is told before it happens; as
/// it is where there are no listeners.
Inst told(FunctionDecoder& d, Inst access);

/// The access behind one that is told; null: it is no such access.
const Inst* access_behind(const Inst& i);
/// What is known of that access before it happens.
events::Memory event_behind(const Inst& i);
/// Tells of an access that compiled code has made: `e` is event_behind() with its serial.
void tell_noted(Warp& w, const Inst* i, events::Memory& e, u32 mask, u64 first, const int64_t* offsets);

/// Tells of one that compiled code is about to make, unless a listener needs the warp's registers for it:
/// then nobody is told, and the result is false.
bool tell_asked(Warp& w, const Inst* i, events::Memory& e, u32 mask, u64 first, const int64_t* offsets);

/// Emits a step that tells of the current instruction's accesses by Range::Copy and Range::Rows, before they
/// happen.
void tell_of_ranges(FunctionDecoder& d, const ir::Instruction& in);

/// Emits a step that counts where the current instruction's accesses land, where only its run can tell
/// (generic addresses, copies of varying size). Returns the first of its counters, ir::kNone if none is
/// wanted.
u32 count_landings(FunctionDecoder& d, const ir::Instruction& in);

/// What such a step counts, of generic addresses src[0] + imm of 64 bits.
struct LandingStep {
  u32 counter = 0;  ///< the first of kLandings
  u32 bytes = 0;    ///< of each lane
};
/// Nothing: it is another step (of that handler), or not as plain as that.
std::optional<LandingStep> landings_of(Handler handler, const Inst& i);

/// What is known of an access when it is decoded.
events::Memory event_of(const ir::Instruction& in, const ir::Access& access);

/// Tells of lanes whose addresses are base + offsets[lane], in the space `where` says; generic ones by space.
void tell(Warp& w, const Inst* i, events::Memory event, AccessKey::Where where, u32 mask, u64 base,
          const int64_t* offsets);

}  // namespace ww::engine
