#include "engine/interpret/poll_step.h"

#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

static const Inst* run_poll_step(Warp& w, const Inst* i) {
  // Warp::polls stays, as behind atomics.
  state(w).looked = true;
  w.pc = i + 1;
  w.stop = Stop::Yield;
  return nullptr;
}

Inst poll_step() { return special(run_poll_step); }

const Inst* behind_update(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  const Order& order = w.launch->order;
  if (!order.ends_turns() || !order.ends_turn(w.block->number << 32 ^ u64{w.id} << 24 ^ w.atomics++))
    return i + 1;
  // Warp::polls stays: a loop that waits by atomics has said so at its last backward branch.
  w.pc = i + 1;
  w.stop = Stop::Yield;
  return nullptr;
}

Inst publish_step() { return special(behind_update); }

}  // namespace ww::engine
