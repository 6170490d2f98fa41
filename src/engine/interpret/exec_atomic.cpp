// Atomic operations: lane by lane, in order of the lanes. Global memory is shared with the blocks that other
// threads of the host run, so every operation is a compare-and-swap loop there.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/half.h"
#include "engine/decode/decode.h"
#include "engine/interpret/atomic.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/poll_step.h"
#include "engine/interpret/tell.h"
#include "engine/memory/resolve.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Type;
using u128 = unsigned __int128;

/// new value = f(old value, operand, second operand); raw bits of the type.
template <class Raw>
using Update = Raw (*)(Raw old, Raw b, Raw c);

struct AtomicPlan {
  Type type{};
  Mod op{};
  AccessKey access;
  bool returns = false;
  u32 elements = 1;
  u32 dst[8], b[8], c = 0;
};

float canonical(float v) { return v != v ? std::bit_cast<float>(0x7fffffffu) : v; }
float flush(float v) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }

/// atom.add.f32 on global memory flushes subnormals on GPUs; on shared memory it does not (PTX ISA, atom).
u32 shared_sum(u32 a, u32 b) {
  return std::bit_cast<u32>(canonical(std::bit_cast<float>(a) + std::bit_cast<float>(b)));
}
u32 global_sum(u32 a, u32 b) {
  return std::bit_cast<u32>(
      canonical(flush(flush(std::bit_cast<float>(a)) + flush(std::bit_cast<float>(b)))));
}

template <class H>
H half_result(Mod op, H a, H b) {
  float x = to_float(a), y = to_float(b), r;
  if (op == Mod::add)
    r = x + y;
  else if (x != x)
    return b;
  else if (y != y)
    return a;
  else
    r = op == Mod::min ? (x < y || (x == y && std::signbit(x)) ? x : y)
                       : (x > y || (x == y && std::signbit(y)) ? x : y);
  if constexpr (std::is_same_v<H, f16>)
    return to_f16(r);
  else
    return to_bf16(r);
}
template <class H>
u32 half_pair(Mod op, u32 a, u32 b) {
  u32 lo = half_result<H>(op, H{static_cast<u16>(a)}, H{static_cast<u16>(b)}).bits;
  u32 hi = half_result<H>(op, H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)}).bits;
  return lo | hi << 16;
}

template <class Signed, class Raw>
Raw integer_result(Mod op, Raw old, Raw b, Raw c) {
  switch (op) {
    case Mod::add:
      return old + b;
    case Mod::inc:
      return old >= b ? 0 : old + 1;
    case Mod::dec:
      return old == 0 || old > b ? b : old - 1;
    case Mod::min:
      return static_cast<Raw>(std::min(static_cast<Signed>(old), static_cast<Signed>(b)));
    case Mod::max:
      return static_cast<Raw>(std::max(static_cast<Signed>(old), static_cast<Signed>(b)));
    case Mod::and_:
      return old & b;
    case Mod::or_:
      return old | b;
    case Mod::xor_:
      return old ^ b;
    case Mod::cas:
      return old == b ? c : old;
    default:
      return b;  // exch
  }
}

u16 result16(const AtomicPlan& p, u16 old, u16 b, u16 c) {
  if (p.type == Type::f16) return half_result(p.op, f16{old}, f16{b}).bits;
  if (p.type == Type::bf16) return half_result(p.op, bf16{old}, bf16{b}).bits;
  return old == b ? c : old;  // cas.b16
}
u32 result32(const AtomicPlan& p, u32 old, u32 b, u32 c) {
  switch (p.type) {
    case Type::f16x2:
      return half_pair<f16>(p.op, old, b);
    case Type::bf16x2:
      return half_pair<bf16>(p.op, old, b);
    case Type::f32:
      if (p.op == Mod::add)
        return p.access.where == AccessKey::Where::Shared ? shared_sum(old, b) : global_sum(old, b);
      return b;  // exch
    case Type::s32:
      return integer_result<int32_t, u32>(p.op, old, b, c);
    default:
      return integer_result<u32, u32>(p.op, old, b, c);
  }
}
u64 result64(const AtomicPlan& p, u64 old, u64 b, u64 c) {
  if (p.type == Type::f64 && p.op == Mod::add)
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  if (p.type == Type::s64) return integer_result<int64_t, u64>(p.op, old, b, c);
  return integer_result<u64, u64>(p.op, old, b, c);
}
u128 result128(const AtomicPlan& p, u128 old, u128 b, u128 c) {
  return p.op == Mod::cas ? (old == b ? c : old) : b;
}

template <class Raw, Raw (*result)(const AtomicPlan&, Raw, Raw, Raw)>
Raw update(const AtomicPlan& p, u8* at, Raw b, Raw c) {
  Raw* word = reinterpret_cast<Raw*>(at);
  if constexpr (sizeof(Raw) <= 8) {
    Raw old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, result(p, old, b, c), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
  } else {
    static std::mutex mutex;  // few programs use 128-bit atomics: one lock is enough
    std::lock_guard lock(mutex);
    Raw old;
    std::memcpy(&old, at, sizeof old);
    Raw fresh = result(p, old, b, c);
    std::memcpy(at, &fresh, sizeof fresh);
    return old;
  }
}

template <class Raw, Raw (*result)(const AtomicPlan&, Raw, Raw, Raw)>
void apply(Warp& w, const AtomicPlan& p, u32 element, u8* at, int lane) {
  Raw b, c = 0;
  std::memcpy(&b, w.regs + p.b[element] + lane * sizeof(Raw), sizeof b);
  if (p.op == Mod::cas) std::memcpy(&c, w.regs + p.c + lane * sizeof(Raw), sizeof c);
  Raw old = update<Raw, result>(p, at, b, c);
  if (p.returns && p.dst[element] != kSink)
    std::memcpy(w.regs + p.dst[element] + lane * sizeof(Raw), &old, sizeof old);
}

template <class Raw, Raw (*result)(const AtomicPlan&, Raw, Raw, Raw)>
void reduce_one(const AtomicPlan& p, u8* at, const u8* from) {
  Raw b;
  std::memcpy(&b, from, sizeof b);
  update<Raw, result>(p, at, b, Raw{0});
}

u64 address_of(Warp& w, const Inst* i, const AtomicPlan& p, int lane) {
  return p.access.address_bytes == 4 ? static_cast<u32>(slot<u32>(w, i->src[0])[lane] + i->imm)
                                     : slot<u64>(w, i->src[0])[lane] + i->imm;
}

/// For each lane of the mask, in order. Mostly it is all of them: a loop that the compiler can unroll.
template <class F>
void each_lane(u32 lanes, const F& f) {
  if (lanes == kAllLanes) {
    for (int l = 0; l < int{kLanes}; ++l) f(l);
  } else {
    for (u32 m = lanes; m; m &= m - 1) f(__builtin_ctz(m));
  }
}

/// Where words lie that begin at these addresses (plus `more`): in the range that `at` points to. False if
/// one of them does not, or not at a multiple of its bytes.
template <class Address>
bool words_in(const Address* addresses, u64 more, GlobalMemory::Range range, u8* at, u32 bytes, u32 lanes,
              u8** host) {
  const u64 last = range.size - bytes, odd = bytes - 1;
  u64 wrong = 0;
  each_lane(lanes, [&](int l) {
    const u64 offset = u64{static_cast<Address>(addresses[l] + more)} - range.base;
    wrong |= (offset & odd) | u64{offset > last};
    host[l] = at + offset;
  });
  return wrong == 0;
}

/// Where the lanes' words of 4 or 8 bytes lie, if all are in the block's shared memory (`shared`) or all in
/// global memory. False: they must be looked at with care.
bool plain_words(Warp& w, const Inst* i, const AtomicPlan& p, u32 bytes, u32 lanes, u8** host, bool& shared) {
  using Where = AccessKey::Where;
  u64 base = 0;
  const u64 first = address_of(w, i, p, __builtin_ctz(lanes));
  shared = p.access.where == Where::Shared;
  if (p.access.where == Where::Generic && first - kSharedWindow < kWindowBytes)
    shared = true, base = kSharedWindow;
  GlobalMemory::Range range{base, w.shared_bytes};
  u8* at = w.shared;
  if (!shared) {
    range = w.allocations->find(first);
    at = w.memory->host(range.base);
  }
  if (range.size < bytes) return false;
  const u64 more = static_cast<u64>(i->imm);
  return p.access.address_bytes == 4 ? words_in(slot<u32>(w, i->src[0]), more, range, at, bytes, lanes, host)
                                     : words_in(slot<u64>(w, i->src[0]), more, range, at, bytes, lanes, host);
}

/// One word after the other, in order of the lanes. A block's shared memory belongs to the thread of the host
/// that runs the block: `atomically` is for global memory.
template <class Raw, class Update>
void each_word(Warp& w, const AtomicPlan& p, u8* const* host, u32 lanes, bool atomically,
               const Update& update) {
  const Raw* b = slot<Raw>(w, p.b[0]);
  const Raw* c = p.op == Mod::cas ? slot<Raw>(w, p.c) : b;
  Raw* d = p.returns && p.dst[0] != kSink ? slot<Raw>(w, p.dst[0]) : nullptr;
  if (!atomically) {
    each_lane(lanes, [&](int l) {
      Raw* word = reinterpret_cast<Raw*>(host[l]);
      const Raw old = *word;
      *word = update(old, b[l], c[l]);
      if (d) d[l] = old;
    });
    return;
  }
  each_lane(lanes, [&](int l) {
    Raw* word = reinterpret_cast<Raw*>(host[l]);
    Raw old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
      const Raw fresh = update(old, b[l], c[l]);
      // What stays as it is need not be written: so are most minima, and locks that others hold.
      if (fresh == old ||
          __atomic_compare_exchange_n(word, &old, fresh, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        break;
    }
    if (d) d[l] = old;
  });
}

/// Sums of integers in global memory. Where all lanes add to one word that is one addition, and each lane
/// gets what it would have found in its turn.
template <class Raw>
void add_words(Warp& w, const AtomicPlan& p, u8* const* host, u32 lanes) {
  const Raw* b = slot<Raw>(w, p.b[0]);
  Raw* d = p.returns && p.dst[0] != kSink ? slot<Raw>(w, p.dst[0]) : nullptr;
  u8* const first = host[__builtin_ctz(lanes)];
  bool one = true;
  for (u32 m = lanes; m && one; m &= m - 1) one = host[__builtin_ctz(m)] == first;
  Raw before = 0;
  if (one) {
    Raw sum = 0;
    each_lane(lanes, [&](int l) { sum += b[l]; });
    before = __atomic_fetch_add(reinterpret_cast<Raw*>(first), sum, __ATOMIC_SEQ_CST);
  }
  if (!d) {
    if (!one)
      each_lane(lanes,
                [&](int l) { __atomic_fetch_add(reinterpret_cast<Raw*>(host[l]), b[l], __ATOMIC_SEQ_CST); });
    return;
  }
  each_lane(lanes, [&](int l) {
    const Raw v = b[l];  // d may be the same register
    const Raw old = one ? before : __atomic_fetch_add(reinterpret_cast<Raw*>(host[l]), v, __ATOMIC_SEQ_CST);
    before += v;
    d[l] = old;
  });
}

/// The operation is known where the loop over lanes is compiled.
template <class Raw, class Signed, Mod op>
void integer_words(Warp& w, const AtomicPlan& p, u8* const* host, u32 lanes, bool shared) {
  if constexpr (op == Mod::add)
    if (!shared) return add_words<Raw>(w, p, host, lanes);
  each_word<Raw>(w, p, host, lanes, !shared,
                 [](Raw old, Raw b, Raw c) { return integer_result<Signed, Raw>(op, old, b, c); });
}
template <class Raw, class Signed>
void integer_words(Warp& w, const AtomicPlan& p, u8* const* host, u32 lanes, bool shared) {
  switch (p.op) {
#define WW_OPERATION(op) \
  case Mod::op:          \
    return integer_words<Raw, Signed, Mod::op>(w, p, host, lanes, shared);
    WW_OPERATION(add)
    WW_OPERATION(inc)
    WW_OPERATION(dec)
    WW_OPERATION(min)
    WW_OPERATION(max)
    WW_OPERATION(and_)
    WW_OPERATION(or_)
    WW_OPERATION(xor_)
    WW_OPERATION(cas)
#undef WW_OPERATION
    default:
      return integer_words<Raw, Signed, Mod::exch>(w, p, host, lanes, shared);
  }
}

/// The float operation on 32 or 64 bits, if it is one: a sum.
template <class Raw>
void run_words(Warp& w, const AtomicPlan& p, u8* const* host, u32 lanes, bool shared) {
  constexpr bool kWide = sizeof(Raw) == 8;
  using Signed = std::conditional_t<kWide, int64_t, int32_t>;
  const auto each = [&](const auto& result) { each_word<Raw>(w, p, host, lanes, !shared, result); };
  if (p.type == Type::f16x2 || p.type == Type::bf16x2) {
    if constexpr (!kWide) each([&](Raw old, Raw b, Raw c) { return result32(p, old, b, c); });
  } else if (!isa::is_float(p.type) || p.op != Mod::add) {
    isa::is_signed(p.type) ? integer_words<Raw, Signed>(w, p, host, lanes, shared)
                           : integer_words<Raw, Raw>(w, p, host, lanes, shared);
  } else if constexpr (kWide) {
    each([](Raw old, Raw b, Raw) {
      return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
    });
  } else if (p.access.where == AccessKey::Where::Shared) {
    each([](Raw old, Raw b, Raw) { return shared_sum(old, b); });
  } else {
    each([](Raw old, Raw b, Raw) { return global_sum(old, b); });
  }
}

const Inst* run_atomic(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const AtomicPlan& p = *static_cast<const AtomicPlan*>(i->aux->more);
  u32 bytes = static_cast<u32>(isa::bytes(p.type));
  u8* host[kLanes];
  bool shared = false;
  if (p.elements == 1 && (bytes == 4 || bytes == 8) && plain_words(w, i, p, bytes, lanes, host, shared)) {
    if (bytes == 4)
      run_words<u32>(w, p, host, lanes, shared);
    else
      run_words<u64>(w, p, host, lanes, shared);
    return behind_update(w, i);
  }
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    Resolved r =
        resolve(w, p.access.where, address_of(w, i, p, l), l, bytes * p.elements, bytes * p.elements, true);
    host[l] = allowed_or_fault(w, i, l, r, bytes * p.elements, true);
    if (!host[l]) return nullptr;
  }
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    for (u32 e = 0; e < p.elements; ++e) {
      u8* at = host[l] + e * bytes;
      switch (bytes) {
        case 2:
          apply<u16, result16>(w, p, e, at, l);
          break;
        case 4:
          apply<u32, result32>(w, p, e, at, l);
          break;
        case 8:
          apply<u64, result64>(w, p, e, at, l);
          break;
        default:
          apply<u128, result128>(w, p, e, at, l);
          break;
      }
    }
  }
  return behind_update(w, i);
}

bool sensible(Type type, Mod op) {
  bool is_float = isa::is_float(type);
  switch (op) {
    case Mod::add:
      return isa::type_class(type) != isa::TypeClass::Bits;
    case Mod::min:
    case Mod::max:
      return (isa::type_class(type) != isa::TypeClass::Bits && !is_float) || isa::bits(type) == 16 ||
             type == Type::f16x2 || type == Type::bf16x2;
    case Mod::inc:
    case Mod::dec:
      return type == Type::u32;
    case Mod::and_:
    case Mod::or_:
    case Mod::xor_:
      return !is_float;
    default:
      return true;
  }
}

void decode_atomic(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<AtomicPlan>();
  plan->type = in.type();
  plan->op = in.mod(isa::Slot::aop);
  if (plan->op == Mod::none) plan->op = in.mod(isa::Slot::fop);
  if (in.op == isa::Op::atom_cas) plan->op = Mod::cas;
  if (!sensible(plan->type, plan->op))
    return d.refuse(in, fmt::format("{}.{} does not exist for .{}", in.form().mnemonic, isa::name(plan->op),
                                    isa::name(plan->type)));
  plan->returns = in.form().mnemonic == "atom";
  size_t next = 0;
  auto each = [&](const ir::Operand& o, auto f) {
    if (o.kind == ir::Operand::Kind::Vector) {
      plan->elements = static_cast<u32>(o.elements.size());
      for (size_t k = 0; k < o.elements.size(); ++k) f(k, o.elements[k]);
    } else {
      f(size_t{0}, o);
    }
  };
  if (plan->returns)
    each(in.operands[next++], [&](size_t k, const ir::Operand& o) { plan->dst[k] = d.destination(o); });
  const ir::Operand& memory = in.operands[next++];
  switch (ir::space_of(in)) {
    case ir::Space::Global:
      plan->access.where = AccessKey::Where::Global;
      break;
    case ir::Space::Shared:
      plan->access.where = AccessKey::Where::Shared;
      break;
    default:
      plan->access.where = AccessKey::Where::Generic;
      break;
  }
  Inst i = special(run_atomic);
  i.src[0] = d.address(memory, i.imm, plan->access.address_bytes);
  each(in.operands[next++], [&](size_t k, const ir::Operand& o) { plan->b[k] = d.source(o, plan->type); });
  if (plan->op == Mod::cas) plan->c = d.source(in.operands[next], plan->type);
  Aux& aux = d.aux_for(plan);
  aux.access = plan->access;
  i.aux = &aux;
  d.emit(told(d, i));
}

}  // namespace

bool has_atomic(Type type, Mod op) { return sensible(type, op); }

void reduce_into(Type type, Mod op, bool shared, u8* to, const u8* from) {
  AtomicPlan p;
  p.type = type;
  p.op = op;
  p.access.where = shared ? AccessKey::Where::Shared : AccessKey::Where::Global;
  switch (isa::bytes(type)) {
    case 2:
      return reduce_one<u16, result16>(p, to, from);
    case 4:
      return reduce_one<u32, result32>(p, to, from);
    default:
      return reduce_one<u64, result64>(p, to, from);
  }
}

SpecialDecoder atomic_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::atom:
    case isa::Op::atom_cas:
    case isa::Op::atom_half:
    case isa::Op::atom_vec:
    case isa::Op::atom_half_vec:
    case isa::Op::red_half_vec:
    case isa::Op::red:
    case isa::Op::red_half:
    case isa::Op::red_vec:
      return decode_atomic;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
