// What wraps every lane row: masks and host rounding modes.
#include <cfenv>

#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

const Inst* masked_lanes(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  if (mask == w.live) {
    i->lane(w, i);
    return i + 1;
  }
  Inst scratch = *i;
  scratch.dst = kScratch;
  scratch.dst2 = kScratch2;
  u32 carry = w.carry;
  i->lane(w, &scratch);
  w.carry = (w.carry & mask) | (carry & ~mask);
  auto blend_predicate = [&](u32 to, u32 from) {
    u32& p = *slot<u32>(w, to);
    p = (*slot<u32>(w, from) & mask) | (p & ~mask);
  };
  if (i->dst_pred)
    blend_predicate(i->dst, kScratch);
  else
    w.launch->lanes->blend(w.regs + i->dst, w.regs + kScratch, mask, i->dst_bytes);
  if (i->dst2_used) blend_predicate(i->dst2, kScratch2);
  return i + 1;
}

bool host_rounding(isa::Op op) {
  switch (op) {
    case isa::Op::add_f32:
    case isa::Op::sub_f32:
    case isa::Op::mul_f32:
    case isa::Op::fma_f32:
    case isa::Op::mad_f32:
      return false;
    default:
      break;
  }
  isa::Pipe pipe = isa::form(op).pipe;
  return pipe == isa::Pipe::Fp32 || pipe == isa::Pipe::Fp64 || pipe == isa::Pipe::Special;
}

const Inst* rounded_lanes(Warp& w, const Inst* i) {
  int mode = FE_TONEAREST;
  switch (static_cast<isa::Mod>(i->rounding)) {
    case isa::Mod::rz:
      mode = FE_TOWARDZERO;
      break;
    case isa::Mod::rm:
      mode = FE_DOWNWARD;
      break;
    case isa::Mod::rp:
      mode = FE_UPWARD;
      break;
    default:
      break;
  }
  int before = std::fegetround();
  std::fesetround(mode);
  reinterpret_cast<Handler>(const_cast<void*>(i->aux->more))(w, i);
  std::fesetround(before);
  return i + 1;
}

Inst count_step(const LaneCode& lanes, u32 counter) {
  Inst i = special(lanes.steps.count);
  i.imm = counter;
  return i;
}

}  // namespace ww::engine
