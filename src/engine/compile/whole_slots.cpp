// The slots of a frame, as whole-warp code sees them.
#include <algorithm>
#include <cstring>
#include <map>

#include "analysis/uses.h"
#include "engine/compile/whole_plan.h"

namespace ww::engine {

namespace {

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using StepKind = CompileStep::Kind;

class Slots {
 public:
  explicit Slots(WholePlan& plan) : plan_(plan), f_(plan.function) {}

  bool find() {
    find_starts();
    if (!find_specials()) return false;
    for (const Inst& i : f_.once) write(i, From::Frame);
    for (size_t k = 0; k < f_.code.size(); ++k) {
      const Inst& i = f_.code[k];
      const CompileStep& s = plan_.steps[k];
      if (s.kind == StepKind::Nothing || s.kind == StepKind::Branch || s.kind == StepKind::Count) continue;
      write(i, From::Code);
      if (s.kind == StepKind::Other || s.kind == StepKind::Pause || s.kind == StepKind::Native)
        if (const ir::Instruction* in = plan_.instruction(i))
          analysis::each_definition(*f_.function, *in,
                                    [&](ir::RegId r) { written(f_.slots[r], From::Code, lane_bytes_of(r)); });
    }
    for (const auto& [offset, bytes] : f_.unwritten) plan_.slots[offset].unset = true;
    for (const Inst& i : f_.once) move_constant(i);
    find_common();
    for (auto& [offset, s] : plan_.slots)
      if (s.from == From::Constant) plan_.known.insert(offset), s.lanes = Lanes::Same;
    return true;
  }

 private:
  void find_starts() {
    std::set<u32> starts;
    const u32 end = f_.slots_end();
    const auto see = [&](u32 offset) {
      if (offset >= kFrameStart && offset < end) starts.insert(offset);
    };
    const auto see_all = [&](const Inst& i) {
      see(i.dst), see(i.dst2);
      for (u32 s : i.src) see(s);
      if (i.guarded) see(i.guard);
      if (i.aux)
        for (u32 v : i.aux->vector) see(v);
      if (plan_.is_sum(i))
        for (u32 b : plan_.sum_of(i).bases) see(b);
    };
    for (const Inst& i : f_.once) see_all(i);
    for (const Inst& i : f_.code) see_all(i);
    for (u32 s : f_.slots) see(s);
    for (u32 s : f_.shapes) see(s);
    for (const auto& s : f_.specials) see(s.offset);
    for (auto it = starts.begin(); it != starts.end(); ++it) {
      WholeSlot& s = plan_.slots[*it];
      const auto next = std::next(it);
      s.offset = *it;
      s.bytes = (next == starts.end() ? end : *next) - *it;
      s.from = From::Constant;
    }
  }

  bool find_specials() {
    const bool full = plan_.program.row == kLanes, half = plan_.program.row == kLanes / 2;
    for (const auto& s : f_.specials) {
      using enum Special;
      WholeSlot& slot = plan_.slots[s.offset];
      const auto known = [&](Lanes lanes, int32_t stride = 0) {
        plan_.known.insert(s.offset);
        slot.lanes = lanes;
        slot.stride = stride;
      };
      slot.lane_bytes = s.bytes;
      slot.from = s.what == CtaidX   ? From::BlockX
                  : s.what == CtaidY ? From::BlockY
                  : s.what == CtaidZ ? From::BlockZ
                                     : From::Frame;
      if (s.what == SmId || (s.what >= ClusterIdX && s.what <= ClusterCtarank) || s.bytes == 0) return false;
      if (s.what == LaneId || (s.what == TidX && full))
        known(Lanes::Row, 1);
      else if (s.what == TidX && half)
        known(Lanes::Even, 1);
      else if ((s.what == TidY || s.what == TidZ) && half)
        known(Lanes::Even);
      else if ((s.what == TidX || s.what == TidY || s.what == TidZ) && !full)
        plan_.no_pattern(s.offset);
      else if (s.what <= NctaidZ || s.what == WarpId || s.what == NwarpId)
        known(Lanes::Same);
      else
        plan_.no_pattern(s.offset);
    }
    return true;
  }

  void write(const Inst& i, From from) {
    if (plan_.is_sum(i)) return written(i.src[0], from, 8);
    if (plan_.is_access(i, AccessKey::Kind::Store)) return;
    const bool load = plan_.is_access(i, AccessKey::Kind::Load);
    const u8 lane = load ? i.aux->access.register_bytes : i.dst_bytes;
    written(i.dst, from, i.dst_pred ? u8{0} : lane);
    if (i.dst2_used) written(i.dst2, from, 0);
    if (load)
      for (u32 v : i.aux->vector) written(v, from, lane);
  }

  /// Compilers put constants into registers, once and for all.
  void move_constant(const Inst& i) {
    const ir::Instruction* in = plan_.instruction(i);
    if (!in || in->op != isa::Op::mov || i.dst_pred || i.guarded || writers_[i.dst] != 1) return;
    const auto to = plan_.slots.find(i.dst), from = plan_.slots.find(i.src[0]);
    const u32 bytes = u32{i.dst_bytes} * kLanes;
    if (to == plan_.slots.end() || from == plan_.slots.end() || from->second.from != From::Constant ||
        from->second.bytes < bytes || to->second.bytes < bytes || to->second.lane_bytes != i.dst_bytes)
      return;
    u8* image = plan_.image.data();
    std::memcpy(image + (i.dst - kFrameStart), image + (i.src[0] - kFrameStart), bytes);
    to->second.from = From::Constant;
  }

  /// Slots with what is computed before the first block from special registers that differ.
  template <class F>
  std::set<u32> computed_from(F&& special_differs) const {
    std::set<u32> differ;
    for (const auto& s : f_.specials)
      if (special_differs(s.what)) differ.insert(s.offset);
    const auto differs = [&](u32 offset) { return offset >= kFrameStart && differ.contains(offset); };
    for (size_t before = ~size_t(0); before != differ.size();) {
      before = differ.size();
      for (const Inst& i : f_.once) {
        bool any = i.guarded && differs(i.guard);
        for (u32 s : i.src) any |= differs(s);
        if (plan_.is_sum(i))
          for (u32 b : plan_.sum_of(i).bases) any |= differs(b);
        if (!any) continue;
        for (u32 to : {i.dst, i.dst2, plan_.is_sum(i) ? i.src[0] : i.dst}) differ.insert(to);
        if (i.aux)
          for (u32 v : i.aux->vector) differ.insert(v);
      }
    }
    return differ;
  }

  /// WholeSlot::common and alike.
  void find_common() {
    using enum Special;
    const auto of_warps =
        computed_from([](Special s) { return s == TidX || s == TidY || s == TidZ || s == WarpId; });
    const auto of_halves = computed_from([&](Special s) {
      return s == LaneId || (s >= LanemaskEq && s <= LanemaskGt) || s == TidY || s == TidZ ||
             (s == TidX && !plan_.program.rows_of_16);
    });
    for (auto& [offset, s] : plan_.slots) {
      s.common = s.from == From::Frame && !of_warps.contains(offset);
      s.alike = s.from == From::Frame && !of_halves.contains(offset);
    }
  }

  void written(u32 offset, From from, u8 lane_bytes) {
    const auto it = offset >= kFrameStart ? plan_.slots.find(offset) : plan_.slots.end();
    if (it == plan_.slots.end()) return;
    ++writers_[offset];
    it->second.from = from;
    it->second.lane_bytes = std::max(it->second.lane_bytes, lane_bytes);
  }

  u8 lane_bytes_of(ir::RegId r) const {
    const isa::Type type = f_.function->registers[r].type;
    return type == isa::Type::pred ? u8{0} : static_cast<u8>(std::max(2, isa::bytes(type)));
  }

  WholePlan& plan_;
  const FunctionCode& f_;
  std::map<u32, int> writers_;  ///< of each slot: how many instructions
};

}  // namespace

bool find_slots(WholePlan& plan) { return Slots(plan).find(); }

}  // namespace ww::engine
