// cp.async: copies from global to shared memory that happen, at the latest, when the thread waits for them.
// They are carried out at that wait, so that a program which reads too early sees what it must not rely on.
#include <cstring>

#include <fmt/format.h>

#include "engine/async/bulk.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

struct AsyncPlan {
  u32 to = 0, from = 0, size_slot = kSink;
  u64 to_offset = 0, from_offset = 0;
  u8 to_bytes = 8, from_bytes = 8;
  u32 size = 0;
};

u64 lane_address(Warp& w, u32 at, u8 bytes, u64 offset, int l) {
  return bytes == 4 ? static_cast<u32>(slot<u32>(w, at)[l] + offset) : slot<u64>(w, at)[l] + offset;
}

/// Adds what one lane copies. False: a fault, which was told.
bool add_lane(WarpState& w, const Inst* i, int l, u32 bytes, AsyncCopy& copy) {
  const AsyncPlan& p = *static_cast<const AsyncPlan*>(i->aux->more);
  using Where = AccessKey::Where;
  AsyncCopy::Run run;
  run.lane = static_cast<u8>(l);
  run.size = p.size;
  run.bytes = bytes;
  const u64 to = lane_address(w, p.to, p.to_bytes, p.to_offset, l);
  run.to = allowed_or_fault(w, i, l, resolve(w, Where::Shared, to, l, p.size, p.size, true), p.size, true,
                            "destination");
  if (!run.to) return false;
  if (bytes > 0) {
    const u64 from = lane_address(w, p.from, p.from_bytes, p.from_offset, l);
    run.from = allowed_or_fault(w, i, l, resolve(w, Where::Global, from, l, bytes, p.size, false), bytes,
                                false, "source");
    if (!run.from) return false;
  }
  copy.runs[copy.count++] = run;
  copy.lanes |= u32{1} << l;
  return true;
}

const Inst* run_copy(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  const AsyncPlan& p = *static_cast<const AsyncPlan*>(i->aux->more);
  using Where = AccessKey::Where;
  PlaceFinder destinations(w, Where::Shared, true), sources(w, Where::Global, false);
  const u32 mask = active(w, i);
  if (!mask) return i + 1;
  AsyncCopy& copy = w.copies.begin();
  const auto bytes_of = [&](int l) {
    return p.size_slot == kSink ? p.size : std::min(p.size, slot<u32>(w, p.size_slot)[l]);
  };
  const auto to_of = [&](int l) { return lane_address(w, p.to, p.to_bytes, p.to_offset, l); };
  const auto from_of = [&](int l) { return lane_address(w, p.from, p.from_bytes, p.from_offset, l); };
  for (int l = __builtin_ctz(mask); l < kLanes;) {
    if (!(mask >> l & 1)) {
      ++l;
      continue;
    }
    // As many lanes as copy whole elements that lie one behind another.
    const u64 to = to_of(l), from = from_of(l);
    const u32 bytes = bytes_of(l);
    int end = l + 1;
    u64 length = p.size;
    while (bytes == p.size && end < kLanes && (mask >> end & 1) && to_of(end) == to + length &&
           from_of(end) == from + length && bytes_of(end) == p.size) {
      ++end;
      length += p.size;
    }
    const u32 size = static_cast<u32>(length);
    AsyncCopy::Run run;
    run.to = destinations.find(to, l, size, p.size);
    if (run.to && bytes > 0) run.from = sources.find(from, l, bytes == p.size ? size : bytes, p.size);
    if (run.to && (run.from || bytes == 0)) {
      run.lane = static_cast<u8>(l);
      run.lanes = static_cast<u8>(end - l);
      run.size = size;
      run.bytes = bytes == p.size ? size : bytes;
      copy.runs[copy.count++] = run;
      copy.lanes |= (end - l == kLanes ? kAllLanes : (u32{1} << (end - l)) - 1) << l;
    } else {
      for (int one = l; one < end; ++one)
        if (!add_lane(w, i, one, bytes_of(one), copy)) return nullptr;
    }
    l = end;
  }
  return i + 1;
}

void tell_groups(Warp& w, const Inst* i, u32 lanes, bool committed) {
  if (!w.launch->bus || !lanes) return;
  const bool everything = !committed && i->imm == ~u64{0};
  w.launch->bus->tell(w.block->worker,
                      events::CopyGroups{{i->index, w.block->number, w.id, lanes},
                                         events::Grouped::Copies,
                                         false,
                                         committed,
                                         everything,
                                         committed || everything ? 0 : static_cast<u32>(i->imm)});
}

const Inst* run_commit(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  const u32 lanes = active(w, i);
  tell_groups(w, i, lanes, true);
  w.copies.commit(lanes);
  return i + 1;
}

/// imm: how many of the latest groups may stay pending; ~0: none, and copies not committed are waited for
/// too.
const Inst* run_wait(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  tell_groups(w, i, lanes, false);
  w.copies.finish(lanes, i->imm);
  return i + 1;
}

/// The mbarrier is told when the thread's copies so far are there: they are carried out now. imm: .noinc,
/// else the arrival was counted in beforehand, which leaves nothing to do.
const Inst* run_tell(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  w.copies.finish(lanes, AsyncCopies::kEverything);
  const AsyncPlan& p = *static_cast<const AsyncPlan*>(i->aux->more);
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    Resolved r =
        resolve_mbarrier(w, i->aux->access.where, lane_address(w, p.to, p.to_bytes, p.to_offset, l), l);
    if (!r.host) return fault(w, i, l, std::string(r.kind), r.problem());
    bool phase = false;
    std::string wrong = change_mbarrier(r.host, [&](Mbarrier& b) {
      phase = b.phase;
      return i->imm ? b.arrive(1) : std::string();
    });
    if (!wrong.empty())
      return fault(w, i, l, "misused mbarrier",
                   fmt::format("at shared address 0x{:x}: {}", r.address, wrong));
    note_phase(*w.block->cluster, r.host, phase);
    tell_mbarrier(w, i, l, events::Mbarrier::What::Arrive, i->aux->access.where,
                  lane_address(w, p.to, p.to_bytes, p.to_offset, l), isa::Mod::none, isa::Mod::none, phase);
  }
  return i + 1;
}

void decode_tell(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<AsyncPlan>();
  plan->to = d.address(in.operands[0], plan->to_offset, plan->to_bytes);
  Aux& aux = d.aux_for(plan);
  aux.access.where =
      ir::space_of(in) == ir::Space::Shared ? AccessKey::Where::Shared : AccessKey::Where::Generic;
  Inst i = special(run_tell);
  i.imm = in.has(isa::Mod::noinc);
  i.aux = &aux;
  d.emit(i);
}

void decode_copy(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<AsyncPlan>();
  plan->to = d.address(in.operands[0], plan->to_offset, plan->to_bytes);
  plan->from = d.address(in.operands[1], plan->from_offset, plan->from_bytes);
  plan->size = static_cast<u32>(in.operands[2].bits);
  bool cg = in.op == isa::Op::cp_async_cg || in.op == isa::Op::cp_async_cg_cta;
  if (plan->size != 16 && (cg || (plan->size != 4 && plan->size != 8)))
    return d.refuse(
        in, fmt::format("cp.async of {} bytes: {} are allowed", plan->size, cg ? "16" : "4, 8 and 16"));
  if (in.operands[3].kind != ir::Operand::Kind::None)
    plan->size_slot = d.source(in.operands[3], isa::Type::u32);
  d.emit(special(run_copy), plan);
}

void decode_wait(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_wait);
  i.imm = in.op == isa::Op::cp_async_wait_all ? ~u64{0} : in.operands[0].bits;
  d.emit(i);
}

}  // namespace

SpecialDecoder async_copy_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::cp_async:
    case isa::Op::cp_async_cta:
    case isa::Op::cp_async_cg:
    case isa::Op::cp_async_cg_cta:
      return decode_copy;
    case isa::Op::cp_async_mbarrier:
      return decode_tell;
    case isa::Op::cp_async_commit:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_commit)); };
    case isa::Op::cp_async_wait:
    case isa::Op::cp_async_wait_all:
      return decode_wait;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
