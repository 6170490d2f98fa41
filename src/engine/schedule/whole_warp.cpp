// Starts warps with whole-warp code (engine/compile/whole.h), and where that ends before the warp does brings
// the warp to where the interpreter goes on.
#include <algorithm>
#include <bit>
#include <vector>

#include "engine/compile/whole.h"
#include "engine/interpret/slow.h"
#include "engine/interpret/value_step.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/notes.h"

namespace ww::engine {

/// WholeState::find, but that it keeps registers.
extern "C" [[gnu::visibility("hidden"), gnu::used]] u64 ww_find_site(WholeState* state, const Inst* i,
                                                                     Site* site, u64 low, u64 last,
                                                                     u64 span) {
  const AccessKey& key = i->aux->access;
  Warp& w = *state->warp;
  if (epoch_of(w) != state->epoch_seen) return 0;  // read before: what is freed meanwhile makes this void
  const Window there = find_window(w, key.where, low, key.kind == AccessKey::Kind::Store);
  if (there.size < span || there.lane_bytes || low > last || last - there.base >= there.size) return 0;
  // What generic addresses say of shared memory holds, too: all blocks that this state runs have the same.
  *site = {there.base, there.size - span + 1, reinterpret_cast<u64>(there.host) - there.base};
  return 1;
}

/// WholeState::tell.
extern "C" [[gnu::visibility("hidden"), gnu::used]] void ww_tell_notes(WholeState* state) {
  BlockState& block = *state->warp->block;
  block.launch.lanes->leave();
  block.notes.tell(*state);
}

/// WholeState::ask.
static u32 ask_listeners(WholeState* state) {
  BlockState& block = *state->warp->block;
  block.launch.lanes->leave();
  return block.notes.ask(*state);
}

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" [[gnu::visibility("hidden")]] void ww_tell_notes_quietly(WholeState* state);
extern "C" [[gnu::visibility("hidden")]] u64 ww_find_site_quietly(WholeState* state, const Inst* i,
                                                                  Site* site, u64 low, u64 last, u64 span);
#else
constexpr auto ww_find_site_quietly = &ww_find_site;  // nothing is compiled for other processors
constexpr auto ww_tell_notes_quietly = &ww_tell_notes;
#endif

namespace {

u32 partings(const u32* rounds, u32 mask) {
  u64 few = 0;  // which of the small numbers there are
  std::vector<u32> others;
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1)) continue;
    if (rounds[l] < 64)
      few |= u64{1} << rounds[l];
    else
      others.push_back(rounds[l]);
  }
  std::sort(others.begin(), others.end());
  const auto different = std::unique(others.begin(), others.end()) - others.begin();
  return static_cast<u32>(std::popcount(few) + different) - 1;
}

}  // namespace

/// Nobody is told what instructions do, and warps begin in their order.
bool BlockState::may_run_whole() const {
  const Program& program = *launch.program;
  return !program.only_pieces && launch.order.forward() && launch.cluster.count() == 1 &&
         (!program.keeps_groups || program.functions[0]->whole_calls);
}

/// What warps of the block that begins are to begin with.
void BlockState::find_whole_code() {
  const FunctionCode& entry = *launch.program->functions[0];
  const bool may = may_run_whole(), lacks = launch.program->lacking_warp;
  const size_t full = warps.size() - lacks, before = whole_warps_;
  whole_ = may ? __atomic_load_n(&entry.whole, __ATOMIC_ACQUIRE) : nullptr;
  whole_lacking_ = may && lacks ? __atomic_load_n(&entry.whole_lacking, __ATOMIC_ACQUIRE) : nullptr;
  whole_warps_ = whole_ ? full : 0;
  if (whole_lacking_ && whole_warps_ == full) ++whole_warps_;
  if (whole_run_ && whole_warps_ != before) whole_run_->ready = false;
}

/// There is code since the block began: its warps go on in it where they come to an entry (come_back).
void BlockState::find_late_code() {
  find_whole_code();
  if (!whole_warps_) return;
  for (auto& w : warps) w->paused = nullptr;
  prepare_whole();
}

/// A warp goes on interpreted, for as long as some quarters of the way through the kernel take. (Now and then
/// the program is told of those there were.)
void BlockState::count_left(u32 quarters) {
  constexpr u32 kTold = 16;  // warps
  whole_run_->left += quarters;
  if (whole_run_->left < 4 * kTold) return;
  launch.program->left.fetch_add(whole_run_->left / 4, std::memory_order_relaxed);
  whole_run_->left %= 4;
}

/// How often lanes part decides what is compiled first (compile/background.cpp).
void BlockState::tell_parted() {
  if (launch.program->compiled.load(std::memory_order_relaxed) == Compiled::Nothing)
    launch.program->left.fetch_add(parted_ / 4, std::memory_order_relaxed);
  parted_ = 0;
}

/// A block begins whose warps begin with whole-warp code.
void BlockState::prepare_whole() {
  if (!whole_run_) {
    whole_run_ = std::make_unique<WholeRun>();
    whole_run_->sites.resize(kSitesOfInstruction * launch.program->functions[0]->code.size());
    WholeState& s = whole_run_->state;
    s.epoch = launch.memory->epoch_place();
    s.epoch_seen = __atomic_load_n(s.epoch, __ATOMIC_RELAXED);
    s.shared = shared.get();
    s.shared_bytes = shared_bytes;
    s.sites = whole_run_->sites.data();
    s.find = ww_find_site_quietly;
    s.partings = &partings;
    s.tell = ww_tell_notes;
    s.tell_quietly = ww_tell_notes_quietly;
    s.ask = ask_listeners;
    if (launch.program->noted) notes.prepare(s);
    s.turn_budget = launch.turn_budget;
    whole_run_->full = static_cast<u32>(launch.block.count() / kLanes);
    whole_run_->last_lanes = lanes_of(*warps.back());
    whole_run_->waits = std::any_of(
        launch.program->infos.begin(), launch.program->infos.end(),
        [](const auto& info) { return info.instruction && waits_for_block(info.instruction->op); });
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& w : warps) whole_run_->ring.push_back(w.get());
    s.all = static_cast<u32>(warps.size());
    s.middle = whole_run_->ring.data() + s.all;
  }
  WholeState& s = whole_run_->state;
  s.block[0] = index.x, s.block[1] = index.y, s.block[2] = index.z;
  const FunctionCode& entry = *launch.program->functions[0];
  if (launch.program->asks && entry.shadow)  // of warps of the block before that are not started again
    for (const auto& w : warps)
      if (!w->frames.empty() && has_undefined(*w)) begin_shadow(entry, w->frames[0].second.get());
}

/// Whether undefined values may be in registers of the warp's entry: then its way is the interpreter's.
bool BlockState::has_undefined(const WarpState& w) const {
  const FunctionCode& entry = *launch.program->functions[0];
  return entry.shadow && *reinterpret_cast<const u32*>(w.frames[0].second.get() + entry.undefined_flag) != 0;
}

/// The warp begins. Whether it has ended or waits; otherwise it is ready for the interpreter.
bool BlockState::begin_whole(WarpState& w) {
  w.paused = nullptr;
  const FunctionCode& entry = *launch.program->functions[0];
  const bool whole = w.id < whole_warps_;
  if (w.splits.empty() && (!whole || entry.whole_calls)) start_again(w);
  if (!whole) {
    count_left();
    return false;
  }
  w.budget = launch.turn_budget;
  w.carry = 0;
  return run_whole(w, entry.code.data());
}

/// The warp comes back to where whole-warp code was left: the same, or false where it has to go on otherwise.
bool BlockState::resume_whole(WarpState& w) {
  const Inst* at = w.paused;
  if (!at) return come_back(w);
  Split* s = w.splits.size() == 1 ? w.splits[0] : nullptr;
  if (s && s->state != Split::State::Ready) return false;  // it still waits
  w.paused = nullptr;
  if (s && s->pc == at && s->mask == lanes_of(w) && !s->join && !has_undefined(w)) {
    w.budget = w.turn_budget();
    w.split = s;
    w.stack = s->stack;
    return run_whole(w, at);
  }
  forget_shapes(w);
  return false;
}

/// The warp has given up its turn at the head of a loop, where code may be entered: the same, or false where
/// it has to go on otherwise. (One that looks for what others do is counted by the interpreter.)
bool BlockState::come_back(WarpState& w) {
  if (w.stop != Stop::Yield || w.polls || w.id >= whole_warps_ || w.splits.size() != 1) return false;
  Split* s = w.splits[0];
  if (s->state != Split::State::Ready || s->mask != lanes_of(w) || s->join ||
      w.frames[0].second.get() != s->regs || has_undefined(w))
    return false;
  const FunctionCode& entry = *launch.program->functions[0];
  const WholeCode code = __atomic_load_n(
      w.id < whole_run_->full ? &entry.whole_again : &entry.whole_lacking_again, __ATOMIC_ACQUIRE);
  if (!code) {
    lost_turn_ = true;
    return false;
  }
  w.split = s;
  w.stack = s->stack;
  const u32 budget = w.budget = w.turn_budget();
  const bool away = left_whole(w, enter_whole(w, s->pc, 0, 0, code));
  w.branches += budget - std::min(budget, w.budget);
  return away;
}

/// A turn without code that the warp could have come back to: how long such turns take tells whether it is
/// worth making (worth_compiling).
BlockState::WarpTurn BlockState::run_lost_turn(WarpState& w) {
  lost_turn_ = false;
  const auto begin = Warming::Clock::now();
  const WarpTurn turn = run_warp(w);
  const std::chrono::nanoseconds took = Warming::Clock::now() - begin;
  launch.program->lost_nanoseconds.fetch_add(static_cast<u64>(took.count()), std::memory_order_relaxed);
  return turn;
}

/// The lanes of addresses have changed, and nobody has kept account of it.
void BlockState::forget_shapes(WarpState& w) const {
  u8* regs = w.frames[0].second.get();
  for (u32 shape : launch.program->functions[0]->changing_shapes)
    reinterpret_cast<AddressShape*>(regs + shape)->mask = 0;
}

/// Lanes have parted, as after branches that the interpreter carried out.
void BlockState::part_whole(WarpState& w, Split& s) const {
  const Inst* code = launch.program->functions[0]->code.data();
  const WholeState& state = whole_run_->state;
  u32 expected = w.live;
  for (u32 d = 0; d < state.depth; ++d) {
    const WholeParting& p = state.parted[d];
    Join* j = w.new_join();
    j->pc = code + p.join;
    j->expected = expected;
    j->arrived = p.arrived & ~p.later;
    j->parent = s.join;
    j->regs = s.regs;
    j->stack = s.stack;
    j->function = s.function;
    s.join = j;
    expected &= ~(p.arrived | p.other_mask);
    const auto add = [&](u32 place, u32 lanes) {
      if (!lanes) return;
      Split* other = w.new_split();
      *other = s;
      other->pc = code + place;
      other->mask = lanes;
      w.splits.insert(w.splits.begin() + 1, other);  // before those of the partings around it
    };
    add(p.other, p.other_mask);
    add(p.join, p.later);
  }
  s.mask = state.mask;
  w.turn = 0;
}

/// Enters the code there, and `others` that follow it in the block, as far as they come to where they are
/// expected (WholeState::more); `again`: by the code for that (FunctionCode::whole_again). Where the warp
/// that ran last has left it; nullptr (unless WholeState::called): it has ended.
const Inst* BlockState::enter_whole(WarpState& w, const Inst* from, u32 others, u32 expected,
                                    WholeCode again) {
  const Inst* code = launch.program->functions[0]->code.data();
  const bool full = w.id < whole_run_->full;
  if (full)
    w.live = w.mask = kAllLanes;
  else
    w.live = w.mask = whole_run_->last_lanes;
  w.regs = w.frames[0].second.get();
  if (!w.splits.empty()) {
    w.split = w.splits[0];
    w.stack = w.split->stack;
  }
  WholeState& state = whole_run_->state;
  if (const u32 epoch = epoch_of(w); epoch != state.epoch_seen) {
    std::fill(whole_run_->sites.begin(), whole_run_->sites.end(), Site{});
    state.epoch_seen = epoch;
  }
  state.warp = &w;
  state.resume = static_cast<u32>(from - code);
  state.pause = state.depth = 0;
  state.called = false;
  state.more = others;
  state.expected = expected;
  state.others = &whole_run_->ring[w.id + 1];
  const WholeCode enter = again ? again : full ? whole_ : whole_lacking_;
  const Inst* at = enter(&w, w.regs, code, &state);
  launch.lanes->leave();
  if (state.notes != state.notes_begin) ww_tell_notes(&state);
  return at;
}

/// A warp has ended, with all of its lanes.
void BlockState::end_whole(WarpState& w) {
  if (!w.splits.empty()) {
    w.split = w.splits[0];
    end_warp(w);
  } else {
    live_threads -= lane_count(w.live);
    w.live = w.mask = 0;
    check_barriers();
  }
}

/// That of all lanes of a warp, which may have done without so far.
Split* BlockState::split_of(WarpState& w) {
  if (w.splits.empty()) {
    const u32 carry = w.carry, budget = w.budget;
    start_again(w, true);
    w.carry = carry;
    w.budget = budget;
  }
  return w.splits[0];
}

bool BlockState::run_whole(WarpState& w, const Inst* from) { return left_whole(w, enter_whole(w, from)); }

/// The warp has left whole-warp code there. Whether it has ended or waits; otherwise it is ready for the
/// interpreter.
bool BlockState::left_whole(WarpState& w, const Inst* at) {
  const FunctionCode& entry = *launch.program->functions[0];
  const Inst* code = entry.code.data();
  const WholeState& state = whole_run_->state;
  const auto goes_on_interpreted = [&](WarpState& warp) {
    count_left();
    forget_shapes(warp);
    // Its turn ends where the interpreter would end it.
    if (warp.budget > 0) whole_run_->unspent = &warp;
  };
  for (;; at = enter_whole(w, at)) {
    if (!at && !state.called) {
      end_whole(w);
      return true;
    }
    Split* s = split_of(w);
    const Inst* next = at;
    if (!state.called) {
      s->pc = at;
      if (state.depth) part_whole(w, *s);
      if (!state.pause) {
        goes_on_interpreted(w);
        return false;
      }
      w.split = s;
      w.mask = s->mask;
      w.stack = s->stack;
      next = entry.plain[static_cast<size_t>(at - code)](w, at);
      launch.lanes->leave();
    }
    const bool undefined = has_undefined(w);
    if (next == code + state.pause && !undefined) {
      at = next;
      continue;
    }
    if (!next && w.stop == Stop::Blocked) {
      const bool last = s->state == Split::State::Ready && s->pc == code + state.pause;  // at a barrier
      if (last && undefined) {
        goes_on_interpreted(w);
        return false;
      }
      if (last) {
        at = s->pc;
        if (launch.program->noted) w.budget = w.turn_budget();
        continue;
      }
      w.paused = code + state.pause;
      return true;
    }
    if (next || w.stop == Stop::Yield || w.stop == Stop::Redispatch) s->pc = next ? next : w.pc;
    goes_on_interpreted(w);
    return !next && w.stop == Stop::Fault;
  }
}

}  // namespace ww::engine
