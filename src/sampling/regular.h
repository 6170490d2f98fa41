// Whether a kernel's code lets one expect that its blocks behave alike.
#pragma once

#include "engine/decode/program.h"
#include "engine/engine.h"

namespace ww::sampling {

/// Of the parts that ran (in a counted run of some block): true if which way a thread takes changes along the
/// grid by thresholds alone: guards depend on the block's number only by comparisons of what rises or falls
/// with it (sums, products with what is the same for all blocks, quotients). Then where two blocks do alike
/// those between them do, unless two thresholds cut out a piece. False if a guard depends on anything that
/// was loaded, on an atomic's result or a clock, or on the block's number in another way (a remainder, some
/// of its bits).
bool regular_control(const engine::RunResult& run);

}  // namespace ww::sampling
