// Turns the LANE rows of one chapter into handlers: a loop over 32 lanes around each lane function. Included
// by one file for each chapter, which defines WW_CHAPTER (the path of the rows) and WW_FIND (the name of the
// function that finds a handler; without it there are only the rows and the loops, for fused.cpp).
//
// Compiled once for each CPU with WW_TARGET as its name, so everything that is not a template of a local type
// sits in an unnamed namespace.
#pragma once

#include <utility>

#include "engine/lanes/operands.h"

namespace ww::lane {
namespace {

// ---- the loop ----

template <class T>
inline constexpr bool kOfHalves = std::is_same_v<T, f16> || std::is_same_v<T, f16x2>;

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
#if defined(WW_HALF_INSTRUCTIONS) && defined(__AVX512F__)
    // LLVM thinks that converting four at a time is cheapest.
    if constexpr (kOfHalves<R> || (kOfHalves<A> || ...)) {
#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave(disable)
      for (int l = 0; l < kLanes; ++l) out.put(l, Row::call(in.get(l)...));
      return;
    }
#endif
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
  // Flattened: what is constant in one loop often leaves little of a row that looks long.
  template <class... A>
  [[gnu::flatten]] WW_INLINE static auto call(A&&... a) {
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

template <class Signature>
constexpr bool kTakesRounding = false;
template <class F, class R, class... A>
constexpr bool kTakesRounding<R (F::*)(A...) const> = (std::is_same_v<A, Rounding> || ...);

template <class Row, class... T>
struct Bound : With<Row, T...> {
  static constexpr std::string_view notation() { return Row::notation; }
};

/// A loop for each combination of .ftz and .sat.
template <class W, Spec S>
constexpr Handler pick_arithmetic(const LaneKey& key) {
  constexpr auto with = [](bool ftz, bool sat) {
    Spec s = S;
    s.ftz = ftz, s.sat = sat;
    return s;
  };
  constexpr Spec s00 = with(false, false), s10 = with(true, false), s01 = with(false, true),
                 s11 = with(true, true);
  if (key.ftz) return key.sat ? handler<W, s11> : handler<W, s10>;
  return key.sat ? handler<W, s01> : handler<W, s00>;
}

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
    constexpr bool rounds = contains(Row::notation, "{.rnd}") && kTakesRounding<typename W::Signature>;
    if constexpr (rounds)
      if (key.directed) return pick_arithmetic<W, Spec{.directed = true}>(key);
    return pick_arithmetic<W, Spec{.rounding_rn = rounds}>(key);
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
    static_cast<void>(((key.type == T ? (found = pick_flags<Row, Cpp<T>>(key), true) : false) || ...));
  return found;
}
template <class Row, Type D, Type... A>
Handler pick_second(const LaneKey& key, Types<A...>) {
  Handler found = nullptr;
  static_cast<void>(((key.type2 == A ? (found = pick_flags<Row, Cpp<D>, Cpp<A>>(key), true) : false) || ...));
  return found;
}
template <class Row, Type... D, class Second>
Handler pick(const LaneKey& key, Types<D...>, Second second) {
  Handler found = nullptr;
  static_cast<void>(((key.type == D ? (found = pick_second<Row, D>(key, second), true) : false) || ...));
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
        key.ftz = k & 1, key.sat = k & 2, key.rounding_rn = key.directed = k & 4;
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
