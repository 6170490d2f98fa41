// Bulk copies (cp.async.bulk, cp.reduce.async.bulk, st.async, red.async): one thread starts a copy of many
// bytes, an mbarrier or a bulk group says when it is there. They are carried out when a thread asks for that,
// so that a program which reads too early sees what it must not rely on.
#include "engine/async/bulk.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/atomic.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/tell.h"

namespace ww::engine {

void start_bulk(Warp& warp, int lane, bool grouped, std::function<void()> carry_out) {
  WarpState& w = state(warp);
  w.block->bulk.push_back({&w, lane, grouped, 0, std::move(carry_out)});
}

u64 AddressOperand::of(Warp& w, int lane) const {
  return bytes == 4 ? static_cast<u32>(slot<u32>(w, at)[lane] + offset) : slot<u64>(w, at)[lane] + offset;
}

AddressOperand address_operand(FunctionDecoder& d, const ir::Operand& operand) {
  AddressOperand a;
  a.at = d.address(operand, a.offset, a.bytes);
  return a;
}

BulkMbarrier bulk_mbarrier(u8* host, u64 address) {
  BulkMbarrier m{host, address, false};
  if (host)
    (void)change_mbarrier(host, [&](Mbarrier& b) {
      m.phase = b.phase;
      return std::string();
    });
  return m;
}

void complete_bytes(Warp& w, const Inst* i, int lane, const BulkMbarrier& m, u32 bytes) {
  bool phase = m.phase;
  (void)change_mbarrier(m.host, [&](Mbarrier& b) {
    phase = b.phase;
    return b.complete(bytes);
  });
  note_phase(*w.block->cluster, m.host, phase);
  if (phase != m.phase)
    tell_mbarrier(w, i, lane, events::Mbarrier::What::Late, AccessKey::Where::Shared, m.address,
                  isa::Mod::none, isa::Mod::none, phase);
}

bool hears(const Warp& w, events::Kind kind) { return w.launch->bus && w.launch->bus->hears(kind); }

void tell_bulk(Warp& w, const Inst* i, int lane, ir::Space space, isa::Direction direction,
               std::span<const events::Piece> pieces, const BulkMbarrier& m, bool of_registers) {
  if (!hears(w, events::kBulk)) return;
  const events::Site site{i->index, w.block->number, w.id, u32{1} << lane};
  events::BulkAccess e{site,
                       space,
                       direction,
                       pieces,
                       m.host != nullptr,
                       m.address,
                       events::Grouped::Bulk,
                       m.phase,
                       of_registers ? &w : nullptr};
  w.launch->bus->tell(w.block->worker, e);
}

void tell_bulk_groups(Warp& w, const Inst* i, u32 lanes, const events::CopyGroups& groups) {
  if (!lanes || !hears(w, events::kCopyGroups)) return;
  events::CopyGroups e = groups;
  e.instruction = i->index, e.block = w.block->number, e.warp = w.id, e.mask = lanes;
  w.launch->bus->tell(w.block->worker, e);
}

void ClusterState::finish_bulk() {
  for (BlockState* b : blocks) {
    auto& bulk = b->bulk;
    size_t kept = 0;
    for (size_t k = 0; k < bulk.size(); ++k) {
      if (bulk[k].grouped) {
        if (kept != k) bulk[kept] = std::move(bulk[k]);
        ++kept;
      } else {
        bulk[k].carry_out();
      }
    }
    bulk.resize(kept);
  }
}

void BlockState::finish_bulk() {
  for (BulkCopy& c : bulk) c.carry_out();
  bulk.clear();
}

namespace {

using isa::Mod;
using isa::Op;
using Where = AccessKey::Where;

struct BulkPlan {
  AddressOperand to, from, barrier;
  Where to_where = Where::Global, from_where = Where::Global;
  u32 size = 0, mask = kSink, byte_mask = kSink;
  bool tracked = false;  ///< by an mbarrier
  Mod op = Mod::none;    ///< reductions
  isa::Type type{};
};

/// Copies or reduces `bytes` bytes; `bytes_of`: which of each 16 are wanted.
void copy_or_reduce(const BulkPlan& p, u8* to, const u8* from, u32 bytes, u32 bytes_of) {
  if (p.op != Mod::none) {
    u32 size = static_cast<u32>(isa::bytes(p.type));
    for (u32 at = 0; at + size <= bytes; at += size)
      reduce_into(p.type, p.op, p.to_where == Where::Shared, to + at, from + at);
    return;
  }
  if (bytes_of == 0xffff) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (u32 at = 0; at < bytes; ++at)
    if (bytes_of >> at % 16 & 1) to[at] = from[at];
}

/// The same place in the shared memory of the block of that rank.
u64 in_block(u64 address, u32 rank) { return (rank + 1) * kClusterStep + address % kClusterStep; }

const Inst* run_bulk(Warp& w, const Inst* i) {
  const BulkPlan& p = *static_cast<const BulkPlan*>(i->aux->more);
  constexpr u32 kUnit = 16;
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u32 bytes = slot<u32>(w, p.size)[l];
    const bool whole = bytes % kUnit == 0;
    if (!whole && !goes_on_without(w, i, l, "bulk copy of a wrong size",
                                   fmt::format("{} bytes are no multiple of 16", bytes)))
      return nullptr;
    Resolved from;
    if (whole) {
      from = resolve(w, p.from_where, p.from.of(w, l), l, bytes, kUnit, false);
      if (!from.host && !goes_on_without(w, i, l, from, bytes)) return nullptr;
    }
    const events::Piece source{p.from.of(w, l), bytes};
    const auto direction = p.op == Mod::none ? isa::Direction::Write : isa::Direction::Update;
    u32 ranks = p.mask == kSink ? 1 : slot<u16>(w, p.mask)[l];
    for (u32 r = ranks; r; r &= r - 1) {
      u64 to_at = p.to.of(w, l), barrier_at = p.tracked ? p.barrier.of(w, l) : 0;
      if (p.mask != kSink) {  // multicast: each block named has its copy and is told by its own mbarrier
        u32 rank = static_cast<u32>(__builtin_ctz(r));
        to_at = in_block(to_at, rank), barrier_at = in_block(barrier_at, rank);
      }
      Resolved to;
      if (whole) {
        to = resolve(w, p.to_where, to_at, l, bytes, kUnit, true);
        if (!to.host && !goes_on_without(w, i, l, to, bytes)) return nullptr;
      }
      BulkMbarrier barrier;
      if (p.tracked) {
        Resolved b = resolve_mbarrier(w, Where::Shared, barrier_at, l);
        if (!b.host && !goes_on_without(w, i, l, b, kMbarrierBytes)) return nullptr;
        barrier = bulk_mbarrier(b.host, barrier_at);
      }
      if (!from.host || !to.host) {  // nothing is copied; who waits for it need not wait for ever
        if (barrier.host)
          start_bulk(w, l, false, [&w, i, l, bytes, barrier] { complete_bytes(w, i, l, barrier, bytes); });
        continue;
      }
      const events::Piece destination{to_at, bytes};
      if (r == ranks) tell_bulk(w, i, l, from.space, isa::Direction::Read, {&source, 1}, barrier);
      tell_bulk(w, i, l, to.space, direction, {&destination, 1}, barrier);
      u32 bytes_of = p.byte_mask == kSink ? 0xffff : slot<u16>(w, p.byte_mask)[l];
      start_bulk(w, l, !p.tracked, [&p, &w, i, l, to = to.host, from = from.host, bytes, bytes_of, barrier] {
        copy_or_reduce(p, to, from, bytes, bytes_of);
        if (barrier.host) complete_bytes(w, i, l, barrier, bytes);
      });
    }
  }
  return i + 1;
}

// ---- st.async, red.async ----

struct AsyncStorePlan {
  AddressOperand to, barrier;
  u32 bytes = 4, elements = 1;
  u32 values[4] = {};
  Mod op = Mod::none;
  isa::Type type{};
};

const Inst* run_async_store(Warp& w, const Inst* i) {
  const AsyncStorePlan& p = *static_cast<const AsyncStorePlan*>(i->aux->more);
  u32 all = p.bytes * p.elements;
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    Resolved to = resolve(w, Where::Shared, p.to.of(w, l), l, all, all, true);
    if (!to.host && !goes_on_without(w, i, l, to, all)) return nullptr;
    Resolved b = resolve_mbarrier(w, Where::Shared, p.barrier.of(w, l), l);
    if (!b.host && !goes_on_without(w, i, l, b, kMbarrierBytes)) return nullptr;
    const BulkMbarrier barrier = bulk_mbarrier(b.host, p.barrier.of(w, l));
    if (!to.host || !b.host) {
      if (b.host)
        start_bulk(w, l, false, [&w, i, l, barrier, all] { complete_bytes(w, i, l, barrier, all); });
      continue;
    }
    const events::Piece destination{p.to.of(w, l), all};
    tell_bulk(w, i, l, to.space, p.op == Mod::none ? isa::Direction::Write : isa::Direction::Update,
              {&destination, 1}, barrier, true);
    std::array<u8, 32> value;
    for (u32 e = 0; e < p.elements; ++e)
      std::memcpy(value.data() + e * p.bytes, w.regs + p.values[e] + static_cast<u32>(l) * p.bytes, p.bytes);
    start_bulk(w, l, false, [&p, &w, i, l, to = to.host, barrier, value, all] {
      if (p.op != Mod::none)
        reduce_into(p.type, p.op, true, to, value.data());
      else
        std::memcpy(to, value.data(), all);
      complete_bytes(w, i, l, barrier, all);
    });
  }
  return i + 1;
}

// ---- groups ----

const Inst* run_bulk_commit(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  tell_bulk_groups(w, i, active(w, i), {{}, events::Grouped::Bulk, false, true});
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u32 group = ++w.bulk_groups[l];
    for (BulkCopy& c : w.block->bulk)
      if (c.grouped && c.warp == &w && c.lane == l && c.group == 0) c.group = group;
  }
  return i + 1;
}

/// imm: how many of the latest groups may stay. Reading alone (.read, src[0]) is no less here: both are done
/// at once.
const Inst* run_bulk_wait(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  tell_bulk_groups(w, i, lanes,
                   {{}, events::Grouped::Bulk, i->src[0] != 0, false, false, static_cast<u32>(i->imm)});
  auto& bulk = w.block->bulk;
  size_t kept = 0;
  for (size_t k = 0; k < bulk.size(); ++k) {
    BulkCopy& c = bulk[k];
    bool due = c.grouped && c.warp == &w && (lanes >> c.lane & 1) && c.group != 0 &&
               c.group + i->imm <= w.bulk_groups[c.lane];
    if (due) {
      c.carry_out();
    } else {
      if (kept != k) bulk[kept] = std::move(c);
      ++kept;
    }
  }
  bulk.resize(kept);
  return i + 1;
}

// ---- st.bulk ----

const Inst* run_bulk_fill(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 bytes = slot<u64>(w, i->src[1])[l];
    u64 at = i->aux->access.address_bytes == 4 ? static_cast<u32>(slot<u32>(w, i->src[0])[l] + i->imm)
                                               : slot<u64>(w, i->src[0])[l] + i->imm;
    if (bytes % 8 != 0 || bytes > 0xffffffffu) {
      if (!goes_on_without(w, i, l, "st.bulk of a wrong size",
                           fmt::format("{} bytes are no multiple of 8", bytes)))
        return nullptr;
      continue;
    }
    Resolved to = resolve(w, i->aux->access.where, at, l, static_cast<u32>(bytes), 8, true);
    if (to.host && to.space != ir::Space::Shared) {
      to.host = nullptr;
      to.kind = "not shared memory";
      to.problem = [at] { return fmt::format("address 0x{:x}: st.bulk writes shared memory", at); };
    }
    if (!to.host) {
      if (!goes_on_without(w, i, l, to, static_cast<u32>(bytes))) return nullptr;
      continue;
    }
    if (hears(w, events::kMemory)) {
      const int64_t none[kLanes] = {};
      events::Memory e;
      e.direction = isa::Direction::Write;
      e.range = isa::Range::Bulk;
      e.bytes = static_cast<u32>(bytes);
      tell(w, i, e, Where::Shared, u32{1} << l, to.address, none);
    }
    std::memset(to.host, 0, bytes);
  }
  return i + 1;
}

// ---- decoding ----

template <class Plan>
void emit_bulk(FunctionDecoder& d, std::shared_ptr<Plan> plan, Handler run) {
  d.emit(special(run), plan);
}

void decode_bulk(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<BulkPlan>();
  BulkPlan& p = *plan;
  bool to_shared = in.op == Op::cp_bulk_load || in.op == Op::cp_bulk_multicast ||
                   in.op == Op::cp_bulk_cluster || in.op == Op::cp_reduce_bulk_cluster;
  bool from_global = in.op == Op::cp_bulk_load || in.op == Op::cp_bulk_multicast;
  p.to_where = to_shared ? Where::Shared : Where::Global;
  p.from_where = from_global ? Where::Global : Where::Shared;
  p.op = in.mod(isa::Slot::bop);
  if (in.op == Op::cp_reduce_bulk_half) p.op = Mod::add;
  p.type = in.type();
  if (p.op != Mod::none && !has_atomic(p.type, p.op))
    return d.refuse(in, fmt::format("cp.reduce.async.bulk.{} does not exist for .{}", isa::name(p.op),
                                    isa::name(p.type)));
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    const std::string& name = specs[k].name;
    if (name == "d") p.to = address_operand(d, o);
    if (name == "a") p.from = address_operand(d, o);
    if (name == "m") p.barrier = address_operand(d, o), p.tracked = true;
    if (name == "size") p.size = d.source(o, isa::Type::u32);
    if (name == "blocks") p.mask = d.source(o, isa::Type::u16);
    if (name == "mask") p.byte_mask = d.source(o, isa::Type::u16);
  }
  emit_bulk(d, std::move(plan), run_bulk);
}

void decode_async_store(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<AsyncStorePlan>();
  AsyncStorePlan& p = *plan;
  p.to = address_operand(d, in.operands[0]);
  p.barrier = address_operand(d, in.operands[2]);
  p.type = in.type();
  p.op = in.mod(isa::Slot::bop);
  p.bytes = static_cast<u32>(isa::bytes(p.type));
  if (p.op != Mod::none && !has_atomic(p.type, p.op))
    return d.refuse(in,
                    fmt::format("red.async.{} does not exist for .{}", isa::name(p.op), isa::name(p.type)));
  const ir::Operand& v = in.operands[1];
  if (v.kind == ir::Operand::Kind::Vector) {
    p.elements = static_cast<u32>(v.elements.size());
    if (p.elements > 4) return d.refuse(in, "st.async has .v2 and .v4");
    for (u32 e = 0; e < p.elements; ++e) p.values[e] = d.source(v.elements[e], p.type);
  } else {
    p.values[0] = d.source(v, p.type);
  }
  emit_bulk(d, std::move(plan), run_async_store);
}

void decode_bulk_fill(FunctionDecoder& d, const ir::Instruction& in) {
  if (in.operands[2].bits != 0) return d.refuse(in, "st.bulk writes zeros only");
  Aux& aux = d.new_aux();
  aux.access.where = in.has(Mod::shared_cta) ? Where::Shared : Where::Generic;
  Inst i = special(run_bulk_fill);
  i.src[0] = d.address(in.operands[0], i.imm, aux.access.address_bytes);
  i.src[1] = d.source(in.operands[1], isa::Type::u64);
  i.aux = &aux;
  d.emit(i);
}

const Inst* run_bulk_hint(Warp&, const Inst* i) { return i + 1; }

}  // namespace

SpecialDecoder bulk_decoder(Op op) {
  switch (op) {
    case Op::cp_bulk_load:
    case Op::cp_bulk_multicast:
    case Op::cp_bulk_cluster:
    case Op::cp_bulk_store:
    case Op::cp_bulk_store_mask:
    case Op::cp_reduce_bulk_cluster:
    case Op::cp_reduce_bulk:
    case Op::cp_reduce_bulk_half:
      return decode_bulk;
    case Op::st_async:
    case Op::red_async:
      return decode_async_store;
    case Op::st_bulk:
      return decode_bulk_fill;
    case Op::cp_bulk_prefetch:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_bulk_hint)); };
    case Op::cp_bulk_commit:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_bulk_commit)); };
    case Op::cp_bulk_wait:
      return [](FunctionDecoder& d, const ir::Instruction& in) {
        Inst i = special(run_bulk_wait);
        i.imm = in.operands[0].bits;
        i.src[0] = in.has(isa::Mod::read);
        d.emit(i);
      };
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
