// What a row's parameters and result are in a loop over lanes: where each lane of an operand comes from, and
// where its result goes.
//
// As expand.h, compiled once for each CPU.
#pragma once

#include "engine/lanes/lanes.h"
#include "isa/lane.h"
#include "isa/lane_convert.h"
#include "isa/lane_directed.h"
#include "isa/lane_exponential.h"
#include "isa/lane_fp8.h"
#include "isa/lane_half.h"
#include "isa/lane_integer.h"
#include "isa/lane_trigonometric.h"

namespace ww::lane {
namespace {

using engine::Handler;
using engine::Inst;
using engine::kLanes;
using engine::LaneKey;
using engine::next_of;
using engine::Warp;
using isa::Type;

// ---- which modifiers a notation has ----

struct Features {
  bool ftz = false, sat = false, compare = false;
};
constexpr bool contains(std::string_view text, std::string_view what) { return text.find(what) != text.npos; }
constexpr Features features_of(std::string_view notation) {
  return {contains(notation, "{.ftz}"), contains(notation, "{.sat}"),
          contains(notation, ".icmp") || contains(notation, ".fcmp")};
}

template <class Row>
constexpr Features kFeatures = features_of(Row::notation);

template <Type... T>
struct Types {};

// clang-format off
template <Type T> struct CppOf;
template <> struct CppOf<Type::pred> { using type = Pred; };
template <> struct CppOf<Type::b16> { using type = u16; };
template <> struct CppOf<Type::b32> { using type = u32; };
template <> struct CppOf<Type::b64> { using type = u64; };
template <> struct CppOf<Type::u8> { using type = u8; };
template <> struct CppOf<Type::u16> { using type = u16; };
template <> struct CppOf<Type::u32> { using type = u32; };
template <> struct CppOf<Type::u64> { using type = u64; };
template <> struct CppOf<Type::s8> { using type = s8; };
template <> struct CppOf<Type::s16> { using type = s16; };
template <> struct CppOf<Type::s32> { using type = s32; };
template <> struct CppOf<Type::s64> { using type = s64; };
template <> struct CppOf<Type::f16> { using type = f16; };
template <> struct CppOf<Type::bf16> { using type = bf16; };
template <> struct CppOf<Type::f32> { using type = f32; };
template <> struct CppOf<Type::f64> { using type = f64; };
template <> struct CppOf<Type::u16x2> { using type = u16x2; };
template <> struct CppOf<Type::s16x2> { using type = s16x2; };
template <> struct CppOf<Type::f16x2> { using type = f16x2; };
template <> struct CppOf<Type::bf16x2> { using type = bf16x2; };
template <> struct CppOf<Type::f32x2> { using type = f32x2; };
template <> struct CppOf<Type::e4m3x2> { using type = e4m3x2; };
template <> struct CppOf<Type::e5m2x2> { using type = e5m2x2; };
template <> struct CppOf<Type::e2m1x2> { using type = e2m1x2; };
template <> struct CppOf<Type::e2m3x2> { using type = e2m3x2; };
template <> struct CppOf<Type::e3m2x2> { using type = e3m2x2; };
template <> struct CppOf<Type::ue8m0x2> { using type = ue8m0x2; };
// clang-format on
template <Type T>
using Cpp = typename CppOf<T>::type;

// ---- what one instantiation is specialised for ----

struct Spec {
  bool ftz = false, sat = false;
  bool flags_known = true;   ///< ftz and sat are as above; otherwise the instruction's flags are read
  Mod cmp = Mod::none;       ///< the comparison; none: the instruction's is read
  bool rounding_rn = false;  ///< the rounding is .rn; otherwise the instruction's is read
  bool directed = false;     ///< and is not .rn
};

// clang-format off
template <Spec S> WW_INLINE bool ftz_of(const Inst* i) { return S.flags_known ? S.ftz : i->ftz; }
template <Spec S> WW_INLINE bool sat_of(const Inst* i) { return S.flags_known ? S.sat : i->sat; }
// clang-format on

// ---- operands: how lane l of a parameter is obtained ----

// clang-format off
template <class A> inline constexpr bool kIsOperand = true;
template <> inline constexpr bool kIsOperand<Cmp> = false;
template <> inline constexpr bool kIsOperand<Logic> = false;
template <> inline constexpr bool kIsOperand<TestOp> = false;
template <> inline constexpr bool kIsOperand<Rounding> = false;
template <> inline constexpr bool kIsOperand<PrmtMode> = false;
template <> inline constexpr bool kIsOperand<Clamp> = false;
template <> inline constexpr bool kIsOperand<Relu> = false;
template <> inline constexpr bool kIsOperand<Ftz> = false;
template <> inline constexpr bool kIsOperand<HalfMods> = false;
template <> inline constexpr bool kIsOperand<Imm> = false;
template <> inline constexpr bool kIsOperand<Carry&> = false;
// clang-format on

template <Spec S, class A>
struct Fetch {
  const A* lanes;
  bool ftz;
  WW_INLINE Fetch(Warp& w, const Inst* i, int operand)
      : lanes(engine::slot<const A>(w, i->src[operand])), ftz(ftz_of<S>(i)) {}
  WW_INLINE A get(int l) const {
    if constexpr (std::is_same_v<A, f32>)
      return ftz ? flush(lanes[l]) : lanes[l];
    else
      return lanes[l];
  }
};
template <Spec S>
struct Fetch<S, Pred> {
  u32 mask;
  WW_INLINE Fetch(Warp& w, const Inst* i, int operand)
      : mask(*engine::slot<const u32>(w, i->src[operand]) ^ (i->negate_pred ? ~u32(0) : 0)) {}
  WW_INLINE Pred get(int l) const { return {(mask >> l & 1) != 0}; }
};
// A parameter that is the same for all lanes.
template <class A>
struct Same {
  A value;
  WW_INLINE A get(int) const { return value; }
};
template <Spec S>
struct Fetch<S, Cmp> : Same<Cmp> {
  WW_INLINE Fetch(Warp&, const Inst* i, int)
      : Same<Cmp>{{S.cmp != Mod::none ? S.cmp : static_cast<Mod>(i->cmp)}} {}
};
template <Spec S>
struct Fetch<S, Logic> : Same<Logic> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<Logic>{{static_cast<Mod>(i->mode)}} {}
};
template <Spec S>
struct Fetch<S, TestOp> : Same<TestOp> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<TestOp>{{static_cast<Mod>(i->mode)}} {}
};
template <Spec S>
struct Fetch<S, PrmtMode> : Same<PrmtMode> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<PrmtMode>{{static_cast<Mod>(i->mode)}} {}
};
template <Spec S>
struct Fetch<S, Rounding> : Same<Rounding> {
  WW_INLINE Fetch(Warp&, const Inst* i, int)
      : Same<Rounding>{S.rounding_rn ? Rounding{Mod::rn, true}
                       : S.directed  ? Rounding{static_cast<Mod>(i->rounding), false}
                                     : Rounding{static_cast<Mod>(i->rounding)}} {}
};
template <Spec S>
struct Fetch<S, Clamp> : Same<Clamp> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<Clamp>{{i->clamp != 0}} {}
};
template <Spec S>
struct Fetch<S, Relu> : Same<Relu> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<Relu>{{i->relu != 0}} {}
};
template <Spec S>
struct Fetch<S, Ftz> : Same<Ftz> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<Ftz>{{ftz_of<S>(i)}} {}
};
template <Spec S>
struct Fetch<S, HalfMods> : Same<HalfMods> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<HalfMods>{{ftz_of<S>(i), sat_of<S>(i), i->relu != 0}} {}
};
template <Spec S>
struct Fetch<S, Imm> : Same<Imm> {
  WW_INLINE Fetch(Warp&, const Inst* i, int) : Same<Imm>{{i->imm}} {}
};
template <Spec S>
struct Fetch<S, Carry&> {
  Warp& w;
  Carry flag[kLanes];
  WW_INLINE Fetch(Warp& warp, const Inst*, int) : w(warp) {
    for (int l = 0; l < kLanes; ++l) flag[l].bit = w.carry >> l & 1;
  }
  WW_INLINE ~Fetch() {
    u32 carry = 0;
    for (int l = 0; l < kLanes; ++l) carry |= flag[l].bit << l;
    w.carry = carry;
  }
  WW_INLINE Carry& get(int l) { return flag[l]; }
};

// ---- results ----

template <Spec S, class R>
struct Put {
  R* lanes;
  bool ftz, sat, any_nan = false;
  WW_INLINE Put(Warp& w, const Inst* i)
      : lanes(engine::slot<R>(w, i->dst)), ftz(ftz_of<S>(i)), sat(sat_of<S>(i)) {
#ifdef WW_BITCODE
    any_nan = i->any_nan;
#endif
  }
  WW_INLINE void put(int l, R v) {
    if constexpr (std::is_same_v<R, f32> || std::is_same_v<R, f64>) {
      if (sat) v = saturate01(v);
      if (!any_nan) v = canonical(v);
    }
    if constexpr (std::is_same_v<R, f32>) v = ftz ? flush(v) : v;
    if constexpr (std::is_same_v<R, f16> || std::is_same_v<R, bf16>)
      if (sat) v = narrow<R>(saturate01(to_float(v)), Rounding{Mod::rn});
    lanes[l] = v;
  }
};
template <Spec S>
struct Put<S, KeptNan<f32>> {
  f32* lanes;
  bool ftz, sat;
  WW_INLINE Put(Warp& w, const Inst* i)
      : lanes(engine::slot<f32>(w, i->dst)), ftz(ftz_of<S>(i)), sat(sat_of<S>(i)) {}
  WW_INLINE void put(int l, KeptNan<f32> v) {
    f32 kept = sat ? saturate01(v.value) : v.value;
    lanes[l] = ftz ? flush(kept) : kept;
  }
};
template <Spec S>
struct Put<S, Pred> {
  u32* to;
  u32 bits = 0;
  WW_INLINE Put(Warp& w, const Inst* i) : to(engine::slot<u32>(w, i->dst)) {}
#ifdef WW_BITCODE
  // One flag for each lane: LLVM makes a mask register of them.
  u8 flag[kLanes];
  bool by_flags = false;
  WW_INLINE void put(int l, Pred v) { flag[l] = v.value, by_flags = true; }
  WW_INLINE ~Put() { *to = by_flags ? bits_of(flag) : bits; }
#else
  WW_INLINE void put(int l, Pred v) { bits |= u32(v.value) << l; }
  WW_INLINE ~Put() { *to = bits; }
#endif
};
#ifdef WW_BITCODE
template <Spec S>
struct Put<S, PredPair> {
  u32 *to, *to2;
  u8 flag[kLanes], flag2[kLanes];
  WW_INLINE Put(Warp& w, const Inst* i)
      : to(engine::slot<u32>(w, i->dst)), to2(i->dst2_used ? engine::slot<u32>(w, i->dst2) : nullptr) {}
  WW_INLINE void put(int l, PredPair v) { flag[l] = v.p, flag2[l] = v.q; }
  WW_INLINE ~Put() {
    *to = bits_of(flag);
    if (to2) *to2 = bits_of(flag2);
  }
};
#else
template <Spec S>
struct Put<S, PredPair> {
  u32 *to, *to2;
  u32 bits = 0, bits2 = 0;
  WW_INLINE Put(Warp& w, const Inst* i)
      : to(engine::slot<u32>(w, i->dst)), to2(i->dst2_used ? engine::slot<u32>(w, i->dst2) : nullptr) {}
  WW_INLINE void put(int l, PredPair v) {
    bits |= u32(v.p) << l;
    bits2 |= u32(v.q) << l;
  }
  WW_INLINE ~Put() {
    *to = bits;
    if (to2) *to2 = bits2;
  }
};
#endif
template <Spec S, class T>
struct Put<S, WithPred<T>> {
  T* lanes;
  u32* to2;
  u32 bits2 = 0;
  WW_INLINE Put(Warp& w, const Inst* i)
      : lanes(engine::slot<T>(w, i->dst)), to2(i->dst2_used ? engine::slot<u32>(w, i->dst2) : nullptr) {}
  WW_INLINE void put(int l, WithPred<T> v) {
    lanes[l] = v.d;
    bits2 |= u32(v.p) << l;
  }
  WW_INLINE ~Put() {
    if (to2) *to2 = bits2;
  }
};

}  // namespace
}  // namespace ww::lane
