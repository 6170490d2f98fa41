// Divergence: lanes of a warp that go different ways become splits; they wait for each other at joins. Splits
// of one warp take turns, so lanes that wait for each other (a spin lock) make progress.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

namespace {

constexpr u32 kTurnsInParts = 512;              // until lanes that wait at a join go on without the others
constexpr u64 kMostFrameBytes = u64{64} << 20;  // of the register frames of one warp

template <class T>
T* take(std::list<T>& storage, std::vector<T*>& unused) {
  if (unused.empty()) return &storage.emplace_back();
  T* p = unused.back();
  unused.pop_back();
  *p = T{};
  return p;
}

void drop_split(WarpState& w, Split* s) {
  w.splits.erase(std::find(w.splits.begin(), w.splits.end(), s));
  w.free_splits.push_back(s);
}

/// Lanes that will not come to a join any more.
void forget(WarpState& w, Join* j, u32 lanes) {
  j->expected &= ~lanes;
  if (j->expected != j->arrived) return;
  if (j->expected != 0) {
    Split* s = w.new_split();
    s->pc = j->pc;
    s->mask = j->expected;
    s->regs = j->regs;
    s->stack = j->stack;
    s->join = j->parent;
    s->function = j->function;
    w.splits.push_back(s);
  }
  if (j->call) w.free_frame(*j->callee, j->callee_regs);
  w.free_joins.push_back(j);
}

/// Those who wait at a join go on without the others.
void leave_join(WarpState& w, Join& j) {
  Split* s = w.new_split();
  s->pc = j.pc;
  s->mask = j.arrived;
  s->regs = j.regs;
  s->stack = j.stack;
  s->join = j.parent;
  s->function = j.function;
  w.splits.push_back(s);
  j.expected &= ~j.arrived;
  j.arrived = 0;
}

/// The current split has lost lanes (they ended, or wait elsewhere): go on with the rest, or look for another
/// split.
const Inst* without(WarpState& w, const Inst* i, u32 lanes) {
  Split* s = w.split;
  s->mask = w.mask &= ~lanes;
  if (w.mask == 0) {
    drop_split(w, s);
    w.split = nullptr;
    w.stop = w.splits.empty() ? Stop::Done : Stop::Blocked;
    return nullptr;
  }
  w.pc = i + 1;
  w.stop = Stop::Redispatch;
  return nullptr;
}

const Inst* run_join(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  Split* s = w.split;
  Join* j = s->join;
  if (!j || j->pc != i || j->regs != w.regs) return i + 1;
  j->arrived |= w.mask;
  if (j->arrived == j->expected) {
    s->mask = w.mask = j->expected;
    s->join = j->parent;
    w.free_joins.push_back(j);
    w.pc = i;  // the parent may wait here too
    w.stop = Stop::Redispatch;
    return nullptr;
  }
  drop_split(w, s);
  w.split = nullptr;
  w.stop = Stop::Blocked;
  return nullptr;
}

/// Goes on elsewhere under another mask or frame. Counts as a backward branch, so that a program that does
/// nothing else yields as well.
const Inst* go_on(WarpState& w, const Inst* pc) {
  w.pc = pc;
  w.polls = false;
  w.stop = --w.budget == 0 ? Stop::Yield : Stop::Redispatch;
  return nullptr;
}

/// What has moved at the call or the return of `j`, for listeners that follow values.
void tell_passed(WarpState& w, const Inst* i, u32 lanes, const Join& j, events::Passed::What what,
                 const CallPlan::Move* move = nullptr, u32 from = 0, u32 to = 0) {
  if (!w.launch->bus || !w.launch->bus->hears(events::kValues)) return;
  events::Passed e;
  e.instruction = i->index, e.block = w.block->number, e.warp = w.id, e.mask = lanes;
  e.what = what, e.caller = j.function, e.callee = j.callee, e.registers = j.regs, e.state = &w;
  e.from = from, e.to = to;
  if (move) e.bytes = move->bytes;
  if (move && move->is_register) e.slot = move->from_slot;
  w.launch->bus->tell(w.block->worker, e);
}

}  // namespace

Split* WarpState::new_split() { return take(split_storage, free_splits); }
Join* WarpState::new_join() {
  Join* j = take(join_storage, free_joins);
  j->born = turns_in_parts;
  return j;
}

Inst join_point() { return special(run_join); }

void give_way(WarpState& w, const Split& spinning) {
  Join* j = spinning.join;
  while (j && j->arrived == 0) j = j->parent;
  if (j) leave_join(w, *j);
}

void give_way_in_parts(WarpState& w) {
  ++w.turns_in_parts;
  // Joins of the loop itself are new in each round: those that wait at an old one wait for the loop's end.
  for (const Split* s : w.splits)
    for (Join* j = s->join; j; j = j->parent)
      if (j->arrived && w.turns_in_parts - j->born > kTurnsInParts) return leave_join(w, *j);
}

bool gives_way_soon(const BlockState& block) {
  for (const auto& w : block.warps)
    for (const Split* s : w->splits)
      for (const Join* j = s->join; j; j = j->parent) {
        if (!j->arrived) continue;
        if (w->polling && w->polled < kPatience) return true;
        if (const u32 age = w->turns_in_parts - j->born; age > 1 && age <= kTurnsInParts) return true;
      }
  return false;
}

bool let_ended_go(const BlockState& block) {
  const auto only_returns = [&](const Join& j) {
    if (j.call || !j.function->function->entry) return false;
    const ir::Instruction* in = j.function->first_of_block(*j.pc);
    return in && in->guard == ir::kNone && (in->op == isa::Op::ret || in->op == isa::Op::exit_);
  };
  bool any = false;
  for (const auto& w : block.warps) {
    std::vector<Join*> joins;
    for (const Split* s : w->splits)
      for (Join* j = s->join; j; j = j->parent)
        if (j->arrived && only_returns(*j) && std::find(joins.begin(), joins.end(), j) == joins.end())
          joins.push_back(j);
    for (Join* j : joins) leave_join(*w, *j);
    any |= !joins.empty();
  }
  return any;
}

const Inst* part(Warp& warp, const Path* paths, int count, const Inst* join) {
  WarpState& w = state(warp);
  w.block->count_parted();
  Split* s = w.split;
  if (join && !(s->join && s->join->pc == join && s->join->regs == w.regs)) {
    Join* j = w.new_join();
    j->pc = join;
    j->expected = w.mask;
    j->parent = s->join;
    j->regs = w.regs;
    j->stack = w.stack;
    j->function = s->function;
    s->join = j;
  }
  // Behind the current one: lanes that parted last go on first.
  auto behind = std::find(w.splits.begin(), w.splits.end(), s) - w.splits.begin() + 1;
  for (int k = 1; k < count; ++k) {
    Split* other = w.new_split();
    other->pc = paths[k].pc;
    other->mask = paths[k].mask;
    other->regs = w.regs;
    other->stack = w.stack;
    other->join = s->join;
    other->function = s->function;
    w.splits.insert(w.splits.begin() + behind++, other);
  }
  s->mask = w.mask = paths[0].mask;
  return go_on(w, paths[0].pc);
}

const Inst* exit_lanes(Warp& warp, const Inst* i, u32 lanes) {
  WarpState& w = state(warp);
  if (lanes == 0) return i + 1;
  BlockState& block = *w.block;
  if (lanes == w.live && w.splits.size() == 1 && !w.split->join) {
    block.end_warp(w);
    return nullptr;
  }
  w.live &= ~lanes;
  block.live_threads -= lane_count(lanes);
  for (Join* j = w.split->join; j;) {
    Join* parent = j->parent;
    forget(w, j, lanes);
    j = parent;
  }
  // Who waits for lanes that ended looks again: the last to do so goes on.
  for (Split* s : w.splits)
    if (s->state == Split::State::Collective) s->state = Split::State::Ready;
  const Inst* next = without(w, i, lanes);
  block.check_barriers();
  leave_cluster(w, lanes);
  return next;
}

void registers_to_local(Warp& w, u32 to, const u8* reg, u32 bytes, u32 lanes) {
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    std::memcpy(w.local + u64(l) * w.local_stride + to, reg + u32(l) * std::max(2u, bytes), bytes);
  }
}
void local_to_registers(Warp& w, u8* reg, u32 from, u32 bytes, u32 lanes) {
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    std::memcpy(reg + u32(l) * std::max(2u, bytes), w.local + u64(l) * w.local_stride + from, bytes);
  }
}

void copy_local(Warp& w, u32 to, u32 from, u32 bytes, u32 lanes) {
  for (u32 m = lanes; m; m &= m - 1) {
    u8* lane = w.local + u64(__builtin_ctz(m)) * w.local_stride;
    std::memcpy(lane + to, lane + from, bytes);
  }
}

const Inst* return_lanes(Warp& warp, const Inst* i, u32 lanes) {
  WarpState& w = state(warp);
  if (lanes == 0) return i + 1;
  Split* s = w.split;
  Join* j = s->join;
  while (j && !j->call) {
    Join* parent = j->parent;
    forget(w, j, lanes);
    j = parent;
  }
  if (!j) return exit_lanes(w, i, lanes);
  if (w.any_taken)
    for (u32 m = lanes; m; m &= m - 1) {
      auto& taken = w.taken[__builtin_ctz(m)];
      while (!taken.empty() && taken.back().frame > j->stack) taken.pop_back();
    }
  for (size_t r = 0; r < j->call->results.size(); ++r) {
    const auto& to = j->call->results[r];
    if (to.sink) continue;
    u32 from = w.stack + j->callee->results[r].offset;
    if (to.is_register)
      local_to_registers(w, j->regs + to.from_slot, from, to.bytes, lanes);
    else
      copy_local(w, j->stack + to.local_offset, from, to.bytes, lanes);
    tell_passed(w, i, lanes, *j, events::Passed::What::Result, &to, from, j->stack + to.local_offset);
  }
  j->arrived |= lanes;
  if (j->arrived != j->expected) return without(w, i, lanes);
  // All are back: this split goes on behind the call with the caller's frame.
  w.free_frame(*j->callee, j->callee_regs);
  s->mask = w.mask = j->expected;
  s->regs = w.regs = j->regs;
  s->stack = w.stack = j->stack;
  s->function = j->function;
  s->join = j->parent;
  w.free_joins.push_back(j);
  w.pc = j->pc;
  w.stop = Stop::Redispatch;
  return nullptr;
}

const Inst* call_function(Warp& warp, const Inst* i, const FunctionCode& callee, const CallPlan& plan,
                          u32 lanes) {
  WarpState& w = state(warp);
  Split* s = w.split;
  u32 stack = w.stack + s->function->local_bytes;
  if (w.frames_bytes > kMostFrameBytes)
    return fault(w, i, __builtin_ctz(lanes), "stack overflow",
                 "calls are nested so deeply that the registers of a warp take more than " +
                     std::to_string(kMostFrameBytes >> 20) + " MiB");
  u32 end = w.local_bytes;
  if (w.any_taken)
    for (u32 m = lanes; m; m &= m - 1) end = std::min(end, w.stack_end(__builtin_ctz(m)));
  if (u64{stack} + callee.local_bytes > end)
    return fault(w, i, __builtin_ctz(lanes), "stack overflow",
                 "the call needs more than the " + std::to_string(w.local_bytes) +
                     " bytes of local memory each thread has");
  w.reach_local(stack + callee.local_bytes);
  Join* j = w.new_join();
  j->pc = i + 1;
  j->expected = lanes;
  j->parent = s->join;
  j->regs = w.regs;
  j->stack = w.stack;
  j->function = s->function;
  j->call = &plan;
  j->callee = &callee;
  tell_passed(w, i, lanes, *j, events::Passed::What::Enters, nullptr, 0, stack);
  for (size_t a = 0; a < plan.arguments.size(); ++a) {
    const auto& from = plan.arguments[a];
    u32 to = stack + callee.params[a].offset;
    if (from.is_register)
      registers_to_local(w, to, w.regs + from.from_slot, from.bytes, lanes);
    else
      copy_local(w, to, w.stack + from.local_offset, from.bytes, lanes);
    tell_passed(w, i, lanes, *j, events::Passed::What::Argument, &from, w.stack + from.local_offset, to);
  }
  assert(lanes == w.mask);
  s->join = j;
  s->function = &callee;
  s->stack = w.stack = stack;
  s->regs = w.regs = j->callee_regs = w.new_frame(callee);
  return go_on(w, callee.code.data());
}

const Inst* block_split(Warp& warp, const Inst* pc, Split::State why) {
  Split* s = warp.split;
  s->state = why;
  s->pc = pc;
  warp.stop = Stop::Blocked;
  return nullptr;
}

const Inst* collective(Warp& warp, const Inst* i, u32 lanes, u32 members,
                       void (*operation)(Warp&, const Inst*, u32), Meeting meeting) {
  WarpState& w = state(warp);
  if (lanes == 0) return i + 1;
  const u32 wanted = (members & w.live & ~w.excused) | lanes;
  const auto carry_out = [&](u32 here) {
    if (w.launch->bus && w.launch->bus->hears(events::kWarpSyncs)) {
      u32 named[kLanes];
      if (meeting == Meeting::AnyPlace)
        for (int l = 0; l < kLanes; ++l) named[l] = lanes >> l & 1 ? slot<u32>(w, i->src[3])[l] : members;
      w.launch->bus->tell(w.block->worker, events::WarpSync{{i->index, w.block->number, w.id, here},
                                                            members,
                                                            &w,
                                                            meeting == Meeting::AnyPlace ? named : nullptr});
    }
    operation(w, i, here);
    w.excused = 0;
  };
  if ((lanes & wanted) == wanted) {
    carry_out(lanes);
    return i + 1;
  }
  auto meets = [&](const Split* s) {
    if (s == w.split || s->state != Split::State::Collective || !(s->waiting & wanted)) return false;
    return meeting == Meeting::AnyPlace ? s->pc->lane == i->lane : s->pc == i && s->regs == w.regs;
  };
  u32 here = lanes;
  for (Split* s : w.splits)
    if (meets(s)) here |= s->waiting;
  w.split->waiting = lanes;
  if ((here & wanted) != wanted) return block_split(w, i, Split::State::Collective);
  carry_out(here);
  for (Split* s : w.splits)
    if (meets(s)) {
      s->state = Split::State::Ready;
      ++s->pc;
    }
  return i + 1;
}

}  // namespace ww::engine
