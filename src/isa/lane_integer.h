// Integers, logic and shifts. Belongs to isa/lane.h, which says how this code is compiled.
#pragma once

#include "isa/lane.h"

namespace ww::lane {
namespace {

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

/// a / b for b that is not 0, nor -1. Up to 32 bits by float64, which vector units divide: the quotient of
/// two 32-bit integers is at least 1 / b away from the next integer that it is not, and rounded by less than
/// 2^-20 / b, so that what is cut off is right.
template <class T>
WW_INLINE T quotient(T a, T b) {
  if constexpr (sizeof(T) <= 4)
    return T(f64(a) / f64(b));
  else
    return T(a / b);
}
/// What a division by b can do with in its place, and its result is not looked at.
template <class T>
WW_INLINE T usual_divisor(T b) {
  if constexpr (std::is_signed_v<T>) return b == 0 || b == T(-1) ? T(1) : b;
  return b == 0 ? T(1) : b;
}

template <class T>
WW_INLINE T divide(T a, T b) {
  const T q = quotient(a, usual_divisor(b));
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return wrap_sub(T(0), a);
  return b == 0 ? T(~T(0)) : q;
}
template <class T>
WW_INLINE T remainder_of(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    const T q = quotient(a, usual_divisor(b));
    const T rest = wrap_sub(a, wrap_mul(q, b));
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return b == 0 ? T(~T(0)) : rest;
  } else {
    if (b == 0) return T(~T(0));
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return T(a % b);
  }
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
WW_INLINE T add_with_carry(T a, T b, u32 in, Carry& out) {
  using U = std::make_unsigned_t<T>;
  U first = U(a) + U(b), sum = first + U(in);
  out.bit = u32(first < U(a)) | u32(sum < first);
  return T(sum);
}
/// As GPUs subtract: a + ~b + carry, whose carry is 1 where nothing is borrowed.
template <class T>
WW_INLINE T sub_with_carry(T a, T b, u32 in, Carry& out) {
  return add_with_carry(a, T(~b), in, out);
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

}  // namespace
}  // namespace ww::lane
