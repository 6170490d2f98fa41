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

template <class T>
void fill(u8* at, u64 value) {
  T* lanes = reinterpret_cast<T*>(at);
  for (int l = 0; l < kLanes; ++l) lanes[l] = static_cast<T>(value);
}

void fill_predicate(u8* at, bool value) { std::memset(at, value ? 0xff : 0, sizeof(u32)); }

/// The value of a special register in lane l.
u64 special_value(const WarpState& w, Special what, int l) {
  const LaunchState& launch = *w.launch;
  u64 thread = u64{w.id} * kLanes + static_cast<u64>(l);
  u32 lanes_le = (u64{2} << l) - 1;
  switch (what) {
    case Special::TidX:
      return thread % launch.block.x;
    case Special::TidY:
      return thread / launch.block.x % launch.block.y;
    case Special::TidZ:
      return thread / launch.block.x / launch.block.y;
    case Special::NtidX:
      return launch.block.x;
    case Special::NtidY:
      return launch.block.y;
    case Special::NtidZ:
      return launch.block.z;
    case Special::CtaidX:
      return w.block->index.x;
    case Special::CtaidY:
      return w.block->index.y;
    case Special::CtaidZ:
      return w.block->index.z;
    case Special::NctaidX:
      return launch.grid.x;
    case Special::NctaidY:
      return launch.grid.y;
    case Special::NctaidZ:
      return launch.grid.z;
    case Special::LaneId:
      return static_cast<u64>(l);
    case Special::WarpId:
      return w.id;
    case Special::NwarpId:
      return w.block->warps.size();
    case Special::SmId:
      return w.block->number % launch.multiprocessors;
    case Special::NsmId:
      return launch.multiprocessors;
    case Special::GridId:
      return 1;
    case Special::LanemaskEq:
      return u32{1} << l;
    case Special::LanemaskLe:
      return lanes_le;
    case Special::LanemaskLt:
      return lanes_le >> 1;
    case Special::LanemaskGe:
      return ~(lanes_le >> 1);
    case Special::LanemaskGt:
      return ~lanes_le;
    case Special::TotalSharedBytes:
      return w.shared_bytes;
    case Special::DynamicSharedBytes:
      return launch.dynamic_shared;
    case Special::ClusterIdX:
      return w.block->cluster->index.x;
    case Special::ClusterIdY:
      return w.block->cluster->index.y;
    case Special::ClusterIdZ:
      return w.block->cluster->index.z;
    case Special::NclusterIdX:
      return launch.grid.x / launch.cluster.x;
    case Special::NclusterIdY:
      return launch.grid.y / launch.cluster.y;
    case Special::NclusterIdZ:
      return launch.grid.z / launch.cluster.z;
    case Special::ClusterCtaidX:
      return w.block->index.x % launch.cluster.x;
    case Special::ClusterCtaidY:
      return w.block->index.y % launch.cluster.y;
    case Special::ClusterCtaidZ:
      return w.block->index.z % launch.cluster.z;
    case Special::ClusterNctaidX:
      return launch.cluster.x;
    case Special::ClusterNctaidY:
      return launch.cluster.y;
    case Special::ClusterNctaidZ:
      return launch.cluster.z;
    case Special::ClusterCtarank:
      return w.block->rank;
    case Special::ClusterNctarank:
      return launch.cluster.count();
    case Special::IsExplicitCluster:
      return launch.cluster.count() > 1;
    case Special::WorkspaceHigh:
      return launch.workspace >> 32;
    case Special::WorkspaceLow:
      return launch.workspace & 0xffffffffu;
    case Special::ReservedBegin:
      return w.shared_bytes - kReservedShared;
    case Special::ReservedEnd:
      return w.shared_bytes;
    default:
      return 0;
  }
}

/// What differs from block to block, so that a frame used again needs it filled in again.
bool of_block(Special what) {
  return what == Special::CtaidX || what == Special::CtaidY || what == Special::CtaidZ ||
         what == Special::SmId || (what >= Special::ClusterIdX && what <= Special::ClusterCtarank);
}

/// What differs from lane to lane.
bool of_lane(Special what) {
  return what == Special::TidX || what == Special::TidY || what == Special::TidZ || what == Special::LaneId ||
         (what >= Special::LanemaskEq && what <= Special::LanemaskGt);
}

void fill_special(const FunctionCode::SpecialSlot& s, u8* regs, u64 value) {
  if (s.bytes == 0)
    fill_predicate(regs + s.offset, value != 0);
  else if (s.bytes == 4)
    fill<u32>(regs + s.offset, value);
  else if (s.bytes == 8)
    fill<u64>(regs + s.offset, value);
  else
    fill<u16>(regs + s.offset, value);
}

void fill_specials(const WarpState& w, const FunctionCode& f, u8* regs, bool only_of_block = false) {
  for (const auto& s : f.specials) {
    if (only_of_block && !of_block(s.what)) continue;
    if (!of_lane(s.what)) {
      fill_special(s, regs, special_value(w, s.what, 0));
      continue;
    }
    for (int l = 0; l < kLanes; ++l) {
      u64 v = special_value(w, s.what, l);
      std::memcpy(regs + s.offset + l * s.bytes, &v, s.bytes);
    }
  }
}

}  // namespace

u32 WarpState::turn_budget() const {
  constexpr u32 kLook = 8, kOfOneThatWaits = 512;
  if (splits.size() > 1) return launch->turn_budget;  // how they take turns decides where they meet
  return std::min(launch->turn_budget, polling ? kLook : waits_often ? kOfOneThatWaits : kTurnBudget);
}

u8* WarpState::new_frame(const FunctionCode& f) {
  for (size_t k = free_frames.size(); k-- > 0;)
    if (free_frames[k].function == f.id) {
      u8* regs = free_frames[k].regs;
      if (free_frames[k].of_earlier_block) {
        fill_specials(*this, f, regs, true);
        frames_bytes += f.frame_bytes;
      }
      free_frames[k] = free_frames.back();
      free_frames.pop_back();
      for (u32 shape : f.shapes) reinterpret_cast<AddressShape*>(regs + shape)->mask = 0;
      if (f.shadow) begin_shadow(f, regs);
      return regs;
    }
  u8* regs = frames.emplace_back(f.id, recycled_bytes(f.frame_bytes)).second.get();
  frames_bytes += f.frame_bytes;
  std::memset(regs, 0, kFrameStart);
  u8* const shadow = std::copy(f.image.begin(), f.image.end(), regs + kFrameStart);
  std::fill(shadow, regs + f.frame_bytes, u8{0});
  fill_specials(*this, f, regs);
  if (f.shadow) begin_shadow(f, regs);
  return regs;
}

void WarpState::free_frame(const FunctionCode& f, u8* regs) { free_frames.push_back({f.id, regs, false}); }

BlockState::BlockState(LaunchState& l, std::vector<u64>& exec, Notes& of_worker, AllocationCache& allocations)
    : launch(l), executed(exec), notes(of_worker) {
  number = ~u64(0) - 1;  // none is the next one
  const Program& program = *launch.program;
  shared_bytes = (program.shared_bytes + 15) / 16 * 16 + launch.dynamic_shared;
  if (launch.dynamic_shared == 0) shared_bytes = program.shared_bytes;
  if (program.reserved_shared) shared_bytes = round_up(shared_bytes, 16u) + kReservedShared;
  shared = recycled_bytes(shared_bytes + 64);
  for (const auto& s : program.functions[0]->specials)
    if (of_block(s.what)) changing_.push_back(s);
  u64 threads = launch.block.count();
  u64 count = divide_up(threads, kLanes);
  for (u64 k = 0; k < count; ++k) {
    auto w = std::make_unique<WarpState>();
    w->id = static_cast<u32>(k);
    w->launch = &launch;
    w->block = this;
    w->memory = launch.memory;
    w->allocations = &allocations;
    w->epoch = launch.memory->epoch_place();
    w->serial = &notes.serial;
    w->executed = executed.data();
    w->params = launch.params.data();
    w->params_bytes = static_cast<u32>(launch.params.size());
    w->constants = launch.constants;
    w->constants_bytes = launch.constants_bytes;
    w->shared = shared.get();
    w->shared_bytes = shared_bytes;
    w->local_bytes = program.local_bytes;
    w->local_stride = local_stride_of(program.local_bytes);
    if (w->local_bytes) w->local_storage.reset(new u8[size_t{w->local_stride} * kLanes]);
    w->local = w->local_storage.get();
    warps.push_back(std::move(w));
  }
}

BlockState::~BlockState() = default;

void BlockState::start(u64 n) {
  if (n == number + 1)  // mostly
    next_index();
  else
    index = {static_cast<u32>(n % launch.grid.x), static_cast<u32>(n / launch.grid.x % launch.grid.y),
             static_cast<u32>(n / launch.grid.x / launch.grid.y)};
  number = n;
  // What a kernel did not write it must not read: all ones are NaN as floats and -1 as integers.
  if (shared_bytes) std::memset(shared.get(), 0xff, shared_bytes);
  if (launch.program->reserved_shared)
    std::memset(shared.get() + shared_bytes - kReservedShared, 0, kReservedShared);
  ended = awaits = plainly_ = entered_ = false;
  polling_turns = 0;
  barrier_rounds = kBarrierRounds;
  bulk.clear();
  if (barriers_used) {
    for (Barrier& b : barriers)
      if (b.arrived) b.reset();  // none, unless the block before was stopped
    barriers_used = false;
  }
  live_threads = static_cast<u32>(launch.block.count());
  const bool again = !warps[0]->frames.empty();
  find_whole_code();
  if (!whole_warps_ && launch.program->compiled.load(std::memory_order_relaxed) != Compiled::Nothing)
    launch.program->left.fetch_add(launch.block.count() / kLanes + 1, std::memory_order_relaxed);
  begun_ = false;
  if (whole_warps_) {
    prepare_whole();
    if (again) return;  // warps are started one by one, if they need it
  }
  for (auto& w : warps) start_warp(*w);
  if (again) fill_specials_of_block();
}

/// What is the same for all warps is found out once.
void BlockState::fill_specials_of_block() {
  for (const auto& s : changing_) {
    const u64 value = special_value(*warps[0], s.what, 0);
    for (auto& w : warps) fill_special(s, w->splits[0]->regs, value);
  }
}

/// The lanes that a warp has: the last one of the block may lack some.
u32 BlockState::lanes_of(const WarpState& w) const {
  if (w.id + 1 < warps.size()) return kAllLanes;
  const u64 left = launch.block.count() - u64{w.id} * kLanes;
  return left >= kLanes ? kAllLanes : (u32{1} << left) - 1;
}

void BlockState::start_warp(WarpState& w) {
  const FunctionCode& entry = *launch.program->functions[0];
  w.live = lanes_of(w);
  if (whole_run_) whole_run_->ready = false;
  w.carry = 0;
  w.stack = 0;
  w.begin_turns();
  w.turn = 0;
  for (Split* s : w.splits) w.free_splits.push_back(s);  // none, unless the block before was stopped
  w.splits.clear();
  if (launch.program->keeps_groups) {
    w.copies.clear();
    std::fill(std::begin(w.bulk_groups), std::end(w.bulk_groups), 0);
    std::fill(std::begin(w.cluster_arrival), std::end(w.cluster_arrival), 0);
  }
  if (launch.bus)
    for (auto& told : w.told) told.shape = nullptr;
  if (w.any_taken)
    for (auto& taken : w.taken) taken.clear();
  w.any_taken = false;
  // Frames are made once and kept with what is the same in every block.
  u8* regs;
  w.frames_bytes = 0;
  if (w.frames.empty()) {
    regs = w.new_frame(entry);
    w.regs = regs;
    w.mask = w.live;
    for (const Inst& i : entry.once) i.full(w, &i);
    launch.lanes->leave();
  } else {
    regs = w.frames[0].second.get();
    for (const auto& [at, bytes] : entry.unwritten) std::memset(regs + at, 0, bytes);
    for (u32 shape : entry.unwritten_shapes) reinterpret_cast<AddressShape*>(regs + shape)->mask = 0;
    w.free_frames.clear();
    for (size_t k = 1; k < w.frames.size(); ++k)
      w.free_frames.push_back({w.frames[k].first, w.frames[k].second.get(), true});
  }
  if (entry.shadow) begin_shadow(entry, regs);
  if (w.local_bytes) std::memset(w.local, 0xff, size_t{w.local_stride} * kLanes);
  Split* s = w.new_split();
  s->pc = entry.code.data();
  s->mask = w.live;
  s->regs = regs;
  s->function = &entry;
  w.splits.push_back(s);
}

/// As one of a further block.
void BlockState::start_again(WarpState& w) {
  start_warp(w);
  for (const auto& s : changing_) {
    // Of whole-warp code's kernels these are all that differ.
    fill_special(s, w.splits[0]->regs,
                 s.what == Special::CtaidX   ? index.x
                 : s.what == Special::CtaidY ? index.y
                                             : index.z);
  }
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
  u32 spent = 0;   // backward branches of splits that then parted, met others or ended
  // A warp whose turn is over when it leaves whole-warp code still takes the branch that ends it: where a
  // launch is given up, it stands at the head of its loop, as it would interpreted.
  bool ends_turn = whole_run_ && whole_run_->unspent == &w && w.budget == 1;
  while (tried < w.splits.size() && (!launch.stopping() || std::exchange(ends_turn, false))) {
    if (w.turn >= w.splits.size()) w.turn = 0;
    Split* s = w.splits[w.turn];
    if (s->state != Split::State::Ready) {
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
          if (waits_in_parts(w, *s)) return {.yielded = true};
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
