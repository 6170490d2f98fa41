// Tells the launch's observer of memory accesses.
#include "engine/decode.h"
#include "engine/handlers.h"
#include "engine/launch_state.h"
#include "engine/resolve.h"

namespace ww::engine {

namespace {

/// The plain instruction behind an observed one.
struct Observed {
  Inst plain;
  bool store = false, atomic = false;
  u32 bytes = 0;
};

/// Offsets of the lanes' addresses; the serial and the first address from the shape, when the instruction
/// keeps one.
void describe(Warp& w, const Inst* i, const Observed& o, u32 mask, MemoryEvent& e, int64_t* offsets) {
  const AccessKey& key = i->aux->access;
  u64 first = 0;
  auto from_register = [&](const auto* a) {
    u64 base = a[__builtin_ctz(mask)];
    for (int l = 0; l < kLanes; ++l) offsets[l] = static_cast<int64_t>(a[l]) - static_cast<int64_t>(base);
    first = base;
  };
  bool shaped = !o.atomic && i->src[2] != 0;
  AddressShape* s = shaped ? slot<AddressShape>(w, i->src[2]) : nullptr;
  if (s && s->mask != mask && !w.launch->lanes->learn(w, i, *s, mask)) s = nullptr;
  if (s && s->serial == state(w).told_serial && state(w).told_shape == s) {
    first = s->address;  // the offsets are those of the event before
  } else {
    if (key.address_bytes == 4)
      from_register(slot<const u32>(w, i->src[0]));
    else
      from_register(slot<const u64>(w, i->src[0]));
    state(w).told_serial = s ? s->serial : 0;
    state(w).told_shape = s;
  }
  first += i->imm;
  if (key.address_bytes == 4) first = static_cast<u32>(first);
  e.space = space_of(key.where, first);
  e.first = first;
  e.serial = s ? s->serial : 0;
}

const Inst* run_observed(Warp& w, const Inst* i) {
  const Observed& o = *static_cast<const Observed*>(i->aux->observed);
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  MemoryEvent e;
  describe(w, i, o, mask, e, state(w).told_offsets);
  e.instruction = i->index;
  e.block = w.block->number;
  e.warp = w.id;
  e.mask = mask;
  e.store = o.store;
  e.atomic = o.atomic;
  e.bytes = o.bytes;
  e.offsets = state(w).told_offsets;
  w.launch->observer->memory(w.block->worker, e);
  const Inst* next = w.mask == w.live ? o.plain.full(w, &o.plain) : o.plain.masked(w, &o.plain);
  return next ? i + 1 : nullptr;
}

}  // namespace

Inst observed(FunctionDecoder& d, Inst access) {
  auto o = std::make_shared<Observed>();
  const ir::Instruction& in = d.current();
  o->atomic = in.form().pipe == isa::Pipe::Atomic;
  o->store = o->atomic || in.op == isa::Op::st;
  u32 elements = 1;
  for (const auto& operand : in.operands)
    if (operand.kind == ir::Operand::Kind::Vector) elements = static_cast<u32>(operand.elements.size());
  o->bytes = elements * static_cast<u32>(isa::bytes(in.type()));
  o->plain = access;
  d.guard_and_number(o->plain);
  Aux& aux = d.new_aux();
  aux = *access.aux;
  aux.observed = o.get();
  d.program().kept.push_back(o);
  Inst i = special(run_observed);
  i.src[0] = access.src[0];
  i.src[2] = o->atomic ? 0 : access.src[2];
  i.imm = access.imm;
  i.aux = &aux;
  return i;
}

}  // namespace ww::engine
