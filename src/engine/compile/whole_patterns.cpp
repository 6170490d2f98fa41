// What follows from lane to lane: patterns go from special registers and constants through index arithmetic
// to addresses.
#include <algorithm>
#include <cstdlib>

#include "analysis/uses.h"
#include "engine/compile/whole_plan.h"

namespace ww::engine {

namespace {

using isa::Op;
using Lanes = WholeSlot::Lanes;
using StepKind = CompileStep::Kind;

constexpr int64_t kMostStride = 1 << 16;  // bytes or numbers from lane to lane; more is no pattern

struct Pattern {
  bool known = false;
  Lanes lanes = Lanes::Any;
  int64_t stride = 0;
};
constexpr Pattern kAny{true, Lanes::Any, 0};

Pattern with_stride(Lanes lanes, int64_t stride) {
  if (lanes == Lanes::Any || stride > kMostStride || stride < -kMostStride) return kAny;
  if (lanes == Lanes::Row && stride == 0) lanes = Lanes::Same;
  return {true, lanes, stride};
}

/// The weaker of two.
Lanes both(Lanes a, Lanes b) {
  if (a == Lanes::Any || b == Lanes::Any) return Lanes::Any;
  return std::max(a, b);
}
static_assert(Lanes::Same < Lanes::Row && Lanes::Row < Lanes::Even);

class Patterns {
 public:
  explicit Patterns(WholePlan& plan) : plan_(plan), f_(plan.function) {
    for (const std::vector<Inst>* code : {&f_.once, &f_.code})
      for (const Inst& i : *code)
        if (!plan_.is_access(i, AccessKey::Kind::Store)) {
          auto& [first, count] = writers_[plan_.is_sum(i) ? i.src[0] : i.dst];
          if (count++ == 0) first = &i;
        }
  }

  void find() {
    for (const auto& [offset, bytes] : f_.unwritten) meet(offset, {true, Lanes::Same, 0});
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst& i : f_.once) changed |= visit(i, nullptr);
      for (size_t k = 0; k < plan_.steps.size(); ++k) changed |= visit(f_.code[k], &plan_.steps[k]);
    }
  }

  void find_extension(const Inst& i, CompileStep& step) const {
    using Extends = CompileStep::Extends;
    const auto has_pattern = [](const Pattern& p) { return p.lanes == Lanes::Row || p.lanes == Lanes::Even; };
    if (step.kind == StepKind::Sum) {
      const Pattern index = pattern(i.src[1]), whole = pattern(i.src[0]);
      if (has_pattern(whole) && index.stride != 0)
        step.extends = plan_.sum_of(i).index_signed ? Extends::Signed : Extends::Unsigned;
      return;
    }
    if (step.kind != StepKind::Row) return;
    const ir::Instruction* in = plan_.instruction(i);
    const Pattern to = pattern(i.dst), from = pattern(i.src[0]);
    if (in && (in->op == Op::shr || in->op == Op::and_) && from.stride != 0 && to.lanes != Lanes::Any)
      step.extends = Extends::Verify;
    if (!in || !has_pattern(to) || in->op == Op::and_) return;
    if (in->op == Op::or_) {
      if (to.stride != 0) step.extends = Extends::Verify;
      return;
    }
    if (!has_pattern(from) || from.stride == 0) return;
    isa::Type type = in->type();
    if (in->op == Op::cvt_int) {
      type = in->type(isa::Slot::atype);
      if (isa::bits(type) != 32 || isa::bits(in->type(isa::Slot::dtype)) != 64) return;
    } else if (in->op != Op::mul_wide && in->op != Op::mad_wide) {
      return;
    }
    step.extends = isa::is_signed(type) ? Extends::Signed : Extends::Unsigned;
  }

 private:
  Pattern pattern(u32 offset) const {
    auto it = plan_.slots.find(offset);
    if (it == plan_.slots.end()) return kAny;
    if (!plan_.known.contains(offset)) return {};
    return {true, it->second.lanes, it->second.stride};
  }

  /// The slot gets this as well as what it had. Whether that is news.
  bool meet(u32 offset, const Pattern& v) {
    auto it = plan_.slots.find(offset);
    if (it == plan_.slots.end() || !v.known) return false;
    WholeSlot& s = it->second;
    const bool first = plan_.known.insert(offset).second;
    Lanes lanes = v.lanes;
    if (s.lane_bytes == 0 && lanes != Lanes::Same) lanes = Lanes::Any;
    if (s.lane_bytes != 0 && s.lane_bytes != 4 && s.lane_bytes != 8) lanes = Lanes::Any;
    if (!first) lanes = v.stride == s.stride ? both(lanes, s.lanes) : Lanes::Any;
    const int64_t stride = lanes == Lanes::Any ? 0 : v.stride;
    if (!first && lanes == s.lanes && stride == s.stride) return false;
    s.lanes = lanes;
    s.stride = static_cast<int32_t>(stride);
    return true;
  }

  bool visit(const Inst& i, const CompileStep* step) {
    if (step && (step->kind == StepKind::Nothing || step->kind == StepKind::Branch ||
                 step->kind == StepKind::Count || step->kind == StepKind::End))
      return false;
    if (step && step->kind == StepKind::Native) {
      bool changed = false;
      for (u32 n = 0; n < step->writes; ++n)
        changed |= write(i, *step, plan_.operands[step->operands + step->reads + n]);
      return changed;
    }
    const bool looks = step != nullptr;
    if (plan_.is_sum(i)) return meet(i.src[0], sum_pattern(i, looks));
    if (plan_.is_access(i, AccessKey::Kind::Store)) return false;
    if (plan_.is_access(i, AccessKey::Kind::Load) && (!step || step->kind == StepKind::Access)) {
      if (i.aux->access.elements == 1) return meet(i.dst, load_pattern(i, step));
      bool changed = false;
      for (u32 n = 0; n < i.aux->access.elements; ++n)
        if (i.aux->vector[n] != kSink) changed |= meet(i.aux->vector[n], load_pattern(i, step));
      return changed;
    }
    const bool away = step && (step->kind == StepKind::Other || step->kind == StepKind::Pause);
    bool changed = meet(i.dst, away ? kAny : row_pattern(i, looks));
    if (i.dst2_used) changed |= meet(i.dst2, kAny);
    const ir::Instruction* in = away ? plan_.instruction(i) : nullptr;
    if (in)
      analysis::each_definition(*f_.function, *in, [&](ir::RegId r) { changed |= meet(f_.slots[r], kAny); });
    return changed;
  }

  bool write(const Inst& i, const CompileStep& step, u32 offset) {
    return meet(offset, offset == i.dst ? collective_pattern(i, step) : kAny);
  }

  /// What all lanes together make of it.
  Pattern collective_pattern(const Inst& i, const CompileStep& step) const {
    constexpr Pattern kSame{true, Lanes::Same, 0};
    const auto same_if = [&](u32 offset) {
      const Pattern v = pattern(offset);
      return !v.known ? Pattern{} : v.lanes == Lanes::Same ? kSame : kAny;
    };
    switch (step.collective) {
      using enum CompileStep::Collective;
      case Active:
        return kSame;
      case Vote:
      case Ballot:
        return i.src[3] < kFrameStart ? kSame : same_if(i.src[3]);  // the members
      case Shuffle: {                                               // all take what one lane has
        int64_t segments = 0;
        return static_cast<isa::Mod>(i.mode) == isa::Mod::idx &&
                       plan_.constant(i.src[2], 4, false, segments) && (segments & 0x1f1f) == 0x1f
                   ? same_if(i.src[1])
                   : kAny;
      }
      default:
        return kAny;
    }
  }

  Pattern load_pattern(const Inst& i, const CompileStep* step) const {
    if (step && step->local) return kAny;  // each lane has its own
    const Pattern a = pattern(i.src[0]);
    if (!a.known) return {};
    if (i.guarded || a.lanes != Lanes::Same || of_warp_number(i.src[0], 8)) return kAny;
    return {true, Lanes::Same, 0};
  }

  /// Whether the number of a warp (a shift that the code looks at) is in it. What is loaded from there, as
  /// the row of a matrix for each warp, is where loops begin that lanes leave at different times: what they
  /// count with would be taken for rows, and lose its pattern where the lanes meet.
  bool of_warp_number(u32 offset, int depth) const {
    const auto [writer, count] = writer_of(offset);
    const ir::Instruction* in = count == 1 ? plan_.instruction(*writer) : nullptr;
    if (!in || depth == 0) return false;
    if (in->op == Op::shr && pattern(writer->src[0]).stride != 0) return true;
    for (u32 s : writer->src)
      if (s >= kFrameStart && s != offset && of_warp_number(s, depth - 1)) return true;
    if (plan_.is_sum(*writer))
      for (u32 n = 0; n < plan_.sum_of(*writer).count; ++n)
        if (of_warp_number(plan_.sum_of(*writer).bases[n], depth - 1)) return true;
    return false;
  }

  // `looks`: the code looks whether it is so. What is computed once, before the first block, has no code that
  // could.

  Pattern sum_pattern(const Inst& i, bool looks) const {
    const AddressSum& sum = plan_.sum_of(i);
    const Pattern index = pattern(i.src[1]);
    if (!index.known) return {};
    if (!looks && index.stride != 0 && !sum.index_signed && most(i.src[1]) > ~u32(0)) return kAny;
    return with_stride(index.lanes, index.stride * sum.scale);
  }

  Pattern row_pattern(const Inst& i, bool looks) const {
    const ir::Instruction* in = plan_.instruction(i);
    if (!in || i.guarded || in->guard != ir::kNone || i.dst2_used || carries_flag(*in) ||
        !is_index_arithmetic(in->op))
      return kAny;
    Pattern v[3];
    Lanes lanes = Lanes::Same;
    bool flat = true;
    for (int k = 0; k < 4; ++k) {
      if (i.src[k] < kFrameStart) continue;
      const Pattern x = pattern(i.src[k]);
      if (!x.known) return {};
      if (x.lanes == Lanes::Any || k == 3) return kAny;
      v[k] = x;
      lanes = both(lanes, x.lanes);
      flat &= x.stride == 0;
    }
    if (flat) return with_stride(lanes, 0);
    const int64_t a = v[0].stride, b = v[1].stride, c = v[2].stride;
    const int bits = isa::bits(in->type());
    // Steps that only fit an operand to its register's width are not the instruction itself.
    const int from_bits = in->op == Op::cvt_int ? isa::bits(in->type(isa::Slot::atype)) : bits;
    const int to_bits = in->op == Op::cvt_int ? isa::bits(in->type(isa::Slot::dtype))
                        : in->op == Op::mul_wide || in->op == Op::mad_wide ? 2 * bits
                                                                           : bits;
    if (i.dst_bytes * 8 != to_bits || !of_width(i.src[0], from_bits) || from_bits < 32) return kAny;
    const auto even = [&](int64_t stride) { return with_stride(lanes, stride); };
    const auto product = [&](int64_t& out) {
      int64_t factor = 0;
      const bool sign = isa::is_signed(in->type());
      if (a == 0 && b == 0) {
        out = 0;
      } else if (b == 0 && plan_.constant(i.src[1], bits / 8, sign, factor) &&
                 std::abs(factor) <= kMostStride) {
        out = a * factor;
      } else {
        return false;
      }
      return true;
    };
    if (!looks && to_bits > from_bits && a != 0 &&
        !isa::is_signed(in->op == Op::cvt_int ? in->type(isa::Slot::atype) : in->type()) &&
        most(i.src[0]) > ~u32(0))
      return kAny;
    if (!looks && (in->op == Op::or_ || in->op == Op::and_ || in->op == Op::shr) &&
        !starts_row(i.src[a == 0]))
      return kAny;
    int64_t p = 0;
    switch (in->op) {
      case Op::add_int:
        return even(a + b);
      case Op::sub_int:
        return even(a - b);
      case Op::cvta:
      case Op::cvta_to:
      case Op::mov:
        return even(a);
      case Op::neg_int:
        return even(-a);
      case Op::mul_lo:
        return product(p) ? even(p) : kAny;
      case Op::mad_lo:
        return product(p) ? even(p + c) : kAny;
      case Op::mul_wide:
        return bits == 32 && product(p) ? even(p) : kAny;
      case Op::mad_wide:
        return bits == 32 && product(p) ? even(p + c) : kAny;
      case Op::or_:
        return with_stride(likely_even(i, lanes), a + b);
      case Op::and_:
        return masked_pattern(i, lanes);
      case Op::shl:
        return b == 0 && plan_.constant(i.src[1], 4, false, p) && p < 16 ? even(a * (int64_t{1} << p)) : kAny;
      case Op::shr: {  // the number of a warp, or of half of one: the code looks
        if (bits != 32 || a != 1 || b != 0 || !plan_.constant(i.src[1], 4, false, p) || p < 4) return kAny;
        return lanes == Lanes::Row && p >= 5 ? with_stride(Lanes::Same, 0) : with_stride(Lanes::Even, 0);
      }
      case Op::cvt_int:
        return to_bits >= 32 ? even(a) : kAny;
      default:
        return kAny;
    }
  }

  /// The first instruction that writes a slot, and how many do. (What nothing writes is a special register.)
  std::pair<const Inst*, u32> writer_of(u32 offset) const {
    const auto it = writers_.find(offset);
    return it == writers_.end() ? std::pair<const Inst*, u32>{} : it->second;
  }

  /// The most that a slot can hold, as far as what writes it shows; beyond 32 bits: that is not known.
  u64 most(u32 offset) const {
    constexpr u64 kUnknown = ~u64(0), kThreads = 1024;
    const auto [writer, count] = writer_of(offset);
    if (count == 0 && pattern(offset).stride == 1) return kThreads - 1;  // %tid.x or %laneid
    const ir::Instruction* in = count == 1 ? plan_.instruction(*writer) : nullptr;
    if (!in || in->guard != ir::kNone) return kUnknown;
    if (in->op == Op::mov) return most(writer->src[0]);
    int64_t v = 0;
    if (!plan_.constant(writer->src[1], 4, true, v) || v < 0 || v > kMostStride) return kUnknown;
    const u64 before = most(writer->src[0]), by = static_cast<u64>(v);
    if (before > ~u32(0)) return kUnknown;
    switch (in->op) {
      case Op::and_:
        return std::min(before, by);
      case Op::add_int:
        return before + by;
      case Op::mul_lo:
        return before * by;
      case Op::shl:
        return by < 32 ? before << by : kUnknown;
      case Op::shr:  // with a sign, too
        return by < 32 && before <= ~u32(0) >> 1 ? before >> by : kUnknown;
      default:
        return kUnknown;
    }
  }

  /// Whether a row begins where numbers from which it must not run on do: at a multiple of 32 (or 16, for
  /// half-warps).
  bool starts_row(u32 offset) const {
    const auto [writer, count] = writer_of(offset);
    if (count == 0) return true;
    const ir::Instruction* in = count == 1 ? plan_.instruction(*writer) : nullptr;
    if (!in || in->guard != ir::kNone) return false;
    int64_t by = 0;
    switch (in->op) {
      case Op::mov:
      case Op::and_:
        return starts_row(writer->src[0]);
      case Op::shl:  // of so much more
        return plan_.constant(writer->src[1], 4, false, by) && starts_row(writer->src[0]);
      case Op::add_int:  // of nothing: what a division of numbers with a sign adds to negative ones
        return most(writer->src[1]) == 0 && starts_row(writer->src[0]);
      default:
        return false;
    }
  }

  /// Low bits that are zero in what the slot holds, as far as the instruction that writes it shows.
  int low_zeros(u32 offset) const {
    int64_t v = 0;
    if (plan_.constant(offset, 4, false, v)) return v ? __builtin_ctzll(static_cast<u64>(v)) : 0;
    const auto [writer, count] = writer_of(offset);
    if (count > 1) return 0;
    const ir::Instruction* in = writer ? plan_.instruction(*writer) : nullptr;
    if (!in || !plan_.constant(writer->src[1], 4, false, v)) return 0;
    if (in->op == Op::shl) return static_cast<int>(std::min<int64_t>(v, 63));
    return in->op == Op::mul_lo && v ? __builtin_ctzll(static_cast<u64>(v)) : 0;
  }

  /// Compilers write remainders and quotients by powers of two, and multiples of those, as `and`: of lanes
  /// 2^s apart that begin at a multiple of 32 (or 16) of that, it keeps what differs in a whole warp (or half
  /// of one), or nothing of it. The code looks.
  Pattern masked_pattern(const Inst& i, Lanes lanes) const {
    const int64_t stride = pattern(i.src[0]).stride;
    int64_t mask = 0;
    if (!plain_words(i) || !plan_.constant(i.src[1], 4, false, mask) || stride <= 0 || stride & (stride - 1))
      return kAny;
    constexpr int64_t kOfHalf = kLanes / 2 - 1, kOfWarp = kLanes - 1;
    const int64_t kept = mask / stride;
    const bool all = (kept & kOfHalf) == kOfHalf;
    if (!all && (kept & kOfHalf) != 0) return kAny;
    if ((kept & kOfWarp) != (all ? kOfWarp : 0)) lanes = both(lanes, Lanes::Even);
    return with_stride(lanes, all ? stride : 0);
  }

  /// The same of sums without carries, which they write as `or`.
  Lanes likely_even(const Inst& i, Lanes lanes) const {
    const int64_t a = pattern(i.src[0]).stride, b = pattern(i.src[1]).stride;
    if (!plain_words(i) || (a != 0 && b != 0)) return Lanes::Any;
    const auto apart = static_cast<u64>(std::abs(a + b));
    const int free = low_zeros(a == 0 ? i.src[0] : i.src[1]) - (apart ? __builtin_ctzll(apart) : 0);
    return free >= 5 ? lanes : free >= 4 ? both(lanes, Lanes::Even) : Lanes::Any;
  }

  bool plain_words(const Inst& i) const {
    return i.dst_bytes == 4 && of_width(i.src[0], 32) && of_width(i.src[1], 32);
  }

  bool of_width(u32 offset, int bits) const {
    const WholeSlot& s = plan_.slots.at(offset);
    return s.from == WholeSlot::From::Constant || s.lane_bytes * 8 == bits;
  }

  WholePlan& plan_;
  const FunctionCode& f_;
  std::map<u32, std::pair<const Inst*, u32>> writers_;
};

}  // namespace

bool is_index_arithmetic(Op op) {
  switch (op) {
    case Op::add_int:
    case Op::sub_int:
    case Op::mul_lo:
    case Op::mad_lo:
    case Op::mul_wide:
    case Op::mad_wide:
    case Op::neg_int:
    case Op::min_int:
    case Op::max_int:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::not_:
    case Op::shl:
    case Op::shr:
    case Op::mov:
    case Op::cvt_int:
    case Op::cvta:
    case Op::cvta_to:
    case Op::setp_int:
      return true;
    default:
      return false;
  }
}

void find_patterns(WholePlan& plan) { Patterns(plan).find(); }

void find_extensions(WholePlan& plan) {
  const Patterns patterns(plan);
  for (size_t k = 0; k < plan.steps.size(); ++k)
    patterns.find_extension(plan.function.code[k], plan.steps[k]);
}

}  // namespace ww::engine
