#include "engine/compile/whole_slots.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "analysis/uses.h"
#include "engine/compile/whole_live.h"
#include "engine/interpret/handlers.h"

namespace ww::engine {

namespace {

using isa::Op;

constexpr size_t kMostWhole = 600;        // more take long to compile, and the start of a warp matters less
constexpr int64_t kMostStride = 1 << 16;  // bytes or numbers from lane to lane; more is no pattern

/// Accesses that others may wait for or that must happen as often as they are written are left alone.
bool is_ordered(const ir::Instruction& in) {
  using isa::Mod, isa::Slot;
  for (Slot slot : {Slot::loadsem, Slot::storesem})
    for (Mod m : {Mod::relaxed, Mod::acquire, Mod::release, Mod::volatile_, Mod::mmio})
      if (in.mod(slot) == m) return true;
  return false;
}

bool carries_flag(const ir::Instruction& in) {
  const std::string_view name = in.form().mnemonic;
  return in.form().notation.find(".cc") != std::string_view::npos || name == "addc" || name == "subc" ||
         name == "madc";
}

/// Integer arithmetic that is worth computing once for all lanes, or is even where its operands are.
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

class WholePlanner {
  using StepKind = CompileStep::Kind;
  using From = WholeSlot::From;
  using Lanes = WholeSlot::Lanes;

 public:
  WholePlanner(const Program& program, const FunctionCode& function, const LaneCode& lanes,
               std::vector<CompileStep>& steps)
      : program_(program), f_(function), lanes_(lanes), steps_(steps) {}

  bool run(std::vector<WholeSlot>& slots) {
    if (f_.id != 0 || !f_.unwritten.empty() || f_.shadow || f_.code.empty() || f_.code.size() > kMostWhole)
      return false;
    find_loops();
    for (size_t k = 0; k < steps_.size(); ++k) steps_[k].kind = kind_of(k);
    if (steps_[0].kind == StepKind::Other || !find_slots()) return false;
    const std::map<u32, WholeSlot> slots_at_first = slots_;
    const std::set<u32> known_at_first = known_;
    find_patterns();
    for (size_t k = 0; k < steps_.size(); ++k) find_extension(f_.code[k], steps_[k]);
    for (const auto& [offset, s] : slots_) {
      slots.push_back(s);
      if (!known_.contains(offset)) slots.back().lanes = Lanes::Any;
      if (slots.back().lanes == Lanes::Any) slots.back().stride = 0;
    }
    // And once more for lanes that have parted: what some of them write has no pattern for those that wait.
    std::set<u32> uneven;
    for (size_t before = ~size_t(0); before != uneven.size();) {
      before = uneven.size();
      slots_ = slots_at_first, known_ = known_at_first;
      for (u32 offset : uneven) fixed_any(offset);
      find_patterns();
      find_uneven(uneven);
    }
    for (WholeSlot& s : slots) {
      const WholeSlot& parted = slots_.at(s.offset);
      s.uneven = !known_.contains(s.offset) || parted.lanes != s.lanes || parted.stride != s.stride;
    }
    return true;
  }

 private:
  void find_patterns() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst& i : f_.once) changed |= visit(i, nullptr);
      for (size_t k = 0; k < steps_.size(); ++k) changed |= visit(f_.code[k], &steps_[k]);
    }
  }

  const ir::Instruction* instruction(const Inst& i) const {
    return i.index < program_.infos.size() ? program_.infos[i.index].instruction : nullptr;
  }

  StepKind kind_of(size_t k) const {
    const Inst& i = f_.code[k];
    const Handler native = f_.plain[k];
    const Steps& s = lanes_.steps;
    if (native == join_point().full || native == s.forget || native == s.shift || native == s.shift_by)
      return StepKind::Nothing;
    if (native == lanes_.sum.full) return StepKind::Sum;
    if (native == s.count) return StepKind::Count;
    if (native == s.jump || native == s.branch) return StepKind::Branch;
    if (native == end_of_code().full) return StepKind::End;
    const ir::Instruction* in = instruction(i);
    if (!in) return StepKind::Other;
    if (in->op == Op::ret || in->op == Op::exit_) return StepKind::End;
    if (i.aux && i.masked && i.masked == lanes_.access(i.aux->access).masked) {
      const AccessKey& key = i.aux->access;
      if (key.elements == 1 && key.where != AccessKey::Where::Local && !is_ordered(*in))
        return StepKind::Access;
      return may_pause(*in, k) ? StepKind::Pause : StepKind::Other;
    }
    const auto accesses = static_cast<u32>(lanes_.tables.size() - 2);
    if (steps_[k].ways[0].table < accesses) return StepKind::Row;
    if (in->form().kind == isa::RowKind::Lane) return StepKind::Native;  // rounds in another direction
    return may_pause(*in, k) ? StepKind::Pause : StepKind::Other;
  }

  /// Whether the warp may carry on in this code behind what the native handler does: barriers, and outside of
  /// loops what all lanes do at once.
  bool may_pause(const ir::Instruction& in, size_t k) const {
    if (in.guard != ir::kNone || k + 1 >= f_.code.size()) return false;
    switch (in.op) {
      case Op::bar_sync:
      case Op::barrier_sync:
      case Op::bar_red:
      case Op::barrier_red:
      case Op::bar_red_popc:
      case Op::barrier_red_popc:
        return true;
      case Op::ld:
      case Op::ld_nc:
      case Op::st:
      case Op::atom:
      case Op::red:
      case Op::membar:
      case Op::fence:
        return !in_loop_[k];
      default:
        return false;
    }
  }

  /// Branches whose lanes may part, and what may be different in them when they meet again, or when those
  /// begin that go on later.
  void find_uneven(std::set<u32>& uneven) {
    for (const ir::Block& b : f_.function->blocks)
      for (const ir::Instruction& in : b.instructions)
        if (carries_flag(in)) return;
    std::vector<WholeSlot> slots;
    for (const auto& [offset, s] : slots_) slots.push_back(s);
    const auto count = static_cast<u32>(slots.size()), length = static_cast<u32>(f_.code.size());
    const auto live = live_slots(f_.code.data(), steps_.data(), length, slots.data(), count);
    for (u32 k = 0; k + 1 < length; ++k) {
      const Inst& i = f_.code[k];
      if (steps_[k].kind == StepKind::Branch && i.guarded && i.aux->join &&
          value(i.guard).lanes == Lanes::Any && i.aux->target != &i + 1)
        steps_[k].join = static_cast<u32>(i.aux->join - f_.code.data());
    }
    for (const Parting& p : find_partings(f_.code.data(), steps_.data(), length))
      for (u32 n : p.between)
        for (u32 slot : effects_of(f_.code[n], steps_[n], slots.data(), count).changed)
          if (live[p.join][slot] || live[p.other][slot]) uneven.insert(slots[slot].offset);
  }

  void find_loops() {
    in_loop_.assign(f_.code.size(), false);
    for (size_t k = 0; k < f_.code.size(); ++k) {
      if (!steps_[k].branches) continue;
      const auto target = static_cast<size_t>(f_.code[k].aux->target - f_.code.data());
      for (size_t n = target; n <= k; ++n) in_loop_[n] = true;
    }
  }

  /// Where slots begin, how they come to be written, and how wide their lanes are.
  bool find_slots() {
    std::set<u32> starts;
    const auto see = [&](u32 offset) {
      if (offset >= kFrameStart && offset < f_.frame_bytes) starts.insert(offset);
    };
    const auto see_all = [&](const Inst& i) {
      see(i.dst), see(i.dst2);
      for (u32 s : i.src) see(s);
      if (i.guarded) see(i.guard);
      if (i.aux)
        for (u32 v : i.aux->vector) see(v);
    };
    for (const Inst& i : f_.once) see_all(i);
    for (const Inst& i : f_.code) see_all(i);
    for (const Inst& i : f_.code)
      if (is_sum(i))
        for (u32 b : sum_of(i).bases) see(b);
    for (u32 s : f_.slots) see(s);
    for (u32 s : f_.shapes) see(s);
    for (const auto& s : f_.specials) see(s.offset);
    for (auto it = starts.begin(); it != starts.end(); ++it) {
      WholeSlot& s = slots_[*it];
      const auto next = std::next(it);
      s.offset = *it;
      s.bytes = (next == starts.end() ? f_.frame_bytes : *next) - *it;
      s.from = From::Constant;
    }
    const auto written = [&](u32 offset, From from, u8 lane_bytes) {
      if (auto it = slots_.find(offset); it != slots_.end())
        it->second.from = from, it->second.lane_bytes = std::max(it->second.lane_bytes, lane_bytes);
    };
    for (const auto& s : f_.specials) {
      using enum Special;
      WholeSlot& slot = slots_[s.offset];
      slot.lane_bytes = s.bytes;
      slot.from = s.what == CtaidX   ? From::BlockX
                  : s.what == CtaidY ? From::BlockY
                  : s.what == CtaidZ ? From::BlockZ
                                     : From::Frame;
      if (s.what == SmId || (s.what >= ClusterIdX && s.what <= ClusterCtarank)) return false;
      if (s.what == TidX || s.what == LaneId)
        known_.insert(s.offset), slot.lanes = Lanes::Even, slot.stride = 1;
      else if (s.what == TidY || s.what == TidZ)
        known_.insert(s.offset), slot.lanes = Lanes::Even, slot.stride = 0;
      else if (s.what <= NctaidZ || s.what == WarpId || s.what == NwarpId)
        known_.insert(s.offset), slot.lanes = Lanes::Same;
      else
        fixed_any(s.offset);
      if (s.bytes == 0) return false;
    }
    const auto write_all = [&](const Inst& i, From from, bool other) {
      if (is_sum(i)) return written(i.src[0], from, 8);
      const ir::Instruction* in = instruction(i);
      if (is_store(i)) return;
      const u8 lane = is_load(i) ? i.aux->access.register_bytes : i.dst_bytes;
      written(i.dst, from, i.dst_pred ? u8{0} : lane);
      if (i.dst2_used) written(i.dst2, from, 0);
      if (i.aux)
        for (u32 v : i.aux->vector)
          if (v >= kFrameStart) written(v, from, i.aux->access.register_bytes);
      if (other && in)
        analysis::each_definition(*f_.function, *in,
                                  [&](ir::RegId r) { written(f_.slots[r], from, lane_bytes_of(r)); });
    };
    for (const Inst& i : f_.once) write_all(i, From::Frame, false);
    for (size_t k = 0; k < f_.code.size(); ++k) {
      const Inst& i = f_.code[k];
      if (steps_[k].kind == StepKind::Nothing || steps_[k].kind == StepKind::Branch ||
          steps_[k].kind == StepKind::Count)
        continue;
      write_all(i, From::Code, is_native(steps_[k]));
    }
    for (auto& [offset, s] : slots_)
      if (s.from == From::Constant) known_.insert(offset), s.lanes = Lanes::Same;
    return true;
  }

  u8 lane_bytes_of(ir::RegId r) const {
    const isa::Type type = f_.function->registers[r].type;
    return type == isa::Type::pred ? u8{0} : static_cast<u8>(std::max(2, isa::bytes(type)));
  }
  bool is_sum(const Inst& i) const { return i.lane == lanes_.sum.masked && i.aux; }
  static const AddressSum& sum_of(const Inst& i) { return *static_cast<const AddressSum*>(i.aux->more); }
  bool is_access_of(const Inst& i, AccessKey::Kind kind) const {
    const ir::Instruction* in = instruction(i);
    return i.aux && in && i.src[2] != 0 && i.aux->access.kind == kind && !is_sum(i) &&
           (in->op == Op::ld || in->op == Op::ld_nc || in->op == Op::ldu || in->op == Op::st);
  }
  bool is_store(const Inst& i) const { return is_access_of(i, AccessKey::Kind::Store); }
  bool is_load(const Inst& i) const { return is_access_of(i, AccessKey::Kind::Load); }

  static bool is_native(const CompileStep& s) {
    return s.kind == StepKind::Other || s.kind == StepKind::Pause || s.kind == StepKind::Native;
  }

  void fixed_any(u32 offset) {
    known_.insert(offset);
    slots_[offset].lanes = Lanes::Any;
  }

  struct Value {
    bool known = false;
    Lanes lanes = Lanes::Any;
    int64_t stride = 0;
  };
  Value value(u32 offset) const {
    auto it = slots_.find(offset);
    if (it == slots_.end()) return {true, Lanes::Any, 0};
    if (!known_.contains(offset)) return {};
    return {true, it->second.lanes, it->second.stride};
  }
  /// What a constant's lanes hold.
  bool constant(u32 offset, int bytes, bool is_signed, int64_t& v) const {
    auto it = slots_.find(offset);
    if (it == slots_.end() || it->second.from != From::Constant) return false;
    u64 bits = 0;
    std::memcpy(&bits, f_.image.data() + (offset - kFrameStart), static_cast<size_t>(bytes));
    if (bytes == 4) bits = is_signed ? static_cast<u64>(int64_t{static_cast<int32_t>(bits)}) : bits & ~u32(0);
    v = static_cast<int64_t>(bits);
    return true;
  }

  /// The slot gets this value as well as those it had. Whether that is news.
  bool meet(u32 offset, const Value& v) {
    auto it = slots_.find(offset);
    if (it == slots_.end() || !v.known) return false;
    WholeSlot& s = it->second;
    const bool first = known_.insert(offset).second;
    Lanes lanes = v.lanes;
    int64_t stride = v.stride;
    if (s.lane_bytes == 0 && lanes == Lanes::Even) lanes = Lanes::Any;
    if (s.lane_bytes != 0 && s.lane_bytes != 4 && s.lane_bytes != 8) lanes = Lanes::Any;
    if (!first && (lanes != s.lanes || stride != s.stride)) {
      const bool even =
          lanes != Lanes::Any && s.lanes != Lanes::Any && stride == s.stride && s.lane_bytes != 0;
      lanes = even ? Lanes::Even : Lanes::Any;
    }
    if (lanes == Lanes::Any) stride = 0;
    if (!first && lanes == s.lanes && stride == s.stride) return false;
    s.lanes = lanes;
    s.stride = static_cast<int32_t>(stride);
    return true;
  }

  bool visit(const Inst& i, const CompileStep* step) {
    if (step && (step->kind == StepKind::Nothing || step->kind == StepKind::Branch ||
                 step->kind == StepKind::Count || step->kind == StepKind::End))
      return false;
    if (is_sum(i)) return meet(i.src[0], sum_value(i));
    if (is_store(i)) return false;
    if (is_load(i) && (!step || step->kind == StepKind::Access)) return meet(i.dst, load_value(i));
    if (step && is_native(*step)) {
      bool changed = false;
      if (const ir::Instruction* in = instruction(i))
        analysis::each_definition(*f_.function, *in,
                                  [&](ir::RegId r) { changed |= meet(f_.slots[r], kAny); });
      return changed | meet(i.dst, kAny);
    }
    bool changed = meet(i.dst, row_value(i));
    if (i.dst2_used) changed |= meet(i.dst2, kAny);
    return changed;
  }

  static constexpr Value kAny{true, Lanes::Any, 0};

  Value load_value(const Inst& i) const {
    const Value a = value(i.src[0]);
    if (!a.known) return {};
    return i.aux->access.elements == 1 && !i.guarded && a.lanes == Lanes::Same ? Value{true, Lanes::Same, 0}
                                                                               : kAny;
  }

  Value sum_value(const Inst& i) const {
    const AddressSum& sum = sum_of(i);
    const Value index = value(i.src[1]);
    if (!index.known) return {};
    if (index.lanes == Lanes::Any) return kAny;
    return even(index.lanes == Lanes::Same, index.stride * sum.scale);
  }

  static Value even(bool same, int64_t stride) {
    if (stride > kMostStride || stride < -kMostStride) return kAny;
    return {true, same ? Lanes::Same : Lanes::Even, stride};
  }

  Value row_value(const Inst& i) const {
    const ir::Instruction* in = instruction(i);
    if (!in || i.guarded || in->guard != ir::kNone || i.dst2_used || carries_flag(*in) ||
        !is_index_arithmetic(in->op))
      return kAny;
    Value v[3];
    bool same = true, flat = true;
    for (int k = 0; k < 4; ++k) {
      if (i.src[k] < kFrameStart) continue;
      const Value x = value(i.src[k]);
      if (!x.known) return {};
      if (x.lanes == Lanes::Any || k == 3) return kAny;
      v[k] = x;
      same &= x.lanes == Lanes::Same;
      flat &= x.stride == 0;
    }
    if (same) return {true, Lanes::Same, 0};
    if (flat) return {true, Lanes::Even, 0};
    const int64_t a = v[0].stride, b = v[1].stride, c = v[2].stride;
    const int bits = isa::bits(in->type());
    // Steps that only fit an operand to its register's width are not the instruction itself.
    const int from_bits = in->op == Op::cvt_int ? isa::bits(in->type(isa::Slot::atype)) : bits;
    const int to_bits = in->op == Op::cvt_int ? isa::bits(in->type(isa::Slot::dtype))
                        : in->op == Op::mul_wide || in->op == Op::mad_wide ? 2 * bits
                                                                           : bits;
    if (i.dst_bytes * 8 != to_bits || !of_width(i.src[0], from_bits) || from_bits < 32) return kAny;
    const auto product = [&](int64_t& out) {
      int64_t factor = 0;
      const bool sign = isa::is_signed(in->type());
      if (a == 0 && b == 0) {
        out = 0;
      } else if (b == 0 && constant(i.src[1], bits / 8, sign, factor) && std::abs(factor) <= kMostStride) {
        out = a * factor;
      } else {
        return false;
      }
      return true;
    };
    int64_t p = 0;
    switch (in->op) {
      case Op::add_int:
        return even(false, a + b);
      case Op::sub_int:
        return even(false, a - b);
      case Op::cvta:
      case Op::cvta_to:
      case Op::mov:
        return even(false, a);
      case Op::neg_int:
        return even(false, -a);
      case Op::mul_lo:
        return product(p) ? even(false, p) : kAny;
      case Op::mad_lo:
        return product(p) ? even(false, p + c) : kAny;
      case Op::mul_wide:
        return bits == 32 && product(p) ? even(false, p) : kAny;
      case Op::mad_wide:
        return bits == 32 && product(p) ? even(false, p + c) : kAny;
      case Op::or_:
        return likely_even(i) ? even(false, a + b) : kAny;
      case Op::and_:
        return likely_even(i) ? even(false, a) : kAny;
      case Op::shl:
        return b == 0 && constant(i.src[1], 4, false, p) && p < 16 ? even(false, a * (int64_t{1} << p))
                                                                   : kAny;
      case Op::cvt_int:
        return to_bits >= 32 ? even(false, a) : kAny;
      default:
        return kAny;
    }
  }

  /// Low bits that are zero in what the slot holds, as far as the instruction that writes it shows.
  int low_zeros(u32 offset) const {
    int64_t v = 0;
    if (constant(offset, 4, false, v)) return v ? __builtin_ctzll(static_cast<u64>(v)) : 0;
    const Inst* writer = nullptr;
    for (const std::vector<Inst>* code : {&f_.once, &f_.code})
      for (const Inst& i : *code)
        if (i.dst == offset && !is_store(i)) {
          if (writer) return 0;
          writer = &i;
        }
    const ir::Instruction* in = writer ? instruction(*writer) : nullptr;
    if (!in || !constant(writer->src[1], 4, false, v)) return 0;
    if (in->op == Op::shl) return static_cast<int>(std::min<int64_t>(v, 63));
    return in->op == Op::mul_lo && v ? __builtin_ctzll(static_cast<u64>(v)) : 0;
  }
  /// Compilers write sums without carries as `or`, and remainders of powers of two as `and`: lanes one behind
  /// another mostly stay so. The code looks.
  bool likely_even(const Inst& i) const {
    const ir::Instruction* in = instruction(i);
    const Value a = value(i.src[0]), b = value(i.src[1]);
    if (i.dst_bytes != 4 || !of_width(i.src[0], 32) || !of_width(i.src[1], 32)) return false;
    if (in->op == Op::and_) {
      int64_t mask = 0;
      return a.stride == 1 && constant(i.src[1], 4, false, mask) && (mask & 15) == 15;
    }
    if (a.stride != 0 && b.stride != 0) return false;
    return low_zeros(a.stride == 0 ? i.src[0] : i.src[1]) >= 4;
  }

  bool of_width(u32 offset, int bits) const {
    const WholeSlot& s = slots_.at(offset);
    return s.from == From::Constant || s.lane_bytes * 8 == bits;
  }

  void find_extension(const Inst& i, CompileStep& step) const {
    using Extends = CompileStep::Extends;
    if (step.kind == StepKind::Sum) {
      const Value index = value(i.src[1]), whole = value(i.src[0]);
      if (whole.lanes == Lanes::Even && index.stride != 0)
        step.extends = sum_of(i).index_signed ? Extends::Signed : Extends::Unsigned;
      return;
    }
    if (step.kind != StepKind::Row) return;
    const ir::Instruction* in = instruction(i);
    const Value to = value(i.dst), from = value(i.src[0]);
    if (!in || to.lanes != Lanes::Even) return;
    if (in->op == Op::or_ || in->op == Op::and_) {
      if (to.stride != 0) step.extends = Extends::Verify;
      return;
    }
    if (from.lanes != Lanes::Even || from.stride == 0) return;
    isa::Type type = in->type();
    if (in->op == Op::cvt_int) {
      type = in->type(isa::Slot::atype);
      if (isa::bits(type) != 32 || isa::bits(in->type(isa::Slot::dtype)) != 64) return;
    } else if (in->op != Op::mul_wide && in->op != Op::mad_wide) {
      return;
    }
    step.extends = isa::is_signed(type) ? Extends::Signed : Extends::Unsigned;
  }

  const Program& program_;
  const FunctionCode& f_;
  const LaneCode& lanes_;
  std::vector<CompileStep>& steps_;
  std::map<u32, WholeSlot> slots_;
  std::vector<bool> in_loop_;  ///< by instruction
  std::set<u32> known_;        ///< slots of which something is known (perhaps that there is no pattern)
};

}  // namespace

bool plan_whole(const Program& program, const FunctionCode& function, const LaneCode& lanes,
                std::vector<CompileStep>& steps, std::vector<WholeSlot>& slots) {
  return WholePlanner(program, function, lanes, steps).run(slots);
}

}  // namespace ww::engine
