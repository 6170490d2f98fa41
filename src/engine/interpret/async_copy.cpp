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

void carry_out(const AsyncCopy& c) {
  constexpr u32 kUsual = 16;
  if (c.bytes == kUsual && c.size == kUsual) {  // known sizes are a load and a store
    std::memcpy(c.to, c.from, kUsual);
    return;
  }
  if (c.bytes) std::memcpy(c.to, c.from, c.bytes);
  std::memset(c.to + c.bytes, 0, c.size - c.bytes);
}

const Inst* run_copy(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  const AsyncPlan& p = *static_cast<const AsyncPlan*>(i->aux->more);
  using Where = AccessKey::Where;
  PlaceFinder destinations(w, Where::Shared, true), sources(w, Where::Global, false);
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u32 bytes = p.size_slot == kSink ? p.size : std::min(p.size, slot<u32>(w, p.size_slot)[l]);
    const u64 to = lane_address(w, p.to, p.to_bytes, p.to_offset, l);
    AsyncCopy copy;
    copy.lane = static_cast<u8>(l);
    copy.to = destinations.find(to, l, p.size, p.size);
    if (!copy.to)
      copy.to = allowed_or_fault(w, i, l, resolve(w, Where::Shared, to, l, p.size, p.size, true), p.size,
                                 true, "destination");
    if (!copy.to) return nullptr;
    copy.size = p.size;
    copy.bytes = bytes;
    if (bytes > 0) {
      const u64 from = lane_address(w, p.from, p.from_bytes, p.from_offset, l);
      copy.from = sources.find(from, l, bytes, p.size);
      if (!copy.from)
        copy.from = allowed_or_fault(w, i, l, resolve(w, Where::Global, from, l, bytes, p.size, false), bytes,
                                     false, "source");
      if (!copy.from) return nullptr;
    }
    w.copies.pending.push_back(copy);
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
  for (u32 m = lanes; m; m &= m - 1) ++w.copies.committed[__builtin_ctz(m)];
  for (AsyncCopy& c : w.copies.pending)
    if (c.group == 0 && (lanes >> c.lane & 1)) c.group = w.copies.committed[c.lane];
  return i + 1;
}

/// imm: how many of the latest groups may stay pending; ~0: none, and copies not committed are waited for
/// too.
const Inst* run_wait(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  tell_groups(w, i, lanes, false);
  auto& pending = w.copies.pending;
  size_t kept = 0;
  for (const AsyncCopy& c : pending) {
    bool due = (lanes >> c.lane & 1) &&
               (i->imm == ~u64{0} || (c.group != 0 && c.group + i->imm <= w.copies.committed[c.lane]));
    if (!due) {
      pending[kept++] = c;
      continue;
    }
    carry_out(c);
  }
  pending.resize(kept);
  return i + 1;
}

/// The mbarrier is told when the thread's copies so far are there: they are carried out now. imm: .noinc,
/// else the arrival was counted in beforehand, which leaves nothing to do.
const Inst* run_tell(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  auto& pending = w.copies.pending;
  size_t kept = 0;
  for (const AsyncCopy& c : pending) {
    if (!(lanes >> c.lane & 1)) {
      pending[kept++] = c;
      continue;
    }
    carry_out(c);
  }
  pending.resize(kept);
  const AsyncPlan& p = *static_cast<const AsyncPlan*>(i->aux->more);
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    Resolved r =
        resolve_mbarrier(w, i->aux->access.where, lane_address(w, p.to, p.to_bytes, p.to_offset, l), l);
    if (!r.host) return fault(w, i, l, r.kind, r.problem);
    bool phase = false;
    std::string wrong = change_mbarrier(r.host, [&](Mbarrier& b) {
      phase = b.phase;
      return i->imm ? b.arrive(1) : std::string();
    });
    if (!wrong.empty())
      return fault(w, i, l, "misused mbarrier",
                   fmt::format("at shared address 0x{:x}: {}", r.address, wrong));
    tell_mbarrier(w, i, l, events::Mbarrier::What::Arrive, i->aux->access.where,
                  lane_address(w, p.to, p.to_bytes, p.to_offset, l), isa::Mod::none, isa::Mod::none, phase);
  }
  return i + 1;
}

void decode_tell(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<AsyncPlan>();
  plan->to = d.address(in.operands[0], plan->to_offset, plan->to_bytes);
  Aux& aux = d.new_aux();
  aux.access.where =
      ir::space_of(in) == ir::Space::Shared ? AccessKey::Where::Shared : AccessKey::Where::Generic;
  aux.more = plan.get();
  d.program().kept.push_back(plan);
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
  Aux& aux = d.new_aux();
  aux.more = plan.get();
  d.program().kept.push_back(plan);
  Inst i = special(run_copy);
  i.aux = &aux;
  d.emit(i);
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
