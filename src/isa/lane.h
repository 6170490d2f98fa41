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
struct f32x2 {
  u64 bits;
};

/// A predicate of one lane.
struct Pred {
  bool value;
  WW_INLINE operator bool() const { return value; }
};
#ifdef WW_BITCODE
/// One bit for each of 32 flags.
WW_INLINE u32 bits_of(const u8* flags) {
  using Bytes [[gnu::vector_size(32)]] = u8;
  typedef bool Bits __attribute__((ext_vector_type(32)));
  Bytes bytes;
  __builtin_memcpy(&bytes, flags, 32);
  return __builtin_bit_cast(u32, __builtin_convertvector(bytes != 0, Bits));
}
#endif
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
  bool nearest = mode == Mod::rn || mode == Mod::none;
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
/// The carry flag of one lane: 0 or 1, as wide as most operands that it is added to (one vector holds it).
struct Carry {
  u32 bit = 0;
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

/// Applies f to the first elements of the pairs, and to the second ones, each as the same operation on f32
/// does.
template <class F, class... A>
WW_INLINE f32x2 each_of_two(Ftz ftz, F f, A... pairs) {
  const auto one = [&](int shift) -> u64 {
    const auto element = [&](f32x2 pair) {
      const f32 v = std::bit_cast<f32>(u32(pair.bits >> shift));
      return ftz ? flush(v) : v;
    };
    const f32 d = canonical(f(element(pairs)...));
    return std::bit_cast<u32>(ftz ? flush(d) : d);
  };
  return {one(32) << 32 | one(0)};
}
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
