// Whole-warp code: loops that lanes leave at different times and that only load and compute, such as those
// over the rows of a sparse matrix. Side by side their loads are gathers, under ever fewer lanes; here one
// lane after another runs the whole loop with plain loads, which the processor overlaps by itself. If
// anything is not plain nothing has happened, and all lanes go through the loop side by side.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

namespace {

constexpr u32 kLongest = 64;             // instructions of such a loop
constexpr u32 kInstructionsPerLoad = 8;  // with fewer loads it is quicker side by side

}  // namespace

/// Whether the branch closes such a loop.
bool Whole::closes_lane_loop(u32 end) const {
  const Inst& branch = unit_.code[end];
  if (unit_.steps[end].kind != Kind::Branch || !branch.guarded || !branch.aux->backward ||
      unit_.steps[end].join != end + 1 || !unit_.parted)
    return false;
  const auto begin = static_cast<u32>(branch.aux->target - unit_.code);
  if (begin >= end || end - begin > kLongest) return false;
  u32 loads = 0;
  const auto holds = [&](u32 offset, unsigned bytes) {
    const WholeSlot* s = slot_of(offset);
    return s && s->offset == offset && (s->from == From::Constant || s->lane_bytes == bytes);
  };
  // What a loaded value of the round before may have made: an address of it has to wait for that load.
  std::vector<bool> late(unit_.slot_count), loaded(unit_.slot_count);
  for (int round = 0; round < 2; ++round) {
    loads = 0;
    for (u32 k = begin; k < end; ++k) {
      const Inst& i = unit_.code[k];
      const CompileStep& s = unit_.steps[k];
      if ((k > begin && targets_.contains(k)) || s.carries) return false;
      // (What counts the lanes that go round again stands just before the branch.)
      const bool counts_again = s.kind == Kind::Count && k + 1 == end && i.guard == branch.guard &&
                                i.guard_negated == branch.guard_negated;
      if (i.guarded && !counts_again) return false;
      const SlotEffects e = effects_of(i, s, unit_.operands, unit_.slots, unit_.slot_count);
      const auto reads = [&](const std::vector<bool>& of) {
        return std::any_of(e.read.begin(), e.read.end(), [&](u32 n) { return of[n]; });
      };
      if (s.kind == Kind::Access) {
        const AccessKey& key = i.aux->access;
        if (key.kind != AccessKey::Kind::Load || key.elements != 1 || s.ordered || s.noted || reads(late) ||
            s.local)
          return false;
        if (!holds(i.src[0], key.address_bytes) || (i.dst != kSink && !holds(i.dst, key.register_bytes)))
          return false;
        const WholeSlot* address = slot_of(i.src[0]);
        loads += !address || address->lanes == Lanes::Any;
      } else if (s.kind == Kind::Sum) {
        const AddressSum& terms = *static_cast<const AddressSum*>(i.aux->more);
        if (!holds(i.src[0], 8) || !holds(i.src[1], 4) ||
            !std::all_of(terms.bases, terms.bases + terms.count, [&](u32 b) { return holds(b, 8); }))
          return false;
      } else if (s.kind != Kind::Row && s.kind != Kind::Count && s.kind != Kind::Nothing) {
        return false;
      }
      if (s.kind == Kind::Nothing) continue;
      const bool is_loaded = s.kind == Kind::Access || reads(loaded), is_late = reads(late);
      for (u32 n : e.changed) loaded[n] = is_loaded, late[n] = is_late;
    }
    for (u32 n = 0; n < unit_.slot_count; ++n) late[n] = loaded[n] && live_[begin][n];
  }
  return loads * kInstructionsPerLoad >= end - begin;
}

void Whole::find_lane_loops() {
  for (u32 k = 0; k < unit_.count; ++k)
    if (unit_.steps[k].branches && closes_lane_loop(k))
      lane_loops_[static_cast<u32>(unit_.code[k].aux->target - unit_.code)] = k;
}

/// Where the loop begins for lanes side by side.
BasicBlock* Whole::side_by_side(u32 k) {
  BasicBlock*& there = side_by_side_[{parted_, k}];
  if (!there) there = fresh();
  return there;
}

/// Where a branch leads: lanes that go round such a loop stay side by side.
BasicBlock* Whole::back_to(u32 k) {
  const auto target = static_cast<u32>(unit_.code[k].aux->target - unit_.code);
  const auto loop = lane_loops_.find(target);
  if (loop == lane_loops_.end() || loop->second != k) return to(target);
  (void)to(target);  // it is made there
  return side_by_side(target);
}

/// What the first load of the loop whose lanes may lie anywhere has its addresses from, if that is known
/// before the loop: a slot, and how far apart its lanes are where the load's lie one behind another.
std::optional<std::pair<const WholeSlot*, u64>> Whole::first_addresses(u32 begin, u32 end) const {
  std::vector<bool> changed(unit_.slot_count);
  std::map<u32, const Inst*> sums;  // by the offset of the result
  const auto known = [&](const WholeSlot* s) {
    const auto n = static_cast<u32>(s - unit_.slots);
    return live_[begin][n] && !changed[n];
  };
  for (u32 k = begin; k < end; ++k) {
    const Inst& i = unit_.code[k];
    if (unit_.steps[k].kind == Kind::Nothing || unit_.steps[k].kind == Kind::Count) continue;
    if (unit_.steps[k].kind == Kind::Access) {
      const WholeSlot* address = slot_of(i.src[0]);
      if (address && address->lanes == Lanes::Any) {
        if (known(address)) return std::pair{address, u64{i.aux->access.bytes}};
        const auto sum = sums.find(i.src[0]);
        if (sum == sums.end()) return std::nullopt;
        const WholeSlot* index = slot_of(sum->second->src[1]);
        const auto scale = static_cast<const AddressSum*>(sum->second->aux->more)->scale;
        if (!index || !known(index) || scale != i.aux->access.bytes) return std::nullopt;
        return std::pair{index, u64{1}};
      }
    }
    if (unit_.steps[k].kind == Kind::Sum) sums[i.src[0]] = &i;
    for (u32 n : effects_of(i, unit_.steps[k], unit_.operands, unit_.slots, unit_.slot_count).changed)
      changed[n] = true;
  }
  return std::nullopt;
}

/// Goes side by side where that first load is of one element behind another, as it is where a warp has a row
/// of a sparse matrix for itself: rows are loaded faster so.
void Whole::leave_rows_side_by_side(u32 begin, u32 end) {
  if (parted_) return;
  const auto from = first_addresses(begin, end);
  if (!from) return;
  const auto& [s, distance] = *from;
  const unsigned lanes = lanes_in_part(s->lane_bytes);
  Type* const type = b_.getIntNTy(8 * s->lane_bytes);
  Value *first = nullptr, *wrong = nullptr;
  for (unsigned l = 0; l < kLanes; l += lanes) {
    Value* part = lanes_value(s->offset, s->lane_bytes, l, lanes);
    if (!first) first = b_.CreateVectorSplat(lanes, b_.CreateExtractElement(part, u64{0}));
    std::vector<Constant*> steps;
    for (unsigned n = 0; n < lanes; ++n) steps.push_back(ConstantInt::get(type, (l + n) * distance));
    Value* other = b_.CreateXor(b_.CreateSub(part, first), ConstantVector::get(steps));
    wrong = wrong ? b_.CreateOr(wrong, other) : other;
  }
  BasicBlock* apart = fresh();
  b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateOrReduce(wrong), ConstantInt::get(type, 0)), side_by_side(begin),
                  apart);
  b_.SetInsertPoint(apart);
}

}  // namespace ww::engine
