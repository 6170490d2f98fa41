// A block begins: the frames of its warps, with what is the same in every block, and its special registers.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/round.h"
#include "engine/compile/whole.h"
#include "engine/interpret/value_step.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/notes.h"

namespace ww::engine {

namespace {

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

void WarpState::grow_local(u32 end) {
  for (u32 l = 0; l < kLanes; ++l)
    std::memset(local + size_t{l} * local_stride + local_reached, 0xff, end - local_reached);
  local_reached = end;
  local_used = std::max(local_used, end);
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
  warps.reserve(count);
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
    // Zeros at first, which the host makes when they are touched.
    if (w->local_bytes) w->local_storage.reset(static_cast<u8*>(std::calloc(kLanes, w->local_stride)));
    if (w->local_bytes && !w->local_storage) throw std::bad_alloc();
    w->local = w->local_storage.get();
    warps.push_back(std::move(w));
  }
}

BlockState::~BlockState() = default;

void BlockState::begin_launch(const std::vector<u32>* again) {
  number = ~u64(0) - 1;  // none is the next one
  turns = releases = 0;
  recent.forget();
  at_barriers.forget();
  if (whole_run_ &&
      __atomic_load_n(whole_run_->state.epoch, __ATOMIC_RELAXED) != whole_run_->state.epoch_seen)
    whole_run_.reset();
  if (!again) return;
  for (auto& w : warps)
    if (!w->frames.empty()) run_once(*w, again);
}

size_t BlockState::bytes() const {
  size_t all = shared_bytes;
  for (const auto& w : warps) {
    all += sizeof(WarpState) + size_t{w->local_used} * kLanes;
    for (const auto& [function, frame] : w->frames) all += frame.get_deleter().bytes;
  }
  return all;
}

/// What is the same in every block: all of it, or these instructions again.
void BlockState::run_once(WarpState& w, const std::vector<u32>* again) {
  const FunctionCode& entry = *launch.program->functions[0];
  w.regs = w.frames[0].second.get();
  w.mask = w.live = lanes_of(w);
  for (u32 shape : entry.shapes) reinterpret_cast<AddressShape*>(w.regs + shape)->mask = 0;
  if (again)
    for (u32 k : *again) entry.once[k].full(w, &entry.once[k]);
  else
    for (const Inst& i : entry.once) i.full(w, &i);
  launch.lanes->leave();
}

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

void BlockState::start_warp(WarpState& w, bool goes_on) {
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
    run_once(w, nullptr);
  } else {
    regs = w.frames[0].second.get();
    if (!goes_on)
      for (const auto& [at, bytes] : entry.unwritten) std::memset(regs + at, 0, bytes);
    for (u32 shape : entry.unwritten_shapes) reinterpret_cast<AddressShape*>(regs + shape)->mask = 0;
    w.free_frames.clear();
    for (size_t k = 1; k < w.frames.size(); ++k)
      w.free_frames.push_back({w.frames[k].first, w.frames[k].second.get(), true});
  }
  if (entry.shadow && !goes_on) begin_shadow(entry, regs);
  w.local_reached = 0;
  w.reach_local(entry.local_bytes);
  Split* s = w.new_split();
  s->pc = entry.code.data();
  s->mask = w.live;
  s->regs = regs;
  s->function = &entry;
  w.splits.push_back(s);
}

/// As one of a further block.
void BlockState::start_again(WarpState& w, bool goes_on) {
  start_warp(w, goes_on);
  for (const auto& s : changing_) {
    // Of whole-warp code's kernels these are all that differ.
    fill_special(s, w.splits[0]->regs,
                 s.what == Special::CtaidX   ? index.x
                 : s.what == Special::CtaidY ? index.y
                                             : index.z);
  }
}

}  // namespace ww::engine
