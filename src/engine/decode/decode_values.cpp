// What listeners need that follow undefined values: a shadow of the frame, and steps before the
// instructions that may meet such values.
#include "analysis/uses.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/value_step.h"
#include "ir/accesses.h"

namespace ww::engine {

/// Loads, stores, atomics and what lanes do together are told as events of their own.
static bool told_otherwise(const ir::Instruction& in) {
  const isa::Effects& effects = ir::effects_of(in);
  return is_access(in.op) || effects.updates() || effects.collective == isa::Collective::Warp;
}

void FunctionDecoder::value_step(const ir::Instruction& in) {
  if (told_otherwise(in)) return;
  bool meets = false;
  const auto see = [&](ir::RegId r) { meets |= may_be_undefined_[r]; };
  analysis::each_use(function(), in, see);
  analysis::each_definition(function(), in, see);
  if (analysis::sets_carry(in) || analysis::reads_carry(in)) meets |= may_be_undefined_.back();
  if (meets) emit_step(value_step_at(code_.undefined_flag));
}

/// Behind everything else, when the frame has its size.
void FunctionDecoder::place_shadow() {
  if (may_be_undefined_.empty()) return;
  code_.shadow = code_.frame_bytes - kFrameStart;
  code_.frame_bytes = (code_.carry_origin() + static_cast<u32>(sizeof(u32)) + 63) / 64 * 64;
}

}  // namespace ww::engine
