// Barriers of a block and fences.
#include <atomic>

#include <fmt/format.h>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"
#include "ir/accesses.h"

namespace ww::engine {

namespace {

// src[0]: barrier, src[1]: thread count (or none), src[2]: predicate of red; mode: what red computes; imm:
// flags below.
constexpr u64 kHasCount = 1, kArriveOnly = 2, kReduces = 4;

/// Writes the reduction's result for one waiting split.
void deliver(const Barrier& b, WarpState& w, u8* regs, u32 lanes, const Inst* i) {
  if (!(i->imm & kReduces)) return;
  if (static_cast<isa::Mod>(i->mode) == isa::Mod::popc) {
    u32* d = reinterpret_cast<u32*>(regs + i->dst);
    for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = b.count;
  } else {
    bool r = static_cast<isa::Mod>(i->mode) == isa::Mod::and_ ? b.all : b.any;
    u32& p = *reinterpret_cast<u32*>(regs + i->dst);
    p = (p & ~lanes) | (r ? lanes : 0);
  }
  (void)w;
}

/// The lanes in which a register differs from that of the first.
u32 lanes_apart(const u32* values, u32 lanes) {
  u32 apart = 0;
  for (u32 m = lanes; m; m &= m - 1)
    if (values[__builtin_ctz(m)] != values[__builtin_ctz(lanes)]) apart |= m & -m;
  return apart;
}

const Inst* run_barrier(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  BlockState& block = *w.block;
  int first = __builtin_ctz(lanes);
  u32 id = slot<u32>(w, i->src[0])[first];
  if (id >= block.barriers.size())
    return fault(w, i, first, "barrier out of range",
                 fmt::format("barrier {} of {}", id, block.barriers.size()));
  Barrier& b = block.barriers[id];
  u32 count = i->imm & kHasCount ? slot<u32>(w, i->src[1])[first] : 0;
  if (count % kLanes != 0)
    return fault(w, i, first, "barrier with a wrong thread count",
                 fmt::format("{} is not a multiple of the warp's 32 threads", count));
  if (b.arrived > 0 && b.expected != count)
    return fault(
        w, i, first, "barrier with two thread counts",
        fmt::format("barrier {} waits for {} threads, this warp says {}", id,
                    b.expected ? b.expected : block.live_threads, count ? count : block.live_threads));
  b.expected = count;
  if (w.launch->bus) {
    u32 apart = lanes_apart(slot<u32>(w, i->src[0]), lanes);
    if (i->imm & kHasCount) apart |= lanes_apart(slot<u32>(w, i->src[1]), lanes);
    w.launch->bus->tell(
        w.block->worker,
        events::BarrierArrival{
            {i->index, w.block->number, w.id, lanes}, id, count, !(i->imm & kArriveOnly), apart});
  }
  // A count is in whole warps, so a last warp that is not full counts as a whole one.
  w.block->barriers_used = true;
  b.arrived += count && lanes == w.live ? kLanes : lane_count(lanes);
  if (i->imm & kReduces) {
    u32 p = (*slot<u32>(w, i->src[2]) ^ (i->negate_pred ? kAllLanes : 0)) & lanes;
    b.count += lane_count(p);
    b.all &= p == lanes;
    b.any |= p != 0;
  }
  if (i->imm & kArriveOnly) {
    block.check_barrier(id);
    return i + 1;
  }
  w.split->barrier = id;
  if (lanes != w.mask) {  // the lanes that the guard excludes go on by themselves
    Path paths[2] = {{i, lanes}, {i + 1, w.mask & ~lanes}};
    part(w, paths, 2, nullptr);
  }
  b.waiting.push_back({&w, w.split, i});
  const Inst* next = block_split(w, i + 1, Split::State::Barrier);
  block.check_barrier(id);
  return next;
}

/// mode: the order, rounding: the scope, as isa::Mod.
const Inst* run_fence(Warp& w, const Inst* i) {
  const u32 lanes = active(w, i);
  if (!lanes) return i + 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (w.launch->bus)
    w.launch->bus->tell(w.block->worker, events::Fence{{i->index, w.block->number, w.id, lanes},
                                                       static_cast<isa::Mod>(i->mode),
                                                       static_cast<isa::Mod>(i->rounding)});
  return i + 1;
}

void decode_fence(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_fence);
  i.mode = static_cast<u16>(in.mod(isa::Slot::fencesem));
  i.rounding = static_cast<u16>(ir::fence_scope(in));
  d.emit(i);
}

const Inst* run_sleep(Warp& w, const Inst* i) {
  w.pc = i + 1;
  w.stop = Stop::Yield;
  return nullptr;
}

void decode_barrier(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_barrier);
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    if (specs[k].dest) {
      i.dst = d.destination(o);
      i.imm |= kReduces;
      if (i.dst == kSink) i.dst = d.temporary(specs[k].fixed == isa::Type::pred ? 0 : 4);
    } else if (specs[k].name == "a") {
      i.src[0] = d.source(o, isa::Type::u32);
    } else if (specs[k].name == "b" && o.kind != ir::Operand::Kind::None) {
      i.src[1] = d.source(o, isa::Type::u32);
      i.imm |= kHasCount;
    } else if (specs[k].name == "c") {
      i.src[2] = d.source(o, isa::Type::pred);
      i.negate_pred = o.negated;
    }
  }
  isa::Mod what = in.mod(isa::Slot::redop);
  i.mode = static_cast<u16>(what == isa::Mod::none ? isa::Mod::popc : what);
  if (in.op == isa::Op::bar_arrive || in.op == isa::Op::barrier_arrive) i.imm |= kArriveOnly;
  d.emit(i);
}

}  // namespace

void BlockState::check_barrier(u32 id) {
  Barrier& b = barriers[id];
  if (b.arrived == 0 || b.arrived < (b.expected ? b.expected : live_threads)) return;
  ++releases;
  if (launch.bus) launch.bus->tell(worker, events::BarrierRelease{number, id});
  for (const auto& waiter : b.waiting) {
    deliver(b, *waiter.warp, waiter.split->regs, waiter.split->mask, waiter.inst);
    waiter.split->state = Split::State::Ready;
  }
  b.reset();
}

SpecialDecoder sync_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::bar_sync:
    case isa::Op::barrier_sync:
    case isa::Op::bar_arrive:
    case isa::Op::barrier_arrive:
    case isa::Op::bar_red:
    case isa::Op::barrier_red:
    case isa::Op::bar_red_popc:
    case isa::Op::barrier_red_popc:
      return decode_barrier;
    case isa::Op::membar:
    case isa::Op::fence:
    case isa::Op::fence_restrict:
    case isa::Op::fence_mbarrier_init:
    case isa::Op::fence_proxy:
    case isa::Op::fence_proxy_restrict:
    case isa::Op::fence_proxy_release:
    case isa::Op::fence_proxy_acquire:
    case isa::Op::membar_proxy:
      return decode_fence;
    case isa::Op::nanosleep:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_sleep)); };
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
