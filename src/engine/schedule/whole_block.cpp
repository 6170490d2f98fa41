// Runs the warps of a block by whole-warp code from one barrier of all its threads to the next, without
// splits and without the barrier's own account. Where a warp does anything else, those that have come to the
// barrier arrive there as usual, and the block goes on as any other. Warps take their turns in the order of
// BlockState::run(): the one that comes to a barrier last goes on first.
#include <algorithm>
#include <cstring>

#include "engine/compile/whole.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Whether the warp has left whole-warp code at a barrier that waits for all threads of the block.
bool BlockState::comes_to_barrier(const WarpState& w, const Inst* at) const {
  const WholeState& state = whole_run_->state;
  if (!at || state.called || !state.pause || state.depth || at->imm || at->guarded) return false;
  return waits_for_block(launch.program->infos[at->index].instruction->op) &&
         barrier_at(w, at) < barriers.size();
}

/// Which barrier.
u32 BlockState::barrier_at(const WarpState& w, const Inst* at) const {
  return *reinterpret_cast<const u32*>(w.regs + at->src[0]);
}

/// All warps have come to the barrier.
void BlockState::tell_of_barrier(const Inst* at, u32 id) const {
  if (!launch.bus || !launch.bus->hears(events::kBarriers)) return;
  for (const auto& w : warps)
    launch.bus->tell(worker, events::BarrierArrival{{at->index, number, w->id, lanes_of(*w)}, id});
  launch.bus->tell(worker, events::BarrierRelease{number, id});
}

/// The block begins: whether its warps can run one after another by the code alone, which knows nothing
/// of splits. They then have what enter_whole() gives each of them. (Handlers that it calls do look at
/// splits.)
bool BlockState::ready_together() {
  const bool calls = launch.program->functions[0]->whole_calls;
  if (whole_run_->ready) return true;
  for (size_t k = 0; k < whole_warps_; ++k)
    if (!warps[k]->splits.empty() || warps[k]->frames.empty()) return false;
  for (size_t k = 0; k < whole_warps_; ++k) {
    WarpState& w = *warps[k];
    if (calls) {
      start_again(w);
      w.split = w.splits[0];
      w.stack = w.split->stack;
    }
    w.live = w.mask = lanes_of(w);
    w.regs = w.frames[0].second.get();
    w.paused = nullptr;
    w.carry = 0;
  }
  whole_run_->ready = !calls;
  return true;
}

/// The block begins. Returns the warp with which others go on that do not go together any more (`ready`: that
/// one is ready for the interpreter; otherwise it waits or has ended), or how many have ended.
size_t BlockState::run_together(bool& ready) {
  const FunctionCode& entry = *launch.program->functions[0];
  const Inst *const code = entry.code.data(), *from = code;
  const size_t count = warps.size(), full = whole_run_->full;
  // (With listeners to accesses alone: others must hear of each arrival when it happens.)
  const bool may_wait = whole_warps_ == count &&
                        (!launch.bus || !launch.bus->hears(events::kBarriers) || launch.program->noted);
  const bool together = ready_together();
  plainly_ = false;
  WholeState& state = whole_run_->state;
  ready = false;
  // The code takes them from barrier to barrier by itself, but for looking now and then whether to stop.
  constexpr u32 kRounds = 64;
  const bool by_code = together && may_wait && whole_run_->waits && (full == count || count == 1);
  const bool told = launch.bus && launch.bus->hears(events::kBarriers);
  // The nth from the first one on; divisions would take as long as what lies between two barriers.
  const auto place = [&](size_t first, size_t n) {
    return first + n < count ? first + n : first + n - count;
  };
  // The code has brought a warp to its end.
  const auto ended = [&](WarpState& w) {
    if (together && !entry.whole_calls)
      live_threads -= lane_count(w.live);
    else
      end_whole(w);
  };
  // From the last turn's barrier to where they all wait again; nullptr: all end.
  const auto wait_again = [&](WarpState& w) {
    split_of(w)->pc = from;
    w.paused = from;
  };
  for (size_t first = 0;; first = place(first, count - 1)) {
    const Inst* barrier = nullptr;
    u32 id = 0;
    for (size_t n = 0; n < whole_warps_; ++n) {
      const size_t begins = place(first, n);
      WarpState& w = *warps[begins];
      if (from == code && !together) {
        if (w.splits.empty() && entry.whole_calls) start_again(w);
        w.paused = nullptr;
        w.carry = 0;
      }
      w.budget = launch.turn_budget;
      // The first one says where the others are expected. (Those of an incomplete row stand before it.)
      u32 others = 0;
      const bool leads = n == 0 && by_code;
      if (together && (n > 0 || leads || !whole_run_->waits) && begins < full) {
        others = static_cast<u32>(whole_warps_ - 1 - n);
        // One that lacks lanes has code of its own.
        if (full < whole_warps_) others = std::min(others, static_cast<u32>(full - 1 - begins));
      }
      const Inst* at = entered_at_;
      const u32 rounds = leads && !told ? kRounds : 0;
      state.rounds = rounds;
      if (!entered_)
        at = enter_whole(w, from, others,
                         leads     ? WholeState::kAnyPause
                         : barrier ? static_cast<u32>(barrier + 1 - code)
                                   : 0);
      entered_ = false;
      const size_t before = n;
      if (leads) {
        if (const u32 passed = rounds - state.rounds) {
          from = code + state.resume;
          first = place(first, count - passed % count);
        }
        n = count - 1 - state.more;
        if (state.expected && state.expected != WholeState::kAnyPause) {
          barrier = code + state.expected - 1;
          id = barrier_at(w, barrier);
        }
      } else {
        n += others - state.more;
      }
      const size_t k = place(first, n);
      WarpState& last = *warps[k];
      for (size_t m = before; m < n && !barrier; ++m) ended(*warps[place(first, m)]);
      if (n == 0 && may_wait && !barrier && comes_to_barrier(last, at))
        barrier = at, id = barrier_at(last, at);
      if (at == barrier && !state.called &&
          (!at || (state.pause && !state.depth && barrier_at(last, at) == id))) {
        if (!at) ended(last);
        continue;
      }
      if (whole_run_->ready && !barrier) {
        whole_run_->ready = false;
        for (size_t m = 0; m < n; ++m) warps[place(first, m)]->live = warps[place(first, m)]->mask = 0;
      }
      ready = !left_whole(last, at);
      for (size_t m = 0; m < n && barrier; ++m) {
        state.pause = static_cast<u32>(barrier + 1 - code);
        state.depth = 0;
        state.called = false;
        left_whole(*warps[place(first, m)], barrier);
      }
      begun_ = from != code;
      for (size_t m = n + 1; m < whole_warps_ && begun_; ++m) wait_again(*warps[place(first, m)]);
      return k;
    }
    if (!barrier) {
      plainly_ = together && full == count && !whole_run_->waits && from == code;
      return whole_warps_;
    }
    tell_of_barrier(barrier, id);
    from = barrier + 1;
    if (!launch.stopping()) continue;
    begun_ = true;
    for (auto& w : warps) wait_again(*w);
    return 0;
  }
}

BlockState::Plainly BlockState::run_plainly(u64 n) {
  const FunctionCode& entry = *launch.program->functions[0];
  if (!plainly_ || !whole_run_->ready || n != number + 1 ||
      (launch.bus && !launch.bus->hears_faults_only()) || barriers_used || !bulk.empty() ||
      __atomic_load_n(&entry.whole, __ATOMIC_ACQUIRE) != whole_)
    return Plainly::No;
  number = n;
  ++turns;
  next_index();
  if (launch.bus) launch.bus->block_begins(worker, number);
  if (shared_bytes) std::memset(shared.get(), 0xff, shared_bytes);
  WholeState& state = whole_run_->state;
  state.block[0] = index.x, state.block[1] = index.y, state.block[2] = index.z;
  WarpState& w = *warps[0];
  w.budget = launch.turn_budget;
  entered_at_ = enter_whole(w, entry.code.data(), static_cast<u32>(warps.size() - 1));
  if (!entered_at_ && !state.called && !state.more) {
    live_threads = 0;
    return Plainly::Ended;
  }
  live_threads = whole_run_->full * kLanes;
  barrier_rounds = kBarrierRounds;
  entered_ = true;
  begun_ = false;
  return Plainly::Begun;
}

}  // namespace ww::engine
