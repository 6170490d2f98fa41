#include "engine/interpret/tell.h"

#include <type_traits>

#include "engine/interpret/handlers.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

using Where = AccessKey::Where;

/// The plain instruction behind one that is told.
struct Told {
  Inst plain;
  events::Memory event;
};

/// Offsets of the lanes' addresses from the first, which is returned; the serial from the shape, when the
/// instruction keeps one.
u64 addresses(Warp& w, const Inst* i, u32 mask, bool shaped, u64& serial, const int64_t*& offsets) {
  const AccessKey& key = i->aux->access;
  // Where nothing is remembered, src[2] is 0.
  WarpState::Told& t = state(w).told[i->src[2] / sizeof(AddressShape) % state(w).told.size()];
  offsets = t.offsets;
  // Modulo the width of the register: where it is below 0, the constant behind it brings it back.
  const auto from_register = [&]<class A>(const A* a) {
    const A base = a[__builtin_ctz(mask)];
    for (int l = 0; l < kLanes; ++l) t.offsets[l] = static_cast<std::make_signed_t<A>>(a[l] - base);
    return u64{base};
  };
  AddressShape* shape = shaped ? slot<AddressShape>(w, i->src[2]) : nullptr;
  if (shape && shape->mask != mask && !w.launch->lanes->learn(w, i, *shape, mask)) shape = nullptr;
  u64 first = 0;
  if (shape && shape->serial == t.serial && t.shape == shape) {
    first = shape->address;  // the offsets are those of the event before
  } else {
    first = key.address_bytes == 4 ? from_register(slot<const u32>(w, i->src[0]))
                                   : from_register(slot<const u64>(w, i->src[0]));
    t.serial = shape ? shape->serial : 0;
    t.shape = shape;
  }
  serial = shape ? shape->serial : 0;
  first += i->imm;
  return key.address_bytes == 4 ? static_cast<u32>(first) : first;
}

/// As tell(), but completes the event where it is: a copy of what has just been written field by field would
/// wait for all of that to arrive in the cache.
void tell_of(Warp& w, const Inst* i, events::Memory& e, Where where, u32 mask, u64 base,
             const int64_t* offsets) {
  e.instruction = i->index;
  e.block = w.block->number;
  e.warp = w.id;
  e.offsets = offsets;
  e.state = &w;
  const auto send = [&](u32 lanes, u64 address) {
    e.mask = lanes;
    e.space = space_of(where, address);
    e.first = address;
    w.launch->bus->memory(w.block->worker, e);
  };
  if (where != Where::Generic) return send(mask, base);
  const auto space = [&](int l) {
    u64 address = base + static_cast<u64>(offsets[l]);
    return space_of(Where::Generic, address);
  };
  const int first = __builtin_ctz(mask);
  u32 same = 0;
  for (u32 m = mask; m; m &= m - 1)
    if (space(__builtin_ctz(m)) == space(first)) same |= u32{1} << __builtin_ctz(m);
  if (same == mask) return send(mask, base);
  // Lanes part: offsets are from each part's own first lane.
  e.serial = 0;
  for (u32 left = mask; left; left &= ~same) {
    const int lead = __builtin_ctz(left);
    same = 0;
    for (u32 m = left; m; m &= m - 1)
      if (space(__builtin_ctz(m)) == space(lead)) same |= u32{1} << __builtin_ctz(m);
    int64_t from_lead[kLanes] = {};
    for (u32 m = same; m; m &= m - 1) from_lead[__builtin_ctz(m)] = offsets[__builtin_ctz(m)] - offsets[lead];
    e.offsets = from_lead;
    send(same, base + static_cast<u64>(offsets[lead]));
  }
}

const Inst* run_told(Warp& w, const Inst* i) {
  const Told& t = *static_cast<const Told*>(i->aux->told);
  const u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  events::Memory e = t.event;
  const u8* values[8];
  if (e.store()) {
    const AccessKey& key = i->aux->access;
    e.elements = key.elements;
    e.value_bytes = key.register_bytes;
    for (u32 n = 0; n < key.elements; ++n) {
      const u32 at = key.elements > 1 ? i->aux->vector[n] : t.plain.src[1];
      values[n] = at == kSink ? nullptr : w.regs + at;
    }
    e.values = values;
  }
  const int64_t* offsets = nullptr;
  const u64 first = addresses(w, i, mask, i->src[2] != 0, e.serial, offsets);
  tell_of(w, i, e, i->aux->access.where, mask, first, offsets);
  const Inst* next = w.mask == w.live ? t.plain.full(w, &t.plain) : t.plain.masked(w, &t.plain);
  if (!next && w.stop == Stop::Yield) w.pc = i + 1;
  return next ? i + 1 : nullptr;
}

/// An access that a step of its own tells.
struct RangeStep {
  events::Memory event;
  Where where = Where::Generic;
  u8 address_bytes = 8;
  u32 lanes = kAllLanes;  ///< that give addresses
  u32 size_slot = kSink;  ///< a register that may make it fewer bytes
  u32 counter = 0;        ///< the first of those of its landings
};

const Inst* run_range(Warp& w, const Inst* i) {
  const RangeStep& p = *static_cast<const RangeStep*>(i->aux->more);
  u32 mask = active(w, i) & p.lanes;
  if (mask == 0) return i + 1;
  u64 at[kLanes];
  for (int l = 0; l < kLanes; ++l)
    at[l] = p.address_bytes == 4 ? static_cast<u32>(slot<u32>(w, i->src[0])[l] + i->imm)
                                 : slot<u64>(w, i->src[0])[l] + i->imm;
  // Lanes of different sizes come apart; those that copy nothing do not access.
  const auto bytes_of = [&](int l) {
    return p.size_slot == kSink ? p.event.bytes : std::min(p.event.bytes, slot<u32>(w, p.size_slot)[l]);
  };
  while (mask) {
    const int lead = __builtin_ctz(mask);
    events::Memory e = p.event;
    e.bytes = bytes_of(lead);
    u32 same = 0;
    int64_t offsets[kLanes] = {};
    for (u32 m = mask; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      if (bytes_of(l) != e.bytes) continue;
      same |= u32{1} << l;
      offsets[l] = static_cast<int64_t>(at[l] - at[lead]);
    }
    if (e.bytes > 0) tell_of(w, i, e, p.where, same, at[lead], offsets);
    mask &= ~same;
  }
  return i + 1;
}

/// Whether the addresses of the lanes of the mask have all bits above those of a window in common.
template <class T>
bool in_one_window(const T* at, u32 mask, u64 further, u64 first) {
  static_assert(kWindowBytes == u64(1) << 32);
  u64 different = 0;
  if (mask == kAllLanes)
    for (int l = 0; l < kLanes; ++l) different |= (at[l] + further) ^ first;
  else
    for (u32 m = mask; m; m &= m - 1) different |= (at[__builtin_ctz(m)] + further) ^ first;
  return different < kWindowBytes;
}

const Inst* run_landings(Warp& w, const Inst* i) {
  const RangeStep& p = *static_cast<const RangeStep*>(i->aux->more);
  const u32 mask = active(w, i) & p.lanes;
  u32 seen = 0;
  if (mask && p.address_bytes == 8 && p.size_slot == kSink) {
    const u64* const addresses = slot<u64>(w, i->src[0]);
    u64 first = addresses[__builtin_ctz(mask)] + i->imm;
    if (in_one_window(addresses, mask, i->imm, first)) {
      const ir::Space space = space_of(p.where, first);
      for (u32 s = 0; s < kLandingCount; ++s)
        if (kLandings[s] == space) {
          w.executed[2 * (p.counter + s) + 1] +=
              u64{p.event.bytes} * static_cast<u32>(__builtin_popcount(mask));
          ++w.executed[2 * (p.counter + s)];
        }
      return i + 1;
    }
  }
  for (u32 m = mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    u64 at = p.address_bytes == 4 ? static_cast<u32>(slot<u32>(w, i->src[0])[l] + i->imm)
                                  : slot<u64>(w, i->src[0])[l] + i->imm;
    const u32 bytes =
        p.size_slot == kSink ? p.event.bytes : std::min(p.event.bytes, slot<u32>(w, p.size_slot)[l]);
    const ir::Space space = space_of(p.where, at);
    for (u32 s = 0; s < kLandingCount; ++s)
      if (kLandings[s] == space) w.executed[2 * (p.counter + s) + 1] += bytes, seen |= u32{1} << s;
  }
  for (u32 s = 0; s < kLandingCount; ++s) w.executed[2 * (p.counter + s)] += seen >> s & 1;
  return i + 1;
}

Where where_of(ir::Space space) {
  switch (space) {
    case ir::Space::Global:
      return Where::Global;
    case ir::Space::Shared:
      return Where::Shared;
    default:
      return Where::Generic;
  }
}

/// Prepares a step for one access of the instruction; the decoded program keeps it.
std::shared_ptr<RangeStep> range_step(FunctionDecoder& d, const ir::Instruction& in, const ir::Access& a,
                                      Inst& i) {
  auto p = std::make_shared<RangeStep>();
  p->event = event_of(in, a);
  p->where = where_of(a.space);
  if (a.range == isa::Range::Rows) {
    const u32 rows = 2 * a.bytes;  // 4 bytes of each lane make 8 rows
    p->lanes = rows >= kLanes ? kAllLanes : (u32{1} << rows) - 1;
    p->event.bytes = 16;
  }
  if (a.bytes_vary) {
    const int size = isa::operand_index(in.form(), "srcsize");
    p->size_slot = d.source(in.operands[static_cast<size_t>(size)], isa::Type::u32);
  }
  i.src[0] = d.address(in.operands[static_cast<size_t>(a.operand)], i.imm, p->address_bytes);
  i.aux = &d.aux_for(p);
  return p;
}

}  // namespace

events::Memory event_of(const ir::Instruction& in, const ir::Access& a) {
  events::Memory e;
  e.direction = a.direction;
  e.range = a.range;
  e.path = a.path;
  e.asynchronous = a.asynchronous;
  e.bytes = a.bytes;
  for (isa::Slot slot : {isa::Slot::loadsem, isa::Slot::storesem, isa::Slot::sem})
    if (const isa::Mod m = in.mod(slot); m != isa::Mod::none && m != isa::Mod::weak) e.order = m;
  e.scope = in.mod(isa::Slot::scope);
  return e;
}

void tell(Warp& w, const Inst* i, events::Memory e, Where where, u32 mask, u64 base, const int64_t* offsets) {
  tell_of(w, i, e, where, mask, base, offsets);
}

Inst told(FunctionDecoder& d, Inst access) {
  if (!d.hears(events::kMemory)) return access;
  const ir::Instruction& in = d.current();
  auto t = std::make_shared<Told>();
  t->event = event_of(in, ir::accesses_of(in).at(0));
  t->plain = access;
  d.guard_and_number(t->plain);
  Aux& aux = d.new_aux();
  aux = *access.aux;
  aux.told = t.get();
  d.program().kept.push_back(t);
  // Compiled code makes the access itself: all else is as it would be without listeners.
  Inst i = access;
  i.full = i.masked = i.lane = run_told;
  if (t->event.atomic()) i.src[2] = 0;
  i.aux = &aux;
  return i;
}

const Inst* access_behind(const Inst& i) {
  return i.aux && i.aux->told ? &static_cast<const Told*>(i.aux->told)->plain : nullptr;
}

events::Memory event_behind(const Inst& i) { return static_cast<const Told*>(i.aux->told)->event; }

void tell_noted(Warp& w, const Inst* i, events::Memory& e, u32 mask, u64 first, const int64_t* offsets) {
  tell_of(w, i, e, i->aux->access.where, mask, first, offsets);
}

bool tell_asked(Warp& w, const Inst* i, events::Memory& e, u32 mask, u64 first, const int64_t* offsets) {
  const Where where = i->aux->access.where;
  e.instruction = i->index;
  e.block = w.block->number;
  e.warp = w.id;
  e.mask = mask;
  e.first = first;
  e.space = space_of(where, e.first);
  if (where == Where::Generic)
    for (u32 m = mask; m; m &= m - 1) {
      u64 address = first + static_cast<u64>(offsets[__builtin_ctz(m)]);
      if (space_of(where, address) != e.space) return false;
    }
  e.offsets = offsets;
  e.state = &w;
  if (w.launch->bus->needs_registers(w.block->worker, e)) return false;
  w.launch->bus->memory(w.block->worker, e);
  return true;
}

u32 count_landings(FunctionDecoder& d, const ir::Instruction& in) {
  if (!d.options().counted) return ir::kNone;
  for (const ir::Access& a : ir::accesses_of(in)) {
    // Texels and bulk copies have no address and size of each lane to look at.
    const bool other = a.range == isa::Range::Texels || a.range == isa::Range::Bulk;
    if (other || (a.space != ir::Space::None && !a.bytes_vary)) continue;
    Inst i = special(run_landings);
    auto p = range_step(d, in, a, i);
    if (a.range != isa::Range::Copy) p->event.bytes = a.bytes, p->lanes = kAllLanes;
    p->counter = d.info().landed;
    if (p->counter == ir::kNone) {
      p->counter = d.program().counters;
      d.program().counters += kLandingCount;
    }
    d.emit(i);
    return p->counter;
  }
  return ir::kNone;
}

std::optional<LandingStep> landings_of(Handler handler, const Inst& i) {
  if (handler != run_landings) return std::nullopt;
  const RangeStep& p = *static_cast<const RangeStep*>(i.aux->more);
  if (p.where != Where::Generic || p.address_bytes != 8 || p.size_slot != kSink || p.lanes != kAllLanes)
    return std::nullopt;
  return LandingStep{p.counter, p.event.bytes};
}

void tell_of_ranges(FunctionDecoder& d, const ir::Instruction& in) {
  if (!d.hears(events::kMemory)) return;
  for (const ir::Access& a : ir::accesses_of(in)) {
    if (a.range != isa::Range::Copy && a.range != isa::Range::Rows) continue;
    Inst i = special(run_range);
    range_step(d, in, a, i);
    d.emit(i);
  }
}

}  // namespace ww::engine
