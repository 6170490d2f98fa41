// Which lanes wait for the phase of an mbarrier, and what that phase still lacks.
#pragma once

#include <string>

#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Lanes asked whether a phase of the mbarrier (`host`: where it lies) is over: it was for those in `done`.
void note_asked(WarpState& w, const Inst* at, const u8* host, u32 lanes, u32 done);

/// Whether all threads of the block wait: at barriers, or in loops that asked for the phase of an mbarrier in
/// the block's latest turn. Memory of the host has no part in either.
bool awaits_phases(const BlockState& block);

/// What these lanes wait for: the latest of what they asked for, if that phase has not ended; else nullptr.
const AwaitedPhase* awaited_by(const WarpState& w, u32 lanes);

/// "the phase 0 of the mbarrier k()::b: 64 of 65 arrivals have come, 1 is missing; 4 phases have ended before
/// it".
std::string phase_text(const BlockState& block, const AwaitedPhase& phase);

}  // namespace ww::engine
