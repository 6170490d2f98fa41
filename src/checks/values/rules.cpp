#include "checks/values/rules.h"

#include <algorithm>
#include <cstring>

namespace ww::checks {

namespace {

using isa::Mod;

u64 ones(u32 bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

/// The lowest `bits` of v, with its sign where wanted.
u64 extend(u64 v, u32 bits, bool sign) {
  v &= ones(bits);
  return sign && bits < 64 && v >> (bits - 1) & 1 ? v | ~ones(bits) : v;
}

u64 lane_bits(const u8* at, u32 lane, u32 stride, u32 bytes) {
  u64 v = 0;
  std::memcpy(&v, at + size_t{lane} * stride, std::min<u32>({stride, bytes, 8}));
  return v;
}

/// Whether all bits of 32 lanes are 0.
bool nothing_in(const u8* at, u32 stride) {
  u64 any = 0;
  for (u32 k = 0; k < stride * 32; k += 8) {
    u64 word;
    std::memcpy(&word, at + k, 8);
    any |= word;
  }
  return any == 0;
}

/// A truth that may be undefined.
enum class Truth : u8 { No, Yes, Undefined };
Truth truth(bool b) { return b ? Truth::Yes : Truth::No; }
Truth negate(Truth t) { return t == Truth::Undefined ? t : truth(t == Truth::No); }
Truth combine(Mod how, Truth a, Truth b) {
  if (how == Mod::and_) {
    if (a == Truth::No || b == Truth::No) return Truth::No;
  } else if (how == Mod::or_) {
    if (a == Truth::Yes || b == Truth::Yes) return Truth::Yes;
  } else if (how == Mod::none) {
    return a;
  }
  if (a == Truth::Undefined || b == Truth::Undefined) return Truth::Undefined;
  return truth(how == Mod::and_ || how == Mod::or_ ? a == b && a == Truth::Yes : a != b);
}

bool less(u64 a, u64 b, bool sign, u32 bits) {
  if (!sign) return a < b;
  return static_cast<int64_t>(extend(a, bits, true)) < static_cast<int64_t>(extend(b, bits, true));
}

/// a < b, for all values that undefined bits may have.
Truth less(u64 a, u64 ua, u64 b, u64 ub, bool sign, u32 bits) {
  const u64 top = sign ? u64{1} << (bits - 1) : 0;  // a set sign bit makes a number smaller
  const auto low = [&](u64 v, u64 u) { return (v & ~u) | (u & top); };
  const auto high = [&](u64 v, u64 u) { return (v | (u & ~top)) & ~(u & top); };
  if (less(high(a, ua), low(b, ub), sign, bits)) return Truth::Yes;
  if (!less(low(a, ua), high(b, ub), sign, bits)) return Truth::No;
  return Truth::Undefined;
}

Truth compare(Mod how, u64 a, u64 ua, u64 b, u64 ub, bool sign, u32 bits) {
  switch (how) {
    case Mod::eq:
    case Mod::ne: {
      const u64 unsure = ua | ub;
      if ((a ^ b) & ~unsure) return truth(how == Mod::ne);
      return unsure ? Truth::Undefined : truth(how == Mod::eq);
    }
    case Mod::lt:
    case Mod::lo:
      return less(a, ua, b, ub, sign && how == Mod::lt, bits);
    case Mod::ge:
    case Mod::hs:
      return negate(less(a, ua, b, ub, sign && how == Mod::ge, bits));
    case Mod::gt:
    case Mod::hi:
      return less(b, ub, a, ua, sign && how == Mod::gt, bits);
    default:  // le, ls
      return negate(less(b, ub, a, ua, sign && how == Mod::le, bits));
  }
}

u64 lookup(u8 table, u64 a, u64 ua, u64 b, u64 ub, u64 c, u64 uc) {
  u64 may_be[2] = {};
  for (u32 k = 0; k < 8; ++k) {
    const auto may = [&](u64 v, u64 u, bool one) { return one ? v | u : ~v | u; };
    may_be[table >> k & 1] |= may(a, ua, k & 4) & may(b, ub, k & 2) & may(c, uc, k & 1);
  }
  return may_be[0] & may_be[1];
}

u64 permute(u64 a, u64 b, u64 selector) {
  const u64 both = b << 32 | (a & 0xffffffffu);
  u64 out = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u64 which = selector >> 4 * k & 15, byte = both >> 8 * (which & 7) & 255;
    out |= (which & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * k;
  }
  return out;
}

u64 reverse(u64 v, u32 bits) {
  u64 out = 0;
  for (u32 k = 0; k < bits; ++k) out |= (v >> k & 1) << (bits - 1 - k);
  return out;
}

u64 extract(u64 v, u64 from, u64 count, u32 bits, bool sign) {
  from &= 255, count &= 255;
  if (count == 0) return 0;
  const u64 last = std::min<u64>(from + count - 1, bits - 1);
  u64 out = from < bits ? v >> from : 0;
  if (count < bits) out &= ones(static_cast<u32>(count));
  if (sign && v >> last & 1)
    for (u64 k = from <= last ? last - from + 1 : 0; k < bits; ++k) out |= u64{1} << k;
  return out & ones(bits);
}

u64 insert(u64 what, u64 into, u64 at, u64 count, u32 bits) {
  at &= 255, count &= 255;
  if (at >= bits || count == 0) return into;
  const u64 field = (count >= bits ? ones(bits) : ones(static_cast<u32>(count))) << at & ones(bits);
  return (into & ~field) | (what << at & field);
}

u64 shift_right(u64 v, u64 by, u32 bits, bool sign) {
  v = extend(v, bits, sign);
  if (by >= bits) return sign && v >> 63 ? ~u64{0} : 0;
  return sign ? static_cast<u64>(static_cast<int64_t>(v) >> by) : v >> by;
}

/// Undefined bits of one lane's result. Predicates are told apart by the caller.
u64 lane_rule(const Plan& p, const LaneValues* s, u32 l) {
  const u64 a = s[0].value[l], b = s[1].value[l], c = s[2].value[l];
  const u64 ua = s[0].undefined[l], ub = s[1].undefined[l], uc = s[2].undefined[l], ud = s[3].undefined[l];
  const u64 any = ua | ub | uc | ud;
  const u32 bits = p.source_bits;
  if (!any) return 0;
  switch (p.rule) {
    case Rule::Copy:
      return ua;
    case Rule::Any:
    case Rule::CompareAny:
      return ~u64{0};
    case Rule::Halves:
      return (any & 0xffff ? 0xffff : 0) | (any & 0xffff0000 ? 0xffff0000 : 0);
    case Rule::Low24:
      return (ua | ub) & 0xffffff || uc ? ~u64{0} : 0;
    case Rule::Smear:
      return any | (~any + 1);
    case Rule::Lookup:
      return p.table_of_two ? lookup(p.table, a, ua, b, ub, 0, 0) : lookup(p.table, a, ua, b, ub, c, uc);
    case Rule::IsZero:
      return a & ~ua ? 0 : 1;
    case Rule::ShiftLeft:
      return ub ? ~u64{0} : b >= bits ? 0 : ua << b;
    case Rule::ShiftRight:
      return ub ? ~u64{0} : shift_right(ua, b, bits, p.sign);
    case Rule::FunnelLeft:
    case Rule::FunnelRight: {
      if (uc) return ~u64{0};
      const u64 n = p.clamp ? std::min<u64>(c, 32) : c & 31;
      const u64 both = ub << 32 | (ua & 0xffffffffu);
      return p.rule == Rule::FunnelLeft ? both << n >> 32 : both >> n;
    }
    case Rule::Extract:
      return ub | uc ? ~u64{0} : extract(ua, b, c, bits, p.sign);
    case Rule::Insert:
      return uc | ud ? ~u64{0} : insert(ua, ub, c, s[3].value[l], bits);
    case Rule::Permute:
      return uc ? ~u64{0} : permute(ua, ub, c);
    case Rule::Reverse:
      return reverse(ua, bits);
    case Rule::Convert:
      return extend(ua, bits, p.sign);
    case Rule::JoinHalves:
      return (ua ? 0xffff0000 : 0) | (ub ? 0xffff : 0);
    case Rule::Select:
      return uc ? ua | ub | (a ^ b) : c ? ua : ub;
    case Rule::SelectBySign:
      return uc >> 31 & 1 ? ua | ub | (a ^ b) : c >> 31 & 1 ? ub : ua;
    default:
      return 0;
  }
}

/// The carry out of a + b + c, or the borrow of a - b - c.
bool carry_out(const Plan& p, u64 a, u64 b, u64 c) {
  a &= ones(p.source_bits), b &= ones(p.source_bits), c &= 1;
  if (p.subtracts) return a < b || (a == b && c);
  const u64 sum = a + b, all = sum + c;
  return p.source_bits < 64 ? all >> p.source_bits != 0 : sum < a || all < sum;
}

/// Lanes whose new carry flag depends on undefined bits: of sums, where the smallest and the largest value
/// that the operands may have do not agree.
u32 undefined_carries(const Plan& p, const LaneValues* s, u32 mask) {
  u32 lanes = 0;
  for (u32 m = mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    u64 low[4], high[4], any = 0;
    for (int k = 0; k < 4; ++k) {
      low[k] = s[k].value[l] & ~s[k].undefined[l], high[k] = s[k].value[l] | s[k].undefined[l];
      any |= s[k].undefined[l];
    }
    if (!any) continue;
    if (p.subtracts) std::swap(low[1], high[1]), std::swap(low[3], high[3]);
    const bool sum = p.rule == Rule::Smear;
    if (!sum || carry_out(p, low[0], low[1], low[3]) != carry_out(p, high[0], high[1], high[3]))
      lanes |= u32{1} << l;
  }
  return lanes;
}

/// Rules whose result may be a predicate: it and the other one, undefined in these lanes.
struct Predicates {
  u32 result = 0, second = 0;
};
Predicates predicate_rule(const Plan& p, const LaneValues* s, u32 mask) {
  Predicates out;
  for (u32 m = mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    if (p.rule != Rule::Compare && p.rule != Rule::CompareAny) {
      out.result |= static_cast<u32>(lane_rule(p, s, l) & 1) << l;
      continue;
    }
    const u64 ua = s[0].undefined[l], ub = s[1].undefined[l];
    Truth r = ua | ub ? Truth::Undefined : Truth::No;
    if (p.rule == Rule::Compare)
      r = compare(p.mode, s[0].value[l], ua, s[1].value[l], ub, p.sign, p.source_bits);
    const Truth c = s[2].undefined[l] & 1 ? Truth::Undefined : truth(s[2].value[l] & 1);
    // Of CompareAny the value is not known here: only a third that decides alone makes it defined.
    const auto undefined = [&](Truth t) {
      if (p.rule == Rule::CompareAny && !(ua | ub)) return c == Truth::Undefined && p.logic != Mod::none;
      return combine(p.logic, t, c) == Truth::Undefined;
    };
    out.result |= u32{undefined(r)} << l;
    out.second |= u32{undefined(negate(r))} << l;
  }
  return out;
}

/// mov with a brace list: bytes from one side to the other.
bool carry_pieces(const Plan& p, const Frame& f, u32 mask, u32 all) {
  const Value& whole = p.wide_list ? p.source[0] : p.result;
  const auto count = static_cast<u32>(p.list.size());
  const u32 part = whole.kind == Value::Kind::None || count == 0 ? 0 : whole.bytes / count;
  bool any = false;
  u32 from_whole = p.wide_list && whole.kind == Value::Kind::Register ? f.origin(whole) : 0;
  u32 origin = 0;
  for (u32 n = 0; n < count; ++n) {
    const Value& piece = p.list[n];
    if (p.wide_list && piece.kind != Value::Kind::Register) continue;
    bool here = false;
    for (u32 m = mask; m; m &= m - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(m));
      u8 bytes[16] = {};
      const u8* from = nullptr;
      if (p.wide_list && whole.kind == Value::Kind::Register)
        from = f.bits(whole) + size_t{l} * whole.stride + n * part;
      else if (!p.wide_list && piece.kind == Value::Kind::Register)
        from = f.bits(piece) + size_t{l} * piece.stride;
      if (from) std::memcpy(bytes, from, part);
      if (all >> l & 1) std::memset(bytes, 0xff, part);
      u8* to = p.wide_list ? f.bits(piece) + size_t{l} * piece.stride
                           : f.bits(whole) + size_t{l} * whole.stride + n * part;
      std::memcpy(to, bytes, part);
      if (p.wide_list && piece.stride > part) std::memset(to + part, 0, piece.stride - part);
      for (u32 k = 0; k < part; ++k) here |= bytes[k] != 0;
    }
    if (!here) continue;
    any = true;
    if (p.wide_list)
      f.origin(piece) = from_whole;
    else if (!origin && piece.kind == Value::Kind::Register)
      origin = f.origin(piece);
  }
  if (!p.wide_list && any) f.origin(whole) = origin;
  return any;
}

}  // namespace

LaneValues read(const Frame& f, const Value& v) {
  LaneValues out;
  if (v.kind == Value::Kind::None) return out;
  if (v.kind == Value::Kind::Constant) {
    const u64 bits = (v.stride ? v.bits & ones(8u * v.bytes) : v.bits & 1) ^ (v.negated ? 1 : 0);
    std::fill(std::begin(out.value), std::end(out.value), bits);
    return out;
  }
  const u8 *at = f.registers + v.in_frame.slot, *bits = f.bits(v);
  if (v.stride == 0) {
    u32 p, u;
    std::memcpy(&p, at, 4);
    std::memcpy(&u, bits, 4);
    if (v.negated) p = ~p;
    for (u32 l = 0; l < 32; ++l) out.value[l] = p >> l & 1, out.undefined[l] = u >> l & 1;
    return out;
  }
  if (v.stride == 4 && v.bytes >= 4) {  // the usual case
    u32 values[32], undefined[32];
    std::memcpy(values, at, sizeof values);
    std::memcpy(undefined, bits, sizeof undefined);
    for (u32 l = 0; l < 32; ++l) out.value[l] = values[l], out.undefined[l] = undefined[l];
    return out;
  }
  if (v.stride == 8 && v.bytes >= 8) {
    std::memcpy(out.value, at, sizeof out.value);
    std::memcpy(out.undefined, bits, sizeof out.undefined);
    return out;
  }
  for (u32 l = 0; l < 32; ++l) {
    out.value[l] = lane_bits(at, l, v.stride, v.bytes);
    out.undefined[l] = lane_bits(bits, l, v.stride, v.bytes);
  }
  return out;
}

u32 undefined_lanes(const Frame& f, const Value& v, u32 mask) {
  if (v.kind != Value::Kind::Register) return 0;
  const u8* bits = f.bits(v);
  u32 lanes = 0;
  if (v.stride == 0) {
    std::memcpy(&lanes, bits, 4);
    return lanes & mask;
  }
  if (nothing_in(bits, v.stride)) return 0;
  if (v.stride == 4 && v.bytes >= 4) {
    u32 words[32];
    std::memcpy(words, bits, sizeof words);
    for (u32 l = 0; l < 32; ++l) lanes |= u32{words[l] != 0} << l;
    return lanes & mask;
  }
  for (u32 m = mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    u64 words[2] = {};
    std::memcpy(words, bits + size_t{l} * v.stride, std::min<u32>(v.stride, std::max<u32>(v.bytes, 1)));
    lanes |= u32{(words[0] | words[1]) != 0} << l;
  }
  return lanes;
}

void define(const Frame& f, const Value& v, u32 mask) {
  if (v.kind != Value::Kind::Register) return;
  u8* bits = f.bits(v);
  if (v.stride == 0) {
    u32 lanes;
    std::memcpy(&lanes, bits, 4);
    lanes &= ~mask;
    std::memcpy(bits, &lanes, 4);
    return;
  }
  if (mask == ~u32{0}) {
    std::memset(bits, 0, size_t{v.stride} * 32);
    return;
  }
  for (u32 m = mask; m; m &= m - 1)
    std::memset(bits + static_cast<size_t>(__builtin_ctz(m)) * v.stride, 0, v.stride);
}

void write(const Frame& f, const Value& v, const u64* undefined, u32 mask, bool sign) {
  u8* bits = f.bits(v);
  for (u32 m = mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 u = extend(undefined[l], 8u * v.bytes, sign);
    std::memcpy(bits + size_t{l} * v.stride, &u, std::min<u32>(v.stride, 8));
  }
}

bool carry(const Plan& p, const Frame& f, u32 mask, u32 all) {
  if (p.rule == Rule::Pieces) return carry_pieces(p, f, mask, all);
  if (p.result.kind != Value::Kind::Register && p.second.kind != Value::Kind::Register) return false;
  bool hit = all != 0;
  u32 origin = 0;
  for (const Value& v : p.source)
    if (undefined_lanes(f, v, mask)) {
      hit = true;
      if (!origin) origin = f.origin(v);
    }
  if (!origin && all && p.guard.kind == Value::Kind::Register) origin = f.origin(p.guard);
  if (!hit || (p.rule == Rule::Defined && !all)) {
    define(f, p.result, mask);
    define(f, p.second, mask);
    return false;
  }
  const LaneValues sources[4] = {read(f, p.source[0]), read(f, p.source[1]), read(f, p.source[2]),
                                 read(f, p.source[3])};
  bool any = false;
  const auto set_predicate = [&](const Value& v, u32 lanes) {
    if (v.kind != Value::Kind::Register) return;
    u32 now;
    std::memcpy(&now, f.bits(v), 4);
    now = (now & ~mask) | ((lanes | all) & mask);
    std::memcpy(f.bits(v), &now, 4);
    any |= (now & mask) != 0;
  };
  if (p.result.stride == 0) {
    const Predicates lanes = predicate_rule(p, sources, mask);
    set_predicate(p.result, lanes.result);
    set_predicate(p.second, lanes.second);
  } else {
    u64 out[32] = {};
    const bool compares = p.rule == Rule::Compare || p.rule == Rule::CompareAny;
    const Predicates lanes = compares ? predicate_rule(p, sources, mask) : Predicates{};
    for (u32 m = mask; m; m &= m - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(m));
      out[l] = compares ? (lanes.result >> l & 1 ? ~u64{0} : 0) : lane_rule(p, sources, l);
      if (all >> l & 1) out[l] = ~u64{0};
      out[l] &= ones(8u * p.result.bytes);
      any |= out[l] != 0;
    }
    write(f, p.result, out, mask, p.sign_result);
    if (p.sets_carry)
      set_predicate(p.second, undefined_carries(p, sources, mask));
    else if (p.second.kind == Value::Kind::Register)
      set_predicate(p.second, undefined_lanes(f, p.result, mask));
  }
  if (!any) return false;
  // Which of two values is taken says something of what decided it: no copy any more.
  const bool decides = p.rule == Rule::Select && undefined_lanes(f, p.source[2], mask);
  for (const Value* v : {&p.result, &p.second})
    if (v->kind == Value::Kind::Register) f.origin(*v) = origin | u32{p.computes || decides};
  return true;
}

}  // namespace ww::checks
