// Loads, stores and addresses: decoding them, and the careful way lane by lane.
#include <atomic>
#include <bit>
#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/slow.h"
#include "engine/interpret/tell.h"
#include "engine/memory/host_order.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

using Where = AccessKey::Where;

u64 address_of_lane(Warp& w, const Inst* i, int lane) {
  u64 base =
      i->aux->access.address_bytes == 4 ? slot<u32>(w, i->src[0])[lane] : slot<u64>(w, i->src[0])[lane];
  u64 address = base + i->imm;
  return i->aux->access.address_bytes == 4 ? static_cast<u32>(address) : address;
}

/// Moves one element between memory and a lane of a register, extending or cutting as the widths ask for.
void move_element(const AccessKey& key, u8* memory, u8* lane) {
  if (key.kind == AccessKey::Kind::Store) {
    std::memcpy(memory, lane, key.bytes);
    return;
  }
  if (key.bytes == key.register_bytes) {
    std::memcpy(lane, memory, key.bytes);
    return;
  }
  u64 v = 0;
  std::memcpy(&v, memory, key.bytes);
  int shift = 64 - 8 * key.bytes;
  if (key.sign) v = static_cast<u64>(static_cast<int64_t>(v << shift) >> shift);
  std::memcpy(lane, &v, key.register_bytes);
}

/// 8 or 16 bytes in one piece: no other thread of the host sees, or leaves, half of them. (Intel's and AMD's
/// manuals promise it of aligned moves of 16 bytes on processors with AVX.)
struct alignas(16) Whole {
  u8 bytes[16];
};
template <class T>
Whole load_as(const u8* from) {
  const T v = *reinterpret_cast<const volatile T*>(from);
  Whole whole;
  std::memcpy(whole.bytes, &v, sizeof v);
  return whole;
}
template <class T>
void store_as(u8* to, const Whole& whole) {
  T v;
  std::memcpy(&v, whole.bytes, sizeof v);
  *reinterpret_cast<volatile T*>(to) = v;
}
#if defined(__x86_64__)
using WholeVector = long long __attribute__((vector_size(16)));
Whole load_two(const u8* from) { return load_as<WholeVector>(from); }
void store_two(u8* to, const Whole& whole) { store_as<WholeVector>(to, whole); }
#else
// On Arm only some processors (FEAT_LSE2) promise it of moves of 16 bytes, but all of an exchange.
using Two = unsigned __int128;
Two exchange(u8* memory, Two expected, Two wanted) {
  return __sync_val_compare_and_swap(reinterpret_cast<Two*>(memory), expected, wanted);
}
Whole load_two(const u8* from) { return std::bit_cast<Whole>(exchange(const_cast<u8*>(from), 0, 0)); }
void store_two(u8* to, const Whole& whole) {
  Two before = std::bit_cast<Two>(load_two(to)), seen = 0;
  while ((seen = exchange(to, before, std::bit_cast<Two>(whole))) != before) before = seen;
}
#endif
Whole load_whole(const u8* from, u32 bytes) { return bytes == 8 ? load_as<u64>(from) : load_two(from); }
void store_whole(u8* to, const Whole& whole, u32 bytes) {
  bytes == 8 ? store_as<u64>(to, whole) : store_two(to, whole);
}

/// Whether other threads may be waiting for what the access writes: then all elements of a vector go
/// together, as on a card, though PTX does not promise it (CUB's scans keep a state and its value in one
/// vector).
bool is_message(const ir::Instruction& in, const AccessKey& key) {
  using isa::Mod, isa::Slot;
  if (key.elements < 2 ||
      (key.where != Where::Global && key.where != Where::Shared && key.where != Where::Generic))
    return false;
  for (Slot slot : {Slot::loadsem, Slot::storesem, Slot::loadcache, Slot::storecache})
    for (Mod m :
         {Mod::relaxed, Mod::acquire, Mod::release, Mod::volatile_, Mod::mmio, Mod::cg, Mod::cv, Mod::wt})
      if (in.mod(slot) == m) return true;
  return false;
}

const Inst* run_slow(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  settle(w, i, *slot<const AddressShape>(w, i->src[2]));
  return access_slow(w, i, mask);
}

/// Whether other accesses of the thread must not change places with this one.
bool orders_others(const ir::Instruction& in) {
  for (isa::Slot slot : {isa::Slot::loadsem, isa::Slot::storesem})
    for (isa::Mod m : {isa::Mod::acquire, isa::Mod::release})
      if (in.mod(slot) == m) return true;
  return false;
}

const Inst* run_ordered(Warp& w, const Inst* i) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const Inst* const next = run_slow(w, i);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return next;
}

Where where_of(ir::Space space, bool entry) {
  switch (space) {
    case ir::Space::Global:
      return Where::Global;
    case ir::Space::Shared:
      return Where::Shared;
    case ir::Space::Local:
      return Where::Local;
    case ir::Space::Const:
      return Where::Const;
    case ir::Space::Param:
      return entry ? Where::Param : Where::Local;
    default:
      return Where::Generic;
  }
}

}  // namespace

const Inst* access_slow(Warp& w, const Inst* i, u32 mask) {
  const AccessKey& key = i->aux->access;
  bool store = key.kind == AccessKey::Kind::Store;
  u32 bytes = u32{key.bytes} * key.elements;
  u8* host[kLanes];
  for (u32 m = mask; m; m &= m - 1) {  // look at all addresses before anything is changed
    int l = __builtin_ctz(m);
    Resolved r = resolve(w, key.where, address_of_lane(w, i, l), l, bytes, bytes, store);
    host[l] = allowed_or_fault(w, i, l, r, bytes, store);
    if (!host[l]) return nullptr;
  }
  for (u32 m = mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    Whole whole;
    const bool at_once = key.elements > 1 && (bytes == 8 || bytes == sizeof whole);
    u8* memory = at_once ? whole.bytes : host[l];
    if (at_once && !store) whole = load_whole(host[l], bytes);
    for (u32 n = 0; n < key.elements; ++n) {
      const u32 at = key.elements > 1 ? i->aux->vector[n] : store ? i->src[1] : i->dst;
      if (at != kSink) move_element(key, memory + n * key.bytes, w.regs + at + l * key.register_bytes);
    }
    if (at_once && store) store_whole(host[l], whole, bytes);
  }
  return i + 1;
}

Window find_window(Warp& w, Where where, u64 address, bool store) {
  u64 base = 0;
  if (where == Where::Generic) {
    const std::pair<u64, Where> windows[] = {{kSharedWindow, Where::Shared},
                                             {kLocalWindow, Where::Local},
                                             {kConstWindow, Where::Const},
                                             {kParamWindow, Where::Param}};
    where = Where::Global;
    for (auto [start, which] : windows)
      if (address - start < kWindowBytes) base = start, where = which;
  }
  switch (where) {
    case Where::Shared:
      if (u64 at = address - base; at >= kClusterStep) {
        u64 rank = at / kClusterStep - 1;
        if (rank >= w.block->cluster->blocks.size() || w.block->cluster->blocks[rank]->ended) return {};
        const BlockState& block = *w.block->cluster->blocks[rank];
        return {base + (rank + 1) * kClusterStep, block.shared_bytes, block.shared.get(), 0};
      }
      return {base, w.shared_bytes, w.shared, 0};
    case Where::Local:
      return {base, w.local_bytes, w.local, w.local_stride};
    case Where::Const:
      return {base, store ? 0 : w.constants_bytes, w.constants, 0};
    case Where::Param:
      return {base, store ? 0 : w.params_bytes, const_cast<u8*>(w.params), 0};
    default:
      break;
  }
  const auto a = w.allocations->find(address);
  if (a.size == 0) return {};
  return {a.base, a.size, w.memory->host(a.base), 0};
}

bool is_access(isa::Op op) {
  return op == isa::Op::ld || op == isa::Op::ld_nc || op == isa::Op::ldu || op == isa::Op::st;
}

Where access_where(const FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& memory) {
  bool local_param = memory.symbol != ir::kNone && d.is_local(memory.symbol);
  return where_of(ir::space_of(in), !local_param && d.in_entry());
}

namespace {

// ---- ld, st ----

/// A parameter, of as many bytes as the register, that is loaded once: by all lanes from one place that is
/// known to be there. Launches with other arguments do it again for each warp, so nothing is learnt for it.
template <class T>
const Inst* run_parameter(Warp& w, const Inst* i) {
  T value;
  std::memcpy(&value, w.params + address_of_lane(w, i, 0), sizeof value);
  T* lanes = slot<T>(w, i->dst);
  for (int l = 0; l < kLanes; ++l) lanes[l] = value;
  return i + 1;
}

void decode_access(FunctionDecoder& d, const ir::Instruction& in, AccessKey::Kind kind, size_t value,
                   size_t memory) {
  const ir::Operand& a = in.operands[memory];
  const ir::Operand& v = in.operands[value];
  Aux& aux = d.new_aux();
  AccessKey& key = aux.access;
  key.kind = kind;
  isa::Type type = in.operand_type(value);
  key.bytes = static_cast<u8>(isa::bytes(type));
  key.sign = isa::is_signed(type);
  key.register_bytes = std::max<u8>(2, key.bytes);
  key.where = access_where(d, in, a);

  Inst i{};
  i.src[0] = d.address(a, i.imm, key.address_bytes);
  i.src[2] = d.shape_slot(i.src[0], key.where, kind == AccessKey::Kind::Store);
  aux.lazy_address = a.reg != ir::kNone && d.lazy_address(a.reg);
  auto width = [&](const ir::Operand& o) {
    if (o.kind == ir::Operand::Kind::Register)
      key.register_bytes = std::max<u8>(2, static_cast<u8>(isa::bytes(d.register_type(o.reg))));
  };
  auto value_slot = [&](const ir::Operand& o) {
    if (kind == AccessKey::Kind::Load) return d.destination(o);
    return d.source(o, key.bytes == 1 ? isa::Type::b16 : type);
  };
  if (v.kind == ir::Operand::Kind::Vector) {
    key.elements = static_cast<u8>(v.elements.size());
    for (const auto& e : v.elements) width(e);
    for (size_t n = 0; n < v.elements.size(); ++n) aux.vector[n] = value_slot(v.elements[n]);
    if (key.elements == 1) (kind == AccessKey::Kind::Load ? i.dst : i.src[1]) = aux.vector[0];
  } else {
    width(v);
    u32 at = value_slot(v);
    if (kind == AccessKey::Kind::Load)
      i.dst = at == kSink ? d.temporary(key.register_bytes) : at;
    else
      i.src[1] = at;
  }
  // Registers of one vector may differ in width only by being sinks; a constant has the width of the register
  // it stands for.
  Access fast = is_message(in, key) ? Access{} : d.options().lanes->access(key);
  i.masked = i.lane = fast.masked ? fast.masked : run_slow;
  i.full = in.guard == ir::kNone && fast.full ? fast.full : i.masked;
  if (d.runs_once() && key.where == Where::Param && key.elements == 1 && key.bytes == key.register_bytes &&
      (key.bytes == 4 || key.bytes == 8))
    i.full = key.bytes == 4 ? run_parameter<u32> : run_parameter<u64>;
  if (!kKeepsOrder && orders_others(in)) i.masked = i.lane = i.full = run_ordered;
  i.aux = &aux;
  d.emit(told(d, i));
}

void decode_ld(FunctionDecoder& d, const ir::Instruction& in) {
  decode_access(d, in, AccessKey::Kind::Load, 0, 1);
}
void decode_st(FunctionDecoder& d, const ir::Instruction& in) {
  decode_access(d, in, AccessKey::Kind::Store, 1, 0);
}

// ---- addresses ----

const Inst* run_local_address(Warp& w, const Inst* i) {
  const u64 v = i->imm + w.stack;
  const auto fill = [&]<class T>(T) {
    for (int l = 0; l < kLanes; ++l) slot<T>(w, i->dst)[l] = static_cast<T>(v);
  };
  i->dst_bytes == 4 ? fill(u32{}) : fill(u64{});
  return i + 1;
}

u64 window_base(ir::Space space) {
  switch (space) {
    case ir::Space::Shared:
      return kSharedWindow;
    case ir::Space::Local:
      return kLocalWindow;
    case ir::Space::Const:
      return kConstWindow;
    case ir::Space::Param:
      return kParamWindow;
    default:
      return 0;
  }
}

/// cvta: adds the window's base, or takes it off again. Null stays null on the way to generic only for global
/// addresses, as on GPUs.
void decode_cvta(FunctionDecoder& d, const ir::Instruction& in) {
  bool to = in.op == isa::Op::cvta_to;
  u64 base = window_base(ir::space_of(in));
  int bytes = isa::bytes(in.type());
  LaneKey key;
  key.op = to ? isa::Op::sub_int : isa::Op::add_int;
  key.type = bytes == 4 ? isa::Type::u32 : isa::Type::u64;
  Inst i{};
  i.lane = d.options().lanes->lane(key);
  i.full = in.guard == ir::kNone ? i.lane : masked_lanes;
  i.masked = masked_lanes;
  i.dst = d.destination(in.operands[0]);
  i.dst_bytes = static_cast<u8>(bytes);
  i.src[0] = d.source(in.operands[1], in.type());
  i.src[1] = d.constant(base, bytes);
  d.emit(i);
}

const Inst* run_isspacep(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  const u64* a = slot<u64>(w, i->src[0]);
  const u64 bytes = i->mode ? kClusterStep : kWindowBytes - 1;
  u32 bits = 0;
  for (int l = 0; l < kLanes; ++l)
    bits |= u32{i->imm == 0 ? a[l] - kSharedWindow >= kCodeWindow + kWindowBytes - kSharedWindow
                            : a[l] - i->imm < bytes}
            << l;
  u32& p = *slot<u32>(w, i->dst);
  p = (p & ~mask) | (bits & mask);
  return i + 1;
}

void decode_isspacep(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_isspacep);
  i.dst = d.destination(in.operands[0]);
  i.src[0] = d.source(in.operands[1], isa::Type::b64);
  i.imm = window_base(ir::space_of(in));
  // Whether it asks for the block's own shared memory alone.
  i.mode = in.mod(isa::Slot::space) == isa::Mod::shared || in.mod(isa::Slot::space) == isa::Mod::shared_cta;
  d.emit(i);
}

const Inst* run_hint(Warp&, const Inst* i) { return i + 1; }
void decode_hint(FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_hint)); }

/// createpolicy: the engine's caches have no policies, so any value will do; a program can only hand it on.
void decode_policy(FunctionDecoder& d, const ir::Instruction& in) {
  LaneKey key;
  key.op = isa::Op::mov;
  key.type = isa::Type::b64;
  Inst i{};
  i.lane = d.options().lanes->lane(key);
  i.full = in.guard == ir::kNone ? i.lane : masked_lanes;
  i.masked = masked_lanes;
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(8) : dst;
  i.dst_bytes = 8;
  i.src[0] = in.op == isa::Op::createpolicy_cvt ? d.source(in.operands[1], isa::Type::b64) : d.constant(0, 8);
  d.emit(i);
}

}  // namespace

Inst local_address(u32 dst, int bytes, u64 offset) {
  Inst i = special(run_local_address);
  i.dst = dst;
  i.dst_bytes = static_cast<u8>(bytes);
  i.imm = offset;
  return i;
}

Inst shift_shape(const LaneCode& lanes, u32 shape_slot, u64 by) {
  Inst i = special(lanes.steps.shift);
  i.dst = shape_slot;
  i.imm = by;
  return i;
}

Inst shift_shape_by(const LaneCode& lanes, u32 shape_slot, u32 register_slot) {
  Inst i = special(lanes.steps.shift_by);
  i.dst = shape_slot;
  i.src[0] = register_slot;
  return i;
}

Inst forget_shape(const LaneCode& lanes, u32 shape_slot) {
  Inst i = special(lanes.steps.forget);
  i.dst = shape_slot;
  return i;
}

Inst sum_shape(const LaneCode& lanes, const Aux& aux, u32 shape, u32 pattern, u32 address, u32 index,
               u64 offset) {
  Inst i{};
  i.full = lanes.sum.full;
  i.masked = i.lane = lanes.sum.masked;
  i.dst = i.src[2] = shape;
  i.dst2 = pattern;
  i.src[0] = address;
  i.src[1] = index;
  i.imm = offset;
  i.aux = &aux;
  return i;
}

SpecialDecoder memory_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::ld:
    case isa::Op::ld_nc:
    case isa::Op::ldu:
      return decode_ld;
    case isa::Op::st:
      return decode_st;
    case isa::Op::cvta:
    case isa::Op::cvta_to:
      return decode_cvta;
    case isa::Op::isspacep:
      return decode_isspacep;
    case isa::Op::prefetch:
    case isa::Op::prefetch_l2:
    case isa::Op::prefetch_evict:
    case isa::Op::prefetchu:
    case isa::Op::applypriority:
    case isa::Op::discard:
    case isa::Op::prefetch_tensormap:
      return decode_hint;
    case isa::Op::createpolicy_range:
    case isa::Op::createpolicy_fractional:
    case isa::Op::createpolicy_cvt:
      return decode_policy;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
