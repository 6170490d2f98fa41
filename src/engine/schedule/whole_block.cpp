// Runs the full warps of a block by whole-warp code from one barrier of all its threads to the next, without
// splits and without the barrier's own account. Where a warp does anything else, those that have come to the
// barrier arrive there as usual, and the block goes on as any other. Warps take their turns in the order of
// BlockState::run(): the one that comes to a barrier last goes on first.
#include "engine/compile/whole.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Whether the warp has left whole-warp code at a barrier that waits for all threads of the block.
bool BlockState::comes_to_barrier(const WarpState& w, const Inst* at) const {
  const WholeState& state = whole_run_->state;
  if (!at || state.called || !state.pause || state.depth || at->imm || at->guarded) return false;
  const isa::Op op = launch.program->infos[at->index].instruction->op;
  return (op == isa::Op::bar_sync || op == isa::Op::barrier_sync) && barrier_at(w, at) < barriers.size();
}

/// Which barrier.
u32 BlockState::barrier_at(const WarpState& w, const Inst* at) const {
  return *reinterpret_cast<const u32*>(w.regs + at->src[0]);
}

/// The block begins. Returns the warp with which others go on that do not go together any more (`ready`: that
/// one is ready for the interpreter; otherwise it waits or has ended), or how many have ended.
size_t BlockState::run_together(bool& ready) {
  const FunctionCode& entry = *launch.program->functions[0];
  const Inst *const code = entry.code.data(), *from = code;
  const size_t count = warps.size(), full = launch.block.count() / kLanes;
  const bool may_wait = full == count && !(launch.bus && launch.bus->hears(events::kBarriers));
  WholeState& state = whole_run_->state;
  ready = false;
  // From the last turn's barrier to where they all wait again; nullptr: all end.
  const auto wait_again = [&](WarpState& w) {
    split_of(w)->pc = from;
    w.paused = from;
  };
  for (size_t first = 0;; first = (first + full - 1) % count) {
    const Inst* barrier = nullptr;
    u32 id = 0;
    for (size_t n = 0; n < full; ++n) {
      const size_t k = (first + n) % count;
      WarpState& w = *warps[k];
      if (from == code) {
        if (w.splits.empty() && entry.whole_calls) start_again(w);
        w.paused = nullptr;
        w.carry = 0;
      }
      w.budget = kTurnBudget;
      const Inst* at = enter_whole(w, from);
      if (n == 0 && may_wait && comes_to_barrier(w, at)) barrier = at, id = barrier_at(w, at);
      if (at == barrier && !state.called &&
          (!at || (state.pause && !state.depth && barrier_at(w, at) == id))) {
        if (!at) end_whole(w);
        continue;
      }
      ready = !left_whole(w, at);
      for (size_t m = 0; m < n && barrier; ++m) {
        state.pause = static_cast<u32>(barrier + 1 - code);
        state.depth = 0;
        state.called = false;
        left_whole(*warps[(first + m) % count], barrier);
      }
      begun_ = from != code;
      for (size_t m = n + 1; m < full && begun_; ++m) wait_again(*warps[(first + m) % count]);
      return k;
    }
    launch.lanes->leave();
    if (!barrier) return full;
    from = barrier + 1;
    if (!launch.stopping()) continue;
    begun_ = true;
    for (auto& w : warps) wait_again(*w);
    return 0;
  }
}

}  // namespace ww::engine
