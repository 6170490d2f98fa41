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

}  // namespace ww::engine
