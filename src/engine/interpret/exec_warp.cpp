// Instructions in which the lanes of a warp look at each other.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

/// src[3] holds the member mask; the one of the first lane counts.
u32 members_of(Warp& w, const Inst* i, u32 lanes) {
  return lanes ? slot<u32>(w, i->src[3])[__builtin_ctz(lanes)] : 0;
}

u32 predicate(Warp& w, const Inst* i) { return *slot<u32>(w, i->src[0]) ^ (i->negate_pred ? kAllLanes : 0); }

void set_predicate(Warp& w, u32 at, u32 bits, u32 lanes) {
  u32& p = *slot<u32>(w, at);
  p = (p & ~lanes) | (bits & lanes);
}

void tell_arrival(Warp& w, const Inst* i, u32 lanes) {
  if (!lanes || !w.launch->bus || !w.launch->bus->hears(events::kWarpSyncs)) return;
  w.launch->bus->tell(
      w.block->worker,
      events::WarpArrival{{i->index, w.block->number, w.id, lanes}, slot<u32>(w, i->src[3]), w.live});
}

template <void (*operation)(Warp&, const Inst*, u32)>
const Inst* run_sync(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  tell_arrival(w, i, lanes);
  return collective(w, i, lanes, members_of(w, i, lanes), operation);
}
/// For each group of lanes that name the same members: tiles of a warp meet at one instruction, each with its
/// own.
template <void (*operation)(Warp&, const Inst*, u32)>
void by_members(Warp& w, const Inst* i, u32 lanes) {
  const u32* members = slot<u32>(w, i->src[3]);
  while (lanes) {
    const u32 group = lanes & w.launch->lanes->equal32(members, members[__builtin_ctz(lanes)]);
    operation(w, i, group);
    lanes &= ~group;
  }
}
template <void (*operation)(Warp&, const Inst*, u32)>
const Inst* run_now(Warp& w, const Inst* i) {
  if (u32 lanes = active(w, i)) operation(w, i, lanes);
  return i + 1;
}

// ---- shfl ----

void shuffle(Warp& w, const Inst* i, u32 lanes) {
  const LaneCode& code = *w.launch->lanes;
  const auto way = static_cast<isa::Mod>(i->mode);
  const u32 *from = slot<u32>(w, i->src[0]), *by = slot<u32>(w, i->src[1]), *bounds = slot<u32>(w, i->src[2]);
  u32* to = slot<u32>(w, i->dst);
  u32 inside = 0;
  if (lanes == kAllLanes) {
    inside = code.shuffle(to, from, by, bounds, way);
  } else {
    // From a lane that does not take part comes 0: undefined by the manual, but what cards do, and what
    // programs that pass on them rely on (data/measured/h200-ptx). One whose source lies outside of its
    // segment takes its own value.
    alignas(64) u32 here[kLanes] = {}, result[kLanes];
    for (u32 m = lanes; m; m &= m - 1) here[__builtin_ctz(m)] = from[__builtin_ctz(m)];
    inside = code.shuffle(result, here, by, bounds, way);
    for (u32 m = lanes; m; m &= m - 1) to[__builtin_ctz(m)] = result[__builtin_ctz(m)];
  }
  code.leave();
  if (i->dst2_used) set_predicate(w, i->dst2, inside, lanes);
}

void decode_shfl(FunctionDecoder& d, const ir::Instruction& in) {
  bool sync = in.op == isa::Op::shfl_sync;
  Inst i = special(sync ? run_sync<shuffle> : run_now<shuffle>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.dst2 = d.destination(in.operands[1]);
  i.dst2_used = i.dst2 != kSink;
  for (size_t k = 0; k < 3; ++k) i.src[k] = d.source(in.operands[2 + k], isa::Type::b32);
  if (sync) i.src[3] = d.source(in.operands[5], isa::Type::b32);
  i.mode = static_cast<u16>(in.mod(isa::Slot::shfl));
  d.emit(i);
}

// ---- vote ----

void vote(Warp& w, const Inst* i, u32 lanes) {
  u32 p = predicate(w, i) & lanes;
  bool r = false;
  switch (static_cast<isa::Mod>(i->mode)) {
    case isa::Mod::all:
      r = p == lanes;
      break;
    case isa::Mod::any:
      r = p != 0;
      break;
    default:
      r = p == 0 || p == lanes;
      break;  // uni
  }
  set_predicate(w, i->dst, r ? kAllLanes : 0, lanes);
}

void ballot(Warp& w, const Inst* i, u32 lanes) {
  u32 p = predicate(w, i) & lanes;
  u32* d = slot<u32>(w, i->dst);
  if (lanes == kAllLanes) {
    std::fill_n(d, kLanes, p);
    return;
  }
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = p;
}

void decode_vote(FunctionDecoder& d, const ir::Instruction& in) {
  bool is_ballot = in.op == isa::Op::vote_ballot_sync || in.op == isa::Op::vote_ballot;
  bool sync = in.op == isa::Op::vote_sync || in.op == isa::Op::vote_ballot_sync;
  Inst i = special(is_ballot ? (sync ? run_sync<by_members<ballot>> : run_now<ballot>)
                             : (sync ? run_sync<by_members<vote>> : run_now<vote>));
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(is_ballot ? 4 : 0) : dst;
  i.src[0] = d.source(in.operands[1], isa::Type::pred);
  i.negate_pred = in.operands[1].negated;
  if (sync) i.src[3] = d.source(in.operands[2], isa::Type::b32);
  i.mode = static_cast<u16>(in.mod(isa::Slot::vote));
  d.emit(i);
}

// ---- match ----

u32 equal(const LaneCode& code, const u32* lanes, u32 v) { return code.equal32(lanes, v); }
u32 equal(const LaneCode& code, const u64* lanes, u64 v) { return code.equal64(lanes, v); }

template <class T>
void match_any(Warp& w, const Inst* i, u32 lanes) {
  const T* a = slot<T>(w, i->src[0]);
  u32 result[kLanes];
  for (u32 rest = lanes; rest;) {
    const u32 same = lanes & equal(*w.launch->lanes, a, a[__builtin_ctz(rest)]);
    for (u32 m = same; m; m &= m - 1) result[__builtin_ctz(m)] = same;
    rest &= ~same;
  }
  u32* d = slot<u32>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = result[__builtin_ctz(m)];
}

template <class T>
void match_all(Warp& w, const Inst* i, u32 lanes) {
  const T* a = slot<T>(w, i->src[0]);
  const bool same = (lanes & ~equal(*w.launch->lanes, a, a[__builtin_ctz(lanes)])) == 0;
  u32* d = slot<u32>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = same ? lanes : 0;
  if (i->dst2_used) set_predicate(w, i->dst2, same ? kAllLanes : 0, lanes);
}

void decode_match(FunctionDecoder& d, const ir::Instruction& in) {
  bool any = in.op == isa::Op::match_any, wide = isa::bytes(in.type()) == 8;
  Inst i =
      special(any ? (wide ? run_sync<by_members<match_any<u64>>> : run_sync<by_members<match_any<u32>>>)
                  : (wide ? run_sync<by_members<match_all<u64>>> : run_sync<by_members<match_all<u32>>>));
  size_t next = 0;
  u32 dst = d.destination(in.operands[next++]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  if (!any) {
    i.dst2 = d.destination(in.operands[next++]);
    i.dst2_used = i.dst2 != kSink;
  }
  i.src[0] = d.source(in.operands[next], in.type());
  i.src[3] = d.source(in.operands[next + 1], isa::Type::b32);
  d.emit(i);
}

// ---- redux, activemask, bar.warp.sync ----

template <class T>
void reduce(Warp& w, const Inst* i, u32 lanes) {
  const T* a = slot<T>(w, i->src[0]);
  T r = a[__builtin_ctz(lanes)];
  for (u32 m = lanes & (lanes - 1); m; m &= m - 1) {
    T v = a[__builtin_ctz(m)];
    switch (static_cast<isa::Mod>(i->mode)) {
      case isa::Mod::add:
        r = static_cast<T>(static_cast<u32>(r) + static_cast<u32>(v));
        break;
      case isa::Mod::min:
        r = std::min(r, v);
        break;
      case isa::Mod::max:
        r = std::max(r, v);
        break;
      case isa::Mod::and_:
        r = static_cast<T>(r & v);
        break;
      case isa::Mod::or_:
        r = static_cast<T>(r | v);
        break;
      default:
        r = static_cast<T>(r ^ v);
        break;
    }
  }
  T* d = slot<T>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = r;
}

void decode_redux(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(isa::is_signed(in.type()) ? run_sync<by_members<reduce<int32_t>>>
                                             : run_sync<by_members<reduce<u32>>>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.src[0] = d.source(in.operands[1], in.type());
  i.src[3] = d.source(in.operands[2], isa::Type::b32);
  i.mode = static_cast<u16>(in.mod(isa::Slot::redux));
  d.emit(i);
}

/// mode: .min or .max; relu: .abs; clamp: .NaN.
void reduce_float(Warp& w, const Inst* i, u32 lanes) {
  const float* a = slot<float>(w, i->src[0]);
  bool nan = false;
  float r = 0;
  bool any = false;
  for (u32 m = lanes; m; m &= m - 1) {
    float v = a[__builtin_ctz(m)];
    if (i->relu) v = std::fabs(v);
    if (v != v) {
      nan = true;
      continue;
    }
    bool smaller = v < r || (v == r && std::signbit(v));
    if (!any || smaller == (static_cast<isa::Mod>(i->mode) == isa::Mod::min)) r = v;
    any = true;
  }
  u32 bits = std::bit_cast<u32>(r);
  if (!any || (nan && i->clamp)) bits = 0x7fffffffu;
  u32* d = slot<u32>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = bits;
}

void decode_redux_float(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_sync<by_members<reduce_float>>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.src[0] = d.source(in.operands[1], isa::Type::f32);
  i.src[3] = d.source(in.operands[2], isa::Type::b32);
  i.mode = static_cast<u16>(in.mod(isa::Slot::reduxf));
  i.relu = in.has(isa::Mod::abs);
  i.clamp = in.has(isa::Mod::nan);
  d.emit(i);
}

/// The lane with the lowest number is the leader; all learn which.
void elect(Warp& w, const Inst* i, u32 lanes) {
  u32 leader = static_cast<u32>(__builtin_ctz(lanes));
  u32* d = slot<u32>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = leader;
  if (i->dst2_used) set_predicate(w, i->dst2, u32{1} << leader, lanes);
}

void decode_elect(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_sync<by_members<elect>>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.dst2 = d.destination(in.operands[1]);
  i.dst2_used = i.dst2 != kSink;
  i.src[3] = d.source(in.operands[2], isa::Type::b32);
  d.emit(i);
}

void active_lanes(Warp& w, const Inst* i, u32 lanes) {
  u32* d = slot<u32>(w, i->dst);
  for (u32 m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = lanes;
}

void decode_activemask(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_now<active_lanes>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  d.emit(i);
}

const Inst* run_warp_barrier(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  tell_arrival(w, i, lanes);
  return collective(
      w, i, lanes, members_of(w, i, lanes), [](Warp&, const Inst*, u32) {}, Meeting::AnyPlace);
}

void decode_warp_barrier(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_warp_barrier);
  i.src[3] = d.source(in.operands[0], isa::Type::b32);
  d.emit(i);
}

}  // namespace

SpecialDecoder warp_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::shfl_sync:
    case isa::Op::shfl:
      return decode_shfl;
    case isa::Op::vote_sync:
    case isa::Op::vote_ballot_sync:
    case isa::Op::vote:
    case isa::Op::vote_ballot:
      return decode_vote;
    case isa::Op::match_any:
    case isa::Op::match_all:
      return decode_match;
    case isa::Op::redux:
      return decode_redux;
    case isa::Op::redux_f32:
      return decode_redux_float;
    case isa::Op::elect:
      return decode_elect;
    case isa::Op::activemask:
      return decode_activemask;
    case isa::Op::bar_warp_sync:
      return decode_warp_barrier;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
