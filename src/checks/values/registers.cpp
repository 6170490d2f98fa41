// Undefined bits in registers: guards, branches, and instructions of one lane.
#include <cstring>

#include "checks/values.h"

namespace ww::checks {

namespace {

constexpr u32 kRest = 512;  // steps until a frame is looked through for undefined bits

}  // namespace

u32 Values::guarded(Block& b, const events::Site& site, const Plan& plan, const Frame& f, u32 mask,
                    u32& unsure) {
  unsure = 0;
  if (plan.guard.kind != Value::Kind::Register) return mask;
  u32 p;
  std::memcpy(&p, f.registers + plan.guard.in_frame.slot, 4);
  if (plan.guard.negated) p = ~p;
  unsure = undefined_lanes(f, plan.guard, site.mask);
  const bool decides = plan.rule == Rule::Branch || plan.rule == Rule::Store || plan.rule == Rule::Atomic;
  if (unsure && decides) {
    tell(b, site, __builtin_ctz(unsure),
         plan.rule == Rule::Branch ? "a branch depends on an uninitialised value"
                                   : "whether memory is written depends on an uninitialised value",
         plan.rule == Rule::Branch ? "branches on it" : "stores if it is so", f.origin(plan.guard));
    define(f, plan.guard, unsure);
    unsure = 0;
  }
  return mask & (p | unsure);
}

void Values::step(int worker, const events::Step& e) {
  const Plan& plan = now_->plans[e.instruction];
  engine::Warp& warp = *e.state;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  Block& b = block(worker, e.block);
  const Frame f = frame_of(plan, warp);
  u32 unsure = 0;
  const u32 mask = guarded(b, e, plan, f, e.mask, unsure);
  if (plan.reads_carry)
    std::memcpy(f.registers + plan.source[3].in_frame.slot, &warp.carry, sizeof warp.carry);
  if (++w.steps % kRest == 0) rest(w, plan, warp);
  if (mask == 0) return;
  switch (plan.rule) {
    case Rule::Branch:
      if (const u32 lanes = undefined_lanes(f, plan.source[0], mask)) {
        tell(b, e, __builtin_ctz(lanes), "a jump depends on an uninitialised value", "jumps by it",
             f.origin(plan.source[0]));
        define(f, plan.source[0], lanes);
      }
      return;
    case Rule::Shuffle:
    case Rule::Vote:
    case Rule::Ballot: {
      events::Site site = e;
      site.mask = mask;
      return plan.rule == Rule::Shuffle ? shuffle(b, site, plan, warp) : across(b, site, plan, warp);
    }
    case Rule::Load:
    case Rule::Store:
    case Rule::Texels:  // others than of textures and surfaces are told as accesses only
      see_coordinates(b, e, plan, f, mask);
      if (plan.rule == Rule::Store) return;
      define(f, plan.result, mask);
      for (const Value& v : plan.list) define(f, v, mask);
      return;
    default:
      carry(plan, f, mask, unsure & mask);
      if (plan.rule == Rule::Defined || plan.list.empty() || plan.rule == Rule::Pieces) return;
      for (const Value& v : plan.list) define(f, v, mask);
  }
}

/// Clears the flag of a frame in which nothing undefined is left.
void Values::rest(Worker&, const Plan& plan, engine::Warp& warp) {
  const u8* at = warp.regs + plan.code->slots_end();
  u64 any = 0;
  for (u32 k = 0; k < plan.code->shadow; k += 8) {
    u64 word;
    std::memcpy(&word, at + k, 8);
    any |= word;
  }
  if (!any) flag(plan, warp) = 0;
}

}  // namespace ww::checks
