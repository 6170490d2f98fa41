// Turns the LANE rows of one chapter into handlers: a loop over 32 lanes around each lane function. Included
// by one file for each chapter, which defines WW_CHAPTER (the path of the rows) and WW_FIND (the name of the
// function that finds a handler; without it there are only the rows and the loops, for fused.cpp).
//
// Compiled once for each CPU with WW_TARGET as its name, so everything that is not a template of a local type
// sits in an unnamed namespace.
#pragma once

#include <utility>

#include "engine/lanes/lanes.h"
#include "isa/lane.h"
#include "isa/lane_convert.h"
#include "isa/lane_fp8.h"
#include "isa/lane_half.h"
#include "isa/lane_integer.h"

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
      : Same<Rounding>{{S.rounding_rn ? Mod::rn : static_cast<Mod>(i->rounding)}} {}
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
    for (int l = 0; l < kLanes; ++l) carry |= u32(flag[l].bit) << l;
    w.carry = carry;
  }
  WW_INLINE Carry& get(int l) { return flag[l]; }
};

// ---- results ----

template <Spec S, class R>
struct Put {
  R* lanes;
  bool ftz, sat;
  WW_INLINE Put(Warp& w, const Inst* i)
      : lanes(engine::slot<R>(w, i->dst)), ftz(ftz_of<S>(i)), sat(sat_of<S>(i)) {}
  WW_INLINE void put(int l, R v) {
    if constexpr (std::is_same_v<R, f32> || std::is_same_v<R, f64>) {
      if (sat) v = saturate01(v);
      v = canonical(v);
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

// ---- the loop ----

template <class Row, Spec S, class Signature>
struct Loop;
template <class Row, Spec S, class F, class R, class... A>
struct Loop<Row, S, R (F::*)(A...) const> {
  template <size_t K>
  static constexpr int operand_index() {
    constexpr bool is_operand[] = {kIsOperand<A>...};
    int n = 0;
    for (size_t k = 0; k < K; ++k) n += is_operand[k];
    return n;
  }
  template <size_t... K>
  WW_INLINE static void run_with(Warp& w, const Inst* i, std::index_sequence<K...>) {
    [&](Fetch<S, A>... in) {
      Put<S, R> out(w, i);
      lanes_of(out, in...);
    }(Fetch<S, A>(w, i, operand_index<K>())...);
  }
  template <class... P>
  WW_INLINE static void lanes_of(Put<S, R>& out, P&... in) {
    if constexpr (std::is_same_v<R, Pred> && sizeof...(A) <= 3 && (std::is_same_v<A, Pred> && ...)) {
      // Of truth values alone: all lanes at once, by the function's table.
      constexpr unsigned kAll = 1u << sizeof...(A);
      for (unsigned row = 0; row < kAll; ++row)
        out.bits |= table_row(row, std::index_sequence_for<A...>{}, in...);
      return;
    }
    WW_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) out.put(l, Row::call(in.get(l)...));
  }
  /// The lanes whose operands are the bits of `row`, if the function is true for these.
  template <size_t... K, class... P>
  WW_INLINE static u32 table_row(unsigned row, std::index_sequence<K...>, P&... in) {
    if (!Row::call(Pred{(row >> K & 1) != 0}...).value) return 0;
    return (~u32(0) & ... & (row >> K & 1 ? in.mask : ~in.mask));
  }
  static const Inst* run(Warp& w, const Inst* i) {
    run_with(w, i, std::index_sequence_for<A...>{});
    return next_of(i);
  }
};

// A row's function for given types, as a type with `fn` of one plain signature.
template <class Row, class... T>
struct With {
  using Lambda = std::remove_cvref_t<decltype(Row::fn)>;
  static constexpr auto signature() {
    if constexpr (sizeof...(T) == 0)
      return &Lambda::operator();
    else
      return &Lambda::template operator()<T...>;
  }
  using Signature = decltype(signature());
  template <class... A>
  WW_INLINE static auto call(A&&... a) {
    if constexpr (sizeof...(T) == 0)
      return Row::fn(std::forward<A>(a)...);
    else
      return Row::fn.template operator()<T...>(std::forward<A>(a)...);
  }
};

template <class W, Spec S>
constexpr Handler handler = &Loop<W, S, typename W::Signature>::run;

template <class W, Spec S>
constexpr Handler pick_compare(const LaneKey& key) {
#define WW_CMP(op)                                                         \
  case Mod::op: {                                                          \
    constexpr Spec s{S.ftz, S.sat, S.flags_known, Mod::op, S.rounding_rn}; \
    return handler<W, s>;                                                  \
  }
  // clang-format off
  if constexpr (contains(W::notation(), ".icmp")) {
    switch (key.cmp) {
      WW_CMP(eq) WW_CMP(ne) WW_CMP(lt) WW_CMP(le) WW_CMP(gt) WW_CMP(ge) WW_CMP(lo) WW_CMP(ls) WW_CMP(hi) WW_CMP(hs)
      default: return nullptr;
    }
  } else {
    switch (key.cmp) {
      WW_CMP(eq) WW_CMP(ne) WW_CMP(lt) WW_CMP(le) WW_CMP(gt) WW_CMP(ge) WW_CMP(equ) WW_CMP(neu) WW_CMP(ltu) WW_CMP(leu)
      WW_CMP(gtu) WW_CMP(geu) WW_CMP(num) WW_CMP(isnan)
      default: return nullptr;
    }
  }
  // clang-format on
#undef WW_CMP
}

template <class Row, class... T>
struct Bound : With<Row, T...> {
  static constexpr std::string_view notation() { return Row::notation; }
};

template <class Row, class... T>
constexpr Handler pick_flags(const LaneKey& key) {
  using W = Bound<Row, T...>;
  constexpr Features f = kFeatures<Row>;
  if constexpr (f.compare) {
    // Only the plain setp is frequent enough for a loop of its own for each comparison.
    constexpr Spec s{false, false, !f.ftz, Mod::none, false};
    if constexpr (sizeof...(T) == 1 && (std::is_arithmetic_v<T> && ...) && !contains(Row::notation, ".logic"))
      return pick_compare<W, s>(key);
    else
      return handler<W, s>;
  } else if constexpr (sizeof...(T) == 1 &&
                       (f.ftz || f.sat)) {  // f32 arithmetic: worth a loop for each combination
    constexpr Spec s00{}, s10{true, false}, s01{false, true}, s11{true, true};
    if (key.ftz) return key.sat ? handler<W, s11> : handler<W, s10>;
    return key.sat ? handler<W, s01> : handler<W, s00>;
  } else if constexpr (contains(Row::notation, "rnd") && (f.ftz || f.sat)) {
    constexpr Spec known{false, false, true, Mod::none, true}, read{false, false, false, Mod::none, false};
    return key.rounding_rn && !key.ftz && !key.sat ? handler<W, known> : handler<W, read>;
  } else {
    return handler<W, Spec{}>;
  }
}

// One type list: find the type, then the flags.
template <class Row, Type... T>
Handler pick(const LaneKey& key, Types<T...>) {
  Handler found = nullptr;
  if constexpr (sizeof...(T) == 0)
    found = pick_flags<Row>(key);
  else
    ((key.type == T ? (found = pick_flags<Row, Cpp<T>>(key), true) : false) || ...);
  return found;
}
template <class Row, Type D, Type... A>
Handler pick_second(const LaneKey& key, Types<A...>) {
  Handler found = nullptr;
  ((key.type2 == A ? (found = pick_flags<Row, Cpp<D>, Cpp<A>>(key), true) : false) || ...);
  return found;
}
template <class Row, Type... D, class Second>
Handler pick(const LaneKey& key, Types<D...>, Second second) {
  Handler found = nullptr;
  ((key.type == D ? (found = pick_second<Row, D>(key, second), true) : false) || ...);
  return found;
}

// ---- all handlers of a chapter in one order: how the compiler knows which function of the bitcode one is
// ----

constexpr Mod kComparisons[] = {Mod::eq,  Mod::ne,  Mod::lt,  Mod::le,  Mod::gt,  Mod::ge,
                                Mod::lo,  Mod::ls,  Mod::hi,  Mod::hs,  Mod::equ, Mod::neu,
                                Mod::ltu, Mod::leu, Mod::gtu, Mod::geu, Mod::num, Mod::isnan};
/// How many handlers are listed for one row with given types, double ones included.
template <class Row>
constexpr size_t kListed = kFeatures<Row>.compare                     ? std::size(kComparisons)
                           : kFeatures<Row>.ftz || kFeatures<Row>.sat ? 8
                                                                      : 1;

struct Listing {
  Handler* to;
  template <class Row, class... T>
  constexpr void flags() {
    for (size_t k = 0; k < kListed<Row>; ++k) {
      LaneKey key;
      if (kFeatures<Row>.compare)
        key.cmp = kComparisons[k];
      else
        key.ftz = k & 1, key.sat = k & 2, key.rounding_rn = k & 4;
      *to++ = pick_flags<Row, T...>(key);
    }
  }
  template <class Row, Type... T>
  constexpr void row(Types<T...>) {
    if constexpr (sizeof...(T) == 0)
      flags<Row>();
    else
      (flags<Row, Cpp<T>>(), ...);
  }
  template <class Row, Type D, Type... A>
  constexpr void second(Types<A...>) {
    (flags<Row, Cpp<D>, Cpp<A>>(), ...);
  }
  template <class Row, Type... D, class Second>
  constexpr void row(Types<D...>, Second types) {
    (second<Row, D>(types), ...);
  }
};
template <class Row, Type... T>
constexpr size_t listed(Types<T...>) {
  return kListed<Row> * (sizeof...(T) == 0 ? 1 : sizeof...(T));
}
template <class Row, Type... D, Type... A>
constexpr size_t listed(Types<D...>, Types<A...>) {
  return kListed<Row> * sizeof...(D) * sizeof...(A);
}
template <size_t N>
struct Table {
  Handler all[N] = {};
};

}  // namespace

// ---- the rows of the chapter ----

#define WW_STRIP(...) __VA_ARGS__
#define CHAPTER(title)
#define SPECIAL(id, pipe, text, ...)
#define MISSING(id, text)
#define EFFECTS(...)

namespace {
namespace type_lists {
using enum isa::Type;
#define LANE(id, pipe, text, types, ...) using id = Types<WW_STRIP types>;
#define LANE2(id, pipe, text, dtypes, atypes, ...) \
  using id = Types<WW_STRIP dtypes>;               \
  using id##_second = Types<WW_STRIP atypes>;
#include WW_CHAPTER
#undef LANE
#undef LANE2
}  // namespace type_lists

namespace rows {
#define LANE(id, pipe, text, types, ...)               \
  struct id {                                          \
    static constexpr std::string_view notation = text; \
    static constexpr auto fn = [] __VA_ARGS__;         \
  };
#define LANE2(id, pipe, text, dtypes, atypes, ...) LANE(id, pipe, text, dtypes, __VA_ARGS__)
#include WW_CHAPTER
#undef LANE
#undef LANE2
}  // namespace rows
}  // namespace

#ifdef WW_FIND
namespace {
constexpr auto kTable = [] {
  constexpr size_t kCount = 0
#define LANE(id, pipe, text, types, ...) +listed<rows::id>(type_lists::id{})
#define LANE2(id, pipe, text, dtypes, atypes, ...) \
  +listed<rows::id>(type_lists::id{}, type_lists::id##_second{})
#include WW_CHAPTER
#undef LANE
#undef LANE2
      ;
  Table<kCount> table;
  Listing listing{table.all};
#define LANE(id, pipe, text, types, ...) listing.row<rows::id>(type_lists::id{});
#define LANE2(id, pipe, text, dtypes, atypes, ...) \
  listing.row<rows::id>(type_lists::id{}, type_lists::id##_second{});
#include WW_CHAPTER
#undef LANE
#undef LANE2
  return table;
}();
}  // namespace

#ifdef WW_BITCODE
extern "C" [[gnu::used]] constexpr auto ww_table = kTable;
#else
namespace WW_TARGET {
#define WW_JOIN2(a, b) a##b
#define WW_JOIN(a, b) WW_JOIN2(a, b)
extern const engine::HandlerTable WW_JOIN(WW_FIND, _table);
const engine::HandlerTable WW_JOIN(WW_FIND, _table){kTable.all, std::size(kTable.all)};

Handler WW_FIND(const LaneKey& key) {
  switch (key.op) {
#define LANE(id, pipe, text, types, ...) \
  case isa::Op::id:                      \
    return pick<rows::id>(key, type_lists::id{});
#define LANE2(id, pipe, text, dtypes, atypes, ...) \
  case isa::Op::id:                                \
    return pick<rows::id>(key, type_lists::id{}, type_lists::id##_second{});
#include WW_CHAPTER
#undef LANE
#undef LANE2
    default:
      return nullptr;
  }
}
}  // namespace WW_TARGET
#endif
#endif

#undef CHAPTER
#undef SPECIAL
#undef MISSING
#undef EFFECTS

}  // namespace ww::lane
