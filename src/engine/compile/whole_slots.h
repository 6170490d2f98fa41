// What is known of the lanes of each slot while a full warp's lanes go together, for whole-warp code.
#pragma once

#include <vector>

#include "engine/compile/unit.h"
#include "engine/decode/program.h"

namespace ww::engine {

/// Fills in what whole-warp code makes of each step (CompileStep::kind) and lists the slots, by offset.
/// False: there is nothing that such code could run.
bool plan_whole(const Program& program, const FunctionCode& function, const LaneCode& lanes,
                std::vector<CompileStep>& steps, std::vector<WholeSlot>& slots);

}  // namespace ww::engine
