// Whole-warp code: where the interpreter goes on.
#include <llvm/IR/MDBuilder.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

/// Writes the slot where the interpreter looks for it.
void Whole::into_frame(const WholeSlot& s) {
  if (s.lane_bytes == 0) {
    b_.CreateStore(b_.CreateLoad(b_.getInt32Ty(), in_view(0, s.offset)), at(frame_, s.offset));
    return;
  }
  const unsigned lanes = lanes_in_part(s.lane_bytes);
  Value* first[2] = {};
  if (lanes_of(s) != Lanes::Any) first[0] = first_of(s, 0), first[1] = first_of(s, 1);
  for (unsigned l = 0; l < kLanes; l += lanes) {
    Value* v = first[0] ? vector_of(s, first[l >= kHalf], lanes, l % kHalf)
                        : canonical(s, lanes_value(s.offset, s.lane_bytes, l, lanes));
    b_.CreateAlignedStore(v, at(frame_, s.offset + l * s.lane_bytes), Align(4));
  }
}

/// Where the interpreter can go on as well as at each instruction: at an earlier one, if what lies between
/// has changed nothing but registers that are not read from there on before they are written again (and
/// noted no access: it would be told twice). So one piece of code that leaves serves many instructions.
void Whole::find_restarts() {
  restart_.resize(unit_.count);
  u32 from = 0;
  for (u32 k = 0; k < unit_.count; ++k) {
    if (k == 0 || targets_.contains(k)) from = k;
    restart_[k] = from;
    const Inst& i = unit_.code[k];
    const CompileStep& s = unit_.steps[k];
    bool again =
        s.kind == Kind::Nothing || (s.kind == Kind::Row && !s.carries) || s.kind == Kind::Sum ||
        (s.kind == Kind::Access && !s.ordered && !s.noted && i.aux->access.kind == AccessKey::Kind::Load);
    if (again)
      for (u32 n : effects_of(i, s, unit_.operands, unit_.slots, unit_.slot_count).changed)
        again &= !live_[from][n];
    if (!again) from = k + 1;
  }
}

/// Slots whose values the interpreter may need if it goes on there.
std::vector<bool> Whole::needed_at(u32 k) const {
  std::vector<bool> needed(unit_.slot_count);
  for (u32 n = 0; n < unit_.slot_count; ++n)
    needed[n] = written_[n] && newer_[k][n] && (live_[k][n] || (parted_ && kept_[k][n]));
  return needed;
}

/// Brings the frame up to date; the interpreter goes on at the instruction, or does again what lies before
/// it.
BasicBlock* Whole::leave_at(u32 k) {
  if (unit_.steps[k].kind != Kind::Pause && unit_.steps[k].kind != Kind::Other) k = restart_[k];
  BasicBlock*& there = leaving_[{parted_, k}];
  if (there) return there;
  there = fresh();
  if (parted_ || unit_.steps[k].kind != Kind::Pause) return there;  // make_exits()
  IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(there);
  const std::vector<bool> needed = needed_at(k);
  for (u32 n = 0; n < unit_.slot_count; ++n)
    if (needed[n]) into_frame(unit_.slots[n]);
  end_turn(k + 1, place(k));
  return there;
}

/// The code that leaves. Where many registers are in use and many instructions may leave, one piece of code
/// for each would be most of all code; so those that need nearly the same registers share one.
void Whole::make_exits() {
  constexpr size_t kMostShared = 32;
  Value* place_of_exit = own(pointer_);
  const auto count = [](const std::vector<bool>& of) { return std::count(of.begin(), of.end(), true); };
  const auto returned = [&](const Exit& e) { return e.returns ? e.returns : place(e.k); };
  for (const bool parted : {false, true}) {
    parted_ = parted;
    std::vector<Exit> exits = std::move(called_exits_[parted]);
    for (const auto& [where, block] : leaving_)
      if (where.first == parted && block->empty())
        exits.push_back({where.second, block, nullptr, needed_at(where.second)});
    std::stable_sort(exits.begin(), exits.end(), [](const Exit& a, const Exit& b) { return a.k < b.k; });
    for (size_t first = 0, end; first < exits.size(); first = end) {
      std::vector<bool> all = exits[first].needed;
      auto least = count(all);
      for (end = first + 1; end < exits.size() && end - first < kMostShared; ++end) {
        std::vector<bool> more = all;
        for (u32 n = 0; n < unit_.slot_count; ++n)
          if (exits[end].needed[n]) more[n] = true;
        least = std::min(least, count(exits[end].needed));
        if (count(more) > least + least / 2 + 4) break;
        all = std::move(more);
      }
      BasicBlock* shared = end - first > 1 ? fresh() : exits[first].block;
      for (size_t e = first; e < end && end - first > 1; ++e) {
        b_.SetInsertPoint(exits[e].block);
        b_.CreateStore(returned(exits[e]), place_of_exit);
        b_.CreateBr(shared);
      }
      b_.SetInsertPoint(shared);
      for (u32 n = 0; n < unit_.slot_count; ++n)
        if (all[n]) into_frame(unit_.slots[n]);
      if (parted_) b_.CreateStore(active_mask(), at(state_, offsetof(WholeState, mask)));
      b_.CreateRet(end - first > 1 ? static_cast<Value*>(b_.CreateLoad(pointer_, place_of_exit))
                                   : returned(exits[first]));
    }
  }
  parted_ = false;
}

/// A branch that nearly always goes on there.
void Whole::likely(Value* good, BasicBlock* on, BasicBlock* otherwise) {
  b_.CreateCondBr(good, on, otherwise, MDBuilder(context_).createBranchWeights(1u << 20, 1));
}

/// Goes on if it is good, otherwise leaves at the instruction.
void Whole::go_if(Value* good, u32 k) {
  BasicBlock* on = fresh();
  likely(good, on, leave_at(k));
  b_.SetInsertPoint(on);
}

}  // namespace ww::engine
