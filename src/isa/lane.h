// What the lane functions of the chapters are written in: the C++ types of lanes and small helpers.
//
// Included only where lane functions are instantiated, once for each CPU. All is in an unnamed namespace: a
// copy shared between those translation units could hold instructions that the running machine does not have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/half.h"
#include "isa/form.h"

namespace ww::lane {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;
using u128 = unsigned __int128;
using s128 = __int128;
using isa::Mod;

// Packed pairs: the low half is element 0.
struct u16x2 {
  u32 bits;
  using half = u16;
};
struct s16x2 {
  u32 bits;
  using half = s16;
};
struct f16x2 {
  u32 bits;
  using half = f16;
};
struct bf16x2 {
  u32 bits;
  using half = bf16;
};

/// A predicate of one lane.
struct Pred {
  bool value;
  WW_INLINE operator bool() const { return value; }
};
struct PredPair {
  bool p, q;
};
template <class T>
struct WithPred {
  T d;
  bool p;
};
/// A result whose NaN is delivered as it is.
template <class T>
struct KeptNan {
  T value;
};

// Parameters that carry a modifier of the instruction into a lane function.
struct Cmp {
  Mod op;
};
struct Logic {
  Mod op;
};
struct TestOp {
  Mod op;
};
struct Rounding {
  Mod mode;
};
struct PrmtMode {
  Mod mode;
};
struct Clamp {
  bool on;
  WW_INLINE operator bool() const { return on; }
};
struct Relu {
  bool on;
  WW_INLINE operator bool() const { return on; }
};
struct Ftz {
  bool on;
  WW_INLINE operator bool() const { return on; }
};
struct Imm {
  u64 bits;
  WW_INLINE explicit operator u32() const { return static_cast<u32>(bits); }
};
/// The carry flag of one lane.
struct Carry {
  bool bit = false;
};

template <class T>
struct WideOf;
template <>
struct WideOf<u16> {
  using type = u32;
};
template <>
struct WideOf<u32> {
  using type = u64;
};
template <>
struct WideOf<s16> {
  using type = s32;
};
template <>
struct WideOf<s32> {
  using type = s64;
};
template <class T>
using Wide = typename WideOf<T>::type;

/// The bits of T as an unsigned integer (predicates stay predicates): what copying instructions deliver.
template <class T>
struct RawOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct RawOf<f32> {
  using type = u32;
};
template <>
struct RawOf<f64> {
  using type = u64;
};
template <>
struct RawOf<Pred> {
  using type = Pred;
};
template <class T>
using Raw = typename RawOf<T>::type;
template <class T>
WW_INLINE Raw<T> raw(T v) {
  if constexpr (std::is_same_v<T, Pred>)
    return v;
  else
    return std::bit_cast<Raw<T>>(v);
}

// ---- integers ----

template <class T>
WW_INLINE T wrap_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return T(U(U(a) + U(b)));
}
template <class T>
WW_INLINE T wrap_sub(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return T(U(U(a) - U(b)));
}
template <class T>
WW_INLINE T wrap_mul(T a, T b) {
  return T(u64(a) * u64(b));
}

template <class T>
WW_INLINE T mul_high(T a, T b) {
  constexpr int kBits = sizeof(T) * 8;
  if constexpr (sizeof(T) == 8)
    return T((std::conditional_t<std::is_signed_v<T>, s128, u128>(a) * b) >> 64);
  else
    return T((std::conditional_t<std::is_signed_v<T>, s64, u64>(a) * b) >> kBits);
}

/// Clamps an integer to the range of D.
template <class D, class S>
WW_INLINE D saturate(S v) {
  using Limits = std::numeric_limits<D>;
  if constexpr (std::is_signed_v<S>) {
    if constexpr (std::is_unsigned_v<D>) {
      if (v < 0) return D(0);
      if constexpr (sizeof(D) < sizeof(S))
        return v > S(Limits::max()) ? Limits::max() : D(v);
      else
        return D(v);
    } else if constexpr (sizeof(D) < sizeof(S)) {
      return v > S(Limits::max()) ? Limits::max() : v < S(Limits::min()) ? Limits::min() : D(v);
    } else {
      return D(v);
    }
  } else {
    if constexpr (sizeof(D) < sizeof(S) || (sizeof(D) == sizeof(S) && std::is_signed_v<D>))
      return v > S(Limits::max()) ? Limits::max() : D(v);
    else
      return D(v);
  }
}

template <class T>
WW_INLINE s32 low24(T a) {
  if constexpr (std::is_signed_v<T>)
    return s32(u32(a) << 8) >> 8;
  else
    return s32(a & 0xffffff);
}

template <class T>
WW_INLINE T divide(T a, T b) {
  if (b == 0) return T(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return wrap_sub(T(0), a);
  return T(a / b);
}
template <class T>
WW_INLINE T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return 0;
  return T(a % b);
}

template <class T>
WW_INLINE T relu_of(T a) {
  return a < 0 ? T(0) : a;
}

/// Applies f to the low and the high halves of two packed pairs.
template <class P, class F>
WW_INLINE P each_half(P a, P b, F f) {
  using H = typename P::half;
  auto lo = f(std::bit_cast<H>(u16(a.bits)), std::bit_cast<H>(u16(b.bits)));
  auto hi = f(std::bit_cast<H>(u16(a.bits >> 16)), std::bit_cast<H>(u16(b.bits >> 16)));
  return {u32(std::bit_cast<u16>(H(lo))) | u32(std::bit_cast<u16>(H(hi))) << 16};
}
WW_INLINE u32 pack_halves(u16 lo, u16 hi) { return u32(hi) << 16 | lo; }

/// Position of the most significant bit that differs from the sign (unsigned: that is set); ~0 if there is
/// none.
template <class T>
WW_INLINE u32 find_leading(T a) {
  using U = std::make_unsigned_t<T>;
  U u = U(a);
  if constexpr (std::is_signed_v<T>)
    if (a < 0) u = U(~u);
  return u == 0 ? ~u32(0) : u32(sizeof(T) * 8 - 1 - std::countl_zero(u));
}

/// fns: the position of the offset-th set bit of mask, seen from bit base upwards (offset > 0, base counts as
/// the first), downwards (offset < 0), or base itself if it is set (offset == 0); ~0 if there is none.
WW_INLINE u32 find_nth_set(u32 mask, u32 base, s32 offset) {
  base &= 31;
  if (offset == 0) return mask >> base & 1 ? base : ~u32(0);
  s32 step = offset > 0 ? 1 : -1;
  s32 left = offset > 0 ? offset : -offset;
  for (s32 at = s32(base); at >= 0 && at < 32; at += step)
    if (mask >> at & 1)
      if (--left == 0) return u32(at);
  return ~u32(0);
}

template <class T>
WW_INLINE T reverse_bits(T v) {
  v = T((v >> 1 & T(0x5555555555555555)) | (v & T(0x5555555555555555)) << 1);
  v = T((v >> 2 & T(0x3333333333333333)) | (v & T(0x3333333333333333)) << 2);
  v = T((v >> 4 & T(0x0f0f0f0f0f0f0f0f)) | (v & T(0x0f0f0f0f0f0f0f0f)) << 4);
  if constexpr (sizeof(T) == 8)
    return __builtin_bswap64(v);
  else
    return __builtin_bswap32(v);
}

/// A position or length of bfe and bfi: the manual keeps its low 8 bits; an H200 does so for 32-bit values
/// only.
template <class T>
WW_INLINE u32 field_amount(u32 v) {
  return sizeof(T) == 8 ? v : v & 0xff;
}

/// bfe: `length` bits from `at`; signed types repeat the field's top bit (or the value's, past its end).
template <class T>
WW_INLINE T extract_field(T a, u32 at, u32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 kBits = sizeof(T) * 8;
  U shifted = at < kBits ? U(U(a) >> at) : U(0);
  U mask = length >= kBits ? U(~U(0)) : U((U(1) << length) - 1);
  U field = shifted & mask;
  if constexpr (std::is_signed_v<T>) {
    if (length == 0) return 0;
    u64 top = u64(at) + length - 1;
    bool sign = U(a) >> (top < kBits ? top : kBits - 1) & 1;
    if (sign) {
      U above = at < kBits && length < kBits ? U(~mask) : (at < kBits ? U(0) : U(~U(0)));
      field |= above;
      if (at < kBits && top >= kBits) field |= at == 0 ? U(0) : U(~(U(~U(0)) >> at));  // bits beyond the end
      if (at >= kBits) field = U(~U(0));
    }
  }
  return T(field);
}

/// bfi: the low `length` bits of a put into b at `at`.
template <class T>
WW_INLINE T insert_field(T a, T b, u32 at, u32 length) {
  constexpr u32 kBits = sizeof(T) * 8;
  if (at >= kBits || length == 0) return b;
  T mask = length >= kBits ? T(~T(0)) : T((T(1) << length) - 1);
  return T((b & ~T(mask << at)) | (T(a & mask) << at));
}

/// szext: bits from n upwards become zero, or copies of bit n-1.
template <class T>
WW_INLINE T extend_from(T a, u32 n) {
  if (n == 0) return 0;
  if (n >= 32) return a;
  return T(u32(a) << (32 - n)) >> (32 - n);
}
WW_INLINE u32 bit_mask(u32 at, u32 length) {
  u64 ones = length >= 32 ? 0xffffffffull : (u64(1) << length) - 1;
  return u32(ones << at);
}

template <class A, class B>
WW_INLINE u32 dot4(u32 a, u32 b, u32 c) {
  using A8 = std::conditional_t<std::is_signed_v<A>, s8, u8>;
  using B8 = std::conditional_t<std::is_signed_v<B>, s8, u8>;
  for (int i = 0; i < 4; ++i) c += u32(s32(A8(a >> (8 * i))) * s32(B8(b >> (8 * i))));
  return c;
}
template <class A, class B>
WW_INLINE u32 dot2(u32 a, u32 b, u32 c) {
  using A16 = std::conditional_t<std::is_signed_v<A>, s16, u16>;
  using B8 = std::conditional_t<std::is_signed_v<B>, s8, u8>;
  for (int i = 0; i < 2; ++i) c += u32(s32(A16(a >> (16 * i))) * s32(B8(b >> (8 * i))));
  return c;
}

template <class T>
WW_INLINE T add_with_carry(T a, T b, bool in, Carry& out) {
  using U = std::make_unsigned_t<T>;
  U first = U(a) + U(b), sum = first + U(in);
  out.bit = first < U(a) || sum < first;
  return T(sum);
}
template <class T>
WW_INLINE T sub_with_borrow(T a, T b, bool in, Carry& out) {
  using U = std::make_unsigned_t<T>;
  U first = U(a) - U(b);
  out.bit = U(a) < U(b) || first < U(in);
  return T(first - U(in));
}

// ---- logic ----

template <class T>
WW_INLINE T complement(T a) {
  if constexpr (std::is_same_v<T, Pred>)
    return {!a.value};
  else
    return T(~a);
}
WW_INLINE Pred operator&(Pred a, Pred b) { return {a.value && b.value}; }
WW_INLINE Pred operator|(Pred a, Pred b) { return {a.value || b.value}; }
WW_INLINE Pred operator^(Pred a, Pred b) { return {a.value != b.value}; }

WW_INLINE u32 lookup3(u32 a, u32 b, u32 c, u32 lut) {
  u32 r = 0;
  if (lut & 0x01) r |= ~a & ~b & ~c;
  if (lut & 0x02) r |= ~a & ~b & c;
  if (lut & 0x04) r |= ~a & b & ~c;
  if (lut & 0x08) r |= ~a & b & c;
  if (lut & 0x10) r |= a & ~b & ~c;
  if (lut & 0x20) r |= a & ~b & c;
  if (lut & 0x40) r |= a & b & ~c;
  if (lut & 0x80) r |= a & b & c;
  return r;
}

template <class T>
WW_INLINE T shift_right(T a, u32 b) {
  constexpr u32 kBits = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>)
    return T(a >> (b < kBits ? b : kBits - 1));
  else
    return b < kBits ? T(a >> b) : T(0);
}

WW_INLINE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  u64 pool = u64(b) << 32 | a;
  u32 d = 0;
  for (int i = 0; i < 4; ++i) {
    u32 s = selector >> (4 * i);
    u32 byte = u32(pool >> (8 * (s & 7))) & 0xff;
    d |= (s & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * i);
  }
  return d;
}
/// The selector that a prmt mode stands for (PTX ISA, prmt, table of modes), n = c[1:0].
WW_INLINE u32 prmt_selector(PrmtMode mode, u32 n) {
  constexpr u32 kF4e[] = {0x3210, 0x4321, 0x5432, 0x6543}, kB4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr u32 kEcl[] = {0x3210, 0x3211, 0x3222, 0x3333}, kEcr[] = {0x0000, 0x1110, 0x2210, 0x3210};
  switch (mode.mode) {
    case Mod::f4e:
      return kF4e[n];
    case Mod::b4e:
      return kB4e[n];
    case Mod::rc8:
      return 0x1111 * n;
    case Mod::ecl:
      return kEcl[n];
    case Mod::ecr:
      return kEcr[n];
    default:
      return n & 1 ? 0x3232 : 0x1010;  // rc16
  }
}

// ---- comparison ----

template <class T>
WW_INLINE bool compare(Cmp cmp, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) unordered = a != a || b != b;
  switch (cmp.op) {
    case Mod::eq:
      return a == b;
    case Mod::ne:
      return !unordered && a != b;
    case Mod::lt:
    case Mod::lo:
      return a < b;
    case Mod::le:
    case Mod::ls:
      return a <= b;
    case Mod::gt:
    case Mod::hi:
      return a > b;
    case Mod::ge:
    case Mod::hs:
      return a >= b;
    case Mod::equ:
      return unordered || a == b;
    case Mod::neu:
      return a != b;
    case Mod::ltu:
      return !(a >= b);
    case Mod::leu:
      return !(a > b);
    case Mod::gtu:
      return !(a <= b);
    case Mod::geu:
      return !(a < b);
    case Mod::num:
      return !unordered;
    default:
      return unordered;  // nan
  }
}
WW_INLINE bool combine(Logic op, bool r, bool c) {
  return op.op == Mod::and_ ? r && c : op.op == Mod::or_ ? r || c : r != c;
}
template <class D>
WW_INLINE D truth(bool r) {
  if constexpr (std::is_same_v<D, f32>)
    return r ? 1.0f : 0.0f;
  else if constexpr (std::is_same_v<D, f16>)
    return {u16(r ? 0x3c00 : 0)};
  else if constexpr (std::is_same_v<D, bf16>)
    return {u16(r ? 0x3f80 : 0)};
  else
    return D(r ? ~u32(0) : 0);
}

// ---- floating ----

template <class T>
WW_INLINE T fused(T a, T b, T c) {
  return std::fma(a, b, c);
}

WW_INLINE f32 flush(f32 v) {
  u32 bits = std::bit_cast<u32>(v);
  return std::bit_cast<f32>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
// .ftz takes a result for too small when it is so after rounding to its precision with an unbounded exponent,
// not only when the rounded result is subnormal (observed on an H200: docs/conformance.md). The same
// operation 2^32 times larger tells: it does not reach the subnormals. Where it overflows it tells nothing
// (with .rz the largest numbers may cancel), but there the result itself is not small.
inline constexpr f32 kScaleUp = 0x1p32f;
WW_INLINE f32 flush_tiny(f32 v, f32 scaled_up, Ftz ftz) {
  return ftz && std::fabs(v) <= 0x1p-126f && std::fabs(scaled_up) < 0x1p-94f ? std::copysign(0.0f, v) : v;
}
WW_INLINE f32 fused(f32 a, f32 b, f32 c, Ftz ftz) {
  f32 d = std::fma(a, b, c);
  return ftz ? flush_tiny(d, std::fma(a * kScaleUp, b, c * kScaleUp), ftz) : d;
}

/// f32 NaN results are 0x7fffffff. f64 keeps what IEEE arithmetic delivers.
WW_INLINE f32 canonical(f32 v) { return v != v ? std::bit_cast<f32>(0x7fffffffu) : v; }
WW_INLINE f64 canonical(f64 v) { return v; }
/// .sat: to [0, 1], NaN to +0.
template <class T>
WW_INLINE T saturate01(T v) {
  return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
}

// IEEE 754-2008 minNum / maxNum with -0 < +0; the .NaN forms deliver NaN when either is.
template <class T>
WW_INLINE T minimum_number(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
WW_INLINE T maximum_number(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  return a > b || (a == b && std::signbit(b)) ? a : b;
}
template <class T>
WW_INLINE T minimum(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : minimum_number(a, b);
}
template <class T>
WW_INLINE T maximum(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : maximum_number(a, b);
}

/// div.approx: for |b| in (2^126, 2^128) the result is 0 (or NaN for infinite a), as the manual says.
WW_INLINE f32 divide_approx(f32 a, f32 b) {
  f32 m = std::fabs(b);
  if (m > 0x1p126f && m < std::numeric_limits<f32>::infinity())
    return std::isinf(a) || a != a ? std::numeric_limits<f32>::quiet_NaN()
                                   : std::copysign(0.0f, a * (b > 0 ? 1.0f : -1.0f));
  return a / b;
}
/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper 32 bits and deliver zero lower bits.
WW_INLINE f64 top_half(f64 v) { return std::bit_cast<f64>(std::bit_cast<u64>(v) & 0xffffffff00000000u); }
WW_INLINE f64 flush(f64 v) {
  u64 bits = std::bit_cast<u64>(v);
  return std::bit_cast<f64>((bits & 0x7ff0000000000000u) == 0 ? bits & 0x8000000000000000u : bits);
}
WW_INLINE f64 rcp_top_half(f64 a) { return flush(top_half(1.0 / flush(top_half(a)))); }
WW_INLINE f64 rsqrt_top_half(f64 a) { return flush(top_half(1.0 / std::sqrt(flush(top_half(a))))); }

template <class T>
WW_INLINE Pred test_property(T a, TestOp op) {
  bool nan = a != a, inf = std::fabs(a) == std::numeric_limits<T>::infinity();
  bool subnormal = a != 0 && std::fabs(a) < std::numeric_limits<T>::min();
  switch (op.op) {
    case Mod::finite:
      return {!nan && !inf};
    case Mod::infinite:
      return {inf};
    case Mod::number:
      return {!nan};
    case Mod::notanumber:
      return {nan};
    case Mod::normal:
      return {!nan && !inf && !subnormal};  // zeros count as normal (PTX ISA, testp)
    default:
      return {subnormal};
  }
}

}  // namespace
}  // namespace ww::lane
