// One block: its warps take turns until they end or wait for each other.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/round.h"
#include "engine/compile/whole.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/value_step.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/notes.h"
#include "engine/schedule/patience.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

namespace {

constexpr u32 kTurnCost = 64;  // branches: a turn given up early (nanosleep, a wait) takes about as long
constexpr int kRounds = 64;    // rounds of such turns until a block lets other blocks have one
// The same where they wait at barriers of the block. Blocks that look in such a loop for what others do need
// the others in the end; most blocks have ended before. Once one has come back to the same state, a few
// rounds tell whether the others have done it.
constexpr int kLookRounds = 8;
constexpr int kPollingRounds = 2;  // where all that its warps do is to look for what others do

}  // namespace

u32 WarpState::turn_budget() const {
  constexpr u32 kLook = 8, kOfOneThatWaits = 512;
  if (splits.size() > 1) return launch->turn_budget;  // how they take turns decides where they meet
  return std::min(launch->turn_budget, polling ? kLook : waits_often ? kOfOneThatWaits : kTurnBudget);
}

void BlockState::end_warp(WarpState& w) {
  const u32 lanes = w.live;
  w.live = w.mask = w.split->mask = 0;
  live_threads -= lane_count(lanes);
  w.free_splits.push_back(w.split);
  w.splits.clear();
  w.split = nullptr;
  w.stop = Stop::Done;
  check_barriers();
  leave_cluster(w, lanes);
}

/// Runs splits of the warp until none is ready.
BlockState::WarpTurn BlockState::run_warp(WarpState& w) {
  const bool adversarial = launch.order.kind == Order::Kind::Adversarial;
  WarpTurn turn;
  size_t tried = 0;
  int passed = 0;  // barriers that waited for nobody else
  // Whose turns have ended where the order ends them: not before other warps had theirs do they go on, though
  // lanes that part from them or come to a barrier make this one look again for who is ready.
  std::vector<const Split*> had_turns;
  u32 spent = 0;  // backward branches of splits that then parted, met others or ended
  // A warp whose turn is over when it leaves whole-warp code still takes the branch that ends it: where a
  // launch is given up, it stands at the head of its loop, as it would interpreted.
  bool ends_turn = whole_run_ && whole_run_->unspent == &w && w.budget == 1;
  while (tried < w.splits.size() && (!launch.stopping() || std::exchange(ends_turn, false))) {
    if (w.turn >= w.splits.size()) w.turn = 0;
    Split* s = w.splits[w.turn];
    if (s->state != Split::State::Ready ||
        std::find(had_turns.begin(), had_turns.end(), s) != had_turns.end()) {
      ++w.turn, ++tried;
      continue;
    }
    w.split = s;
    w.mask = s->mask;
    w.regs = s->regs;
    w.stack = s->stack;
    const u64 released = releases;
    const bool goes_on = whole_run_ && std::exchange(whole_run_->unspent, nullptr) == &w;
    // The branch behind a look belongs to it: who looks again and who goes on get their turns alike.
    const bool looked = std::exchange(w.looked, false);
    const u32 budget = adversarial ? (looked ? 2 : 1) : goes_on ? w.budget : w.turn_budget();
    w.budget = budget;
    const Inst* i = s->pc;
    for (;;) {
      if (w.mask == w.live)
        while (i) i = i->full(w, i);
      else
        while (i) i = i->masked(w, i);
      if (w.stop != Stop::Redispatch) break;
      i = w.pc;
    }
    launch.lanes->leave();
    // A round of a loop, or what lies between two barriers, is seldom less than a quarter of a kernel. (Warps
    // that never had all lanes use pieces only where their lanes part.)
    if (whole_run_ && !w.polls && (w.live == kAllLanes || w.mask != w.live) &&
        launch.program->compiled.load(std::memory_order_relaxed) < Compiled::All)
      count_left(1 + budget - std::min(budget, w.budget));
    switch (w.stop) {
      case Stop::Yield:
        s->pc = w.pc;
        w.polling = w.polls && w.splits.size() == 1;
        w.waits_often |= w.polling;
        turn.worked |= !w.polls;
        if (w.polls && (w.polled += adversarial ? kTurnBudget : budget) >= kPatience) give_way(w, *s);
        if (too_many_branches(w, *s, std::max(budget - w.budget, std::min(budget, kTurnCost)))) return {};
        turn.yielded = true;
        turn.looked |= w.looked;
        if (launch.order.ends_turns()) had_turns.push_back(s);
        ++w.turn, ++tried;
        break;
      case Stop::Fault:
        return {};
      default:
        tried = 0;
        turn.worked = true;
        w.polling = false;
        if (releases != released && s->state == Split::State::Ready && ++passed >= barrier_rounds) {
          turn.circled = true;
          return turn;
        }
        spent += budget - std::min(budget, w.budget);
        if (spent >= (w.waits_often ? kTurnCost : kTurnBudget)) {
          if (too_many_branches(w, *s, std::exchange(spent, 0))) return {};
          ++w.turn;  // or others of its lanes, for whom these may wait, would never have one
          if (waits_in_parts(w, *s)) {
            give_way_in_parts(w);
            return {.yielded = true};
          }
        }
        break;  // blocked, done or split up: others may have become ready
    }
  }
  return turn;
}

void BlockState::choose_barrier_rounds() {
  constexpr u64 kBetween = 16;  // turns: in a short one less is done than it takes to find out
  if (barrier_rounds == kBarrierRounds || turns % kBetween == 0)
    barrier_rounds = at_barriers.is_new(state_of(*this)) ? kBarrierRounds : kLookRounds;
}

Turn BlockState::run() {
  ++turns;
  int polling = 0;  // rounds, one after another
  bool worked = false;
  for (int round = 0;; ++round) {
    WarpTurn all;
    // A round of turns of its own for each block, so that they do not all draw the same.
    const u64 drawn = launch.order.forward() ? 0 : (number + 1) * 0x10001 + static_cast<u64>(round);
    size_t first = 0;
    if (begun_ && !whole_warps_) find_late_code();
    if (whole_warps_ && !begun_) {
      bool ready = false;
      first = run_together(ready);
      all.worked |= first > 0;
      if (first < warps.size() && first < whole_warps_) {
        if (ready) all += run_warp(*warps[first]);
        ++first;
      }
      if (launch.stopping()) return Turn::Stopped;
    }
    for (size_t k = first; k < warps.size(); ++k) {
      WarpState& w = *warps[launch.order.forward() ? k : launch.order.at(k, warps.size(), drawn)];
      if (whole_warps_ && (begun_ ? resume_whole(w) : begin_whole(w))) {
        if (launch.stopping()) return Turn::Stopped;
        all.worked = true;
        continue;
      }
      all += lost_turn_ ? run_lost_turn(w) : run_warp(w);
      if (launch.stopping()) return Turn::Stopped;
    }
    begun_ = true;
    worked |= all.worked;
    if (all.circled) {
      choose_barrier_rounds();
      return Turn::Yielded;
    }
    if (all.yielded) {
      polling = all.worked ? 0 : polling + 1;
      if (polling >= kPollingRounds) return worked ? Turn::Yielded : Turn::Polling;
      if (all.looked) return worked ? Turn::Yielded : Turn::Polling;
      if (round >= (launch.order.ends_turns() ? 0 : kRounds)) return Turn::Yielded;
      continue;
    }
    if (live_threads == 0) return Turn::Done;
    bool ready = false, alive = false, cluster_waits = false;
    for (auto& w : warps)
      for (Split* s : w->splits) {
        alive = true;
        ready |= s->state == Split::State::Ready;
        cluster_waits |= s->state == Split::State::Cluster;
      }
    if (!alive) return Turn::Done;
    if (!ready && !let_ended_go(*this) && !go_without_absent()) {
      if (cluster_waits) return Turn::Waiting;
      report_deadlock();
      return Turn::Stopped;
    }
    if (round >= barrier_rounds) {
      choose_barrier_rounds();
      return Turn::Yielded;
    }
  }
}

}  // namespace ww::engine
