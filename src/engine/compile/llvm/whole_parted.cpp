// Whole-warp code: branches, and lanes that have parted. One copy of each instruction is for all lanes,
// another for those that are active while others wait: at a join for them, or for their turn.
// WholeState::parted says so while the code runs, as joins and splits do for the interpreter
// (schedule/splits.cpp), and lanes go on in the same order.
#include <llvm/IR/IntrinsicInst.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// The code of an instruction, for the lanes that are active here.
BasicBlock* Whole::to(u32 k) {
  if (!parted_) return block(k);
  BasicBlock*& there = parted_blocks_[k];
  if (!there) {
    there = fresh();
    parted_waiting_.push_back(k);
  }
  return there;
}

Value* Whole::active_mask() {
  return parted_ ? static_cast<Value*>(b_.CreateLoad(b_.getInt32Ty(), mask_place_)) : present_;
}

/// Whether lanes that wait may still need what the slot holds in them.
bool Whole::kept(u32 k, u32 offset) const {
  const WholeSlot* s = parted_ && offset >= kFrameStart ? slot_of(offset) : nullptr;
  return s && kept_[k][static_cast<size_t>(s - unit_.slots)];
}

/// A number for each lane from there on: 0 where the warp lacks the lane.
Value* Whole::of_present(Value* v, unsigned from) {
  if (!unit_.lacking) return v;
  const unsigned count = cast<FixedVectorType>(v->getType())->getNumElements();
  Value* bits = b_.CreateTrunc(b_.CreateLShr(present_, from), b_.getIntNTy(count));
  bits = b_.CreateBitCast(bits, FixedVectorType::get(b_.getInt1Ty(), count));
  return b_.CreateSelect(bits, v, Constant::getNullValue(v->getType()));
}

/// 16 lanes of a mask, as truth values.
Value* Whole::half_mask(Value* mask, unsigned half) {
  Value* bits = b_.CreateTrunc(half ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt16Ty());
  return b_.CreateBitCast(bits, FixedVectorType::get(b_.getInt1Ty(), kHalf));
}

void Whole::find_kept() {
  kept_.assign(unit_.count, std::vector<bool>(unit_.slot_count));
  for (const Parting& p : find_partings(unit_.code, unit_.steps, unit_.count)) {
    joins_[p.join].insert(p.other);
    for (u32 k : p.between)
      for (u32 n = 0; n < unit_.slot_count; ++n)
        if (live_[p.join][n] || live_[p.other][n]) kept_[k][n] = true;
  }
}

/// Backward branches are counted, so that the warp lets others have a turn: the last one is the
/// interpreter's.
void Whole::spend(u32 k) {
  if (!unit_.code[k].aux->backward) return;
  spend_always(k);
}

void Whole::spend_always(u32 k) {
  // Memory may have been freed: then nothing that was found of it is true any more.
  LoadInst* epoch = b_.CreateLoad(b_.getInt32Ty(), state_field(pointer_, offsetof(WholeState, epoch)));
  epoch->setVolatile(true);
  go_if(b_.CreateICmpEQ(epoch, state_field(b_.getInt32Ty(), offsetof(WholeState, epoch_seen))), k);
  Value* place = at(warp_, offsetof(Warp, budget));
  LoadInst* budget = b_.CreateLoad(b_.getInt32Ty(), place);
  budget->setVolatile(true);
  go_if(b_.CreateICmpNE(budget, b_.getInt32(1)), k);
  b_.CreateStore(b_.CreateSub(budget, b_.getInt32(1)), place, true);
}

/// Other lanes of the warp begin: the interpreter gives them a turn of their own. (What warps do one after
/// another would else come in another order where they yield, which nobody but listeners may see.)
void Whole::begin_budget() {
  if (!warp_of_note_) return;
  b_.CreateStore(state_field(b_.getInt32Ty(), offsetof(WholeState, turn_budget)),
                 at(warp_, offsetof(Warp, budget)), true);
}

/// Goes to the branch's target.
void Whole::take(u32 k) {
  spend(k);
  b_.CreateBr(back_to(k));
}

void Whole::branch(u32 k) {
  const Inst& i = unit_.code[k];
  if (!i.guarded) return take(k);
  Value* all = active_mask();
  Value* taken = b_.CreateAnd(guard_of(i), all);
  BasicBlock *some = fresh(), *whole = fresh(), *parted = fresh();
  b_.CreateCondBr(b_.CreateICmpEQ(taken, b_.getInt32(0)), to(k + 1), some);
  b_.SetInsertPoint(some);
  b_.CreateCondBr(b_.CreateICmpEQ(taken, all), whole, parted);
  b_.SetInsertPoint(whole);
  take(k);
  b_.SetInsertPoint(parted);
  if (unit_.steps[k].join && unit_.parted)
    part(k, all, taken);
  else
    b_.CreateBr(leave_at(k));
}

/// Where the code keeps what is said of a parting; `depth` counts from 1.
Value* Whole::parting(Value* depth, u64 field) {
  Value* first = at(state_, offsetof(WholeState, parted) - sizeof(WholeParting) + field);
  return b_.CreateGEP(b_.getInt8Ty(), first,
                      b_.CreateZExt(b_.CreateMul(depth, b_.getInt32(sizeof(WholeParting))), b_.getInt64Ty()));
}

/// Some of the lanes take the branch: those that do not go first.
void Whole::part(u32 k, Value* all, Value* taken) {
  const Inst& i = unit_.code[k];
  const u32 join = unit_.steps[k].join, target = static_cast<u32>(i.aux->target - unit_.code);
  Type* const word = b_.getInt32Ty();
  warp_of_note_ ? spend_always(k) : spend(k);
  if (i.imm) count_more(16 * i.imm, b_.getInt64(1));
  Value* rest = b_.CreateAnd(all, b_.CreateNot(taken));
  const bool one_waits = target == join || k + 1 == join;
  Value *waiting = target == join ? taken : rest, *active = k + 1 == join ? taken : rest;
  const u32 from = k + 1 == join ? target : k + 1;
  Value* depth_place = at(state_, offsetof(WholeState, depth));
  Value* depth = parted_ ? static_cast<Value*>(b_.CreateLoad(word, depth_place)) : b_.getInt32(0);
  BasicBlock* on = fresh();
  if (parted_ && one_waits) {  // perhaps others wait there already
    Value* arrived = parting(depth, offsetof(WholeParting, arrived));
    BasicBlock *same = fresh(), *other = fresh();
    Value* there = b_.CreateLoad(word, parting(depth, offsetof(WholeParting, join)));
    b_.CreateCondBr(b_.CreateAnd(b_.CreateNot(none_has_parted()), b_.CreateICmpEQ(there, b_.getInt32(join))),
                    same, other);
    b_.SetInsertPoint(same);
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(word, arrived), waiting), arrived);
    if (warp_of_note_ && target == join) {
      Value* later = parting(depth, offsetof(WholeParting, later));
      b_.CreateStore(b_.CreateOr(b_.CreateLoad(word, later), waiting), later);
    }
    b_.CreateBr(on);
    b_.SetInsertPoint(other);
  }
  depth = b_.CreateAdd(depth, b_.getInt32(1));
  b_.CreateStore(depth, depth_place);
  const auto put = [&](u64 field, Value* v) { b_.CreateStore(v, parting(depth, field)); };
  put(offsetof(WholeParting, join), b_.getInt32(join));
  put(offsetof(WholeParting, arrived), one_waits ? waiting : b_.getInt32(0));
  put(offsetof(WholeParting, other), b_.getInt32(target));
  put(offsetof(WholeParting, other_mask), one_waits ? b_.getInt32(0) : taken);
  if (warp_of_note_) put(offsetof(WholeParting, later), target == join ? taken : b_.getInt32(0));
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  if (k + 1 == join) begin_budget();
  b_.CreateStore(active, mask_place_);
  const bool before = parted_;
  parted_ = true;
  b_.CreateBr(from == target ? back_to(k) : to(from));
  parted_ = before;
}

/// All lanes are active: they go on in the code for that if their registers have the patterns that it
/// expects.
void Whole::go_on_together(u32 k, BasicBlock* otherwise) {
  for (u32 n = 0; n < unit_.slot_count; ++n)
    if (const WholeSlot& slot = unit_.slots[n];
        live_[k][n] && slot.uneven && slot.lanes != WholeSlot::Lanes::Any)
      even_again(slot, otherwise);
  b_.CreateBr(block(k));
}

Value* Whole::none_has_parted() {
  return b_.CreateICmpEQ(state_field(b_.getInt32Ty(), offsetof(WholeState, depth)), b_.getInt32(0));
}

/// The active lanes have come to where others may wait for them: then those go on that have not been here, or
/// all of them together: in the code for lanes that have parted where a pattern is lost (lanes that have gone
/// round a loop once more than others, say), until it is found again. Ends in the code for lanes that nobody
/// waits for.
void Whole::meet(u32 k) {
  Type* const word = b_.getInt32Ty();
  const auto starts = joins_.find(k);
  if (starts == joins_.end()) return;
  BasicBlock *look = fresh(), *arrive = fresh(), *past = fresh();
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  Value* depth_place = at(state_, offsetof(WholeState, depth));
  Value* depth = b_.CreateLoad(word, depth_place);
  BasicBlock *inside = fresh(), *none_waits = fresh();
  b_.CreateCondBr(b_.CreateICmpEQ(depth, b_.getInt32(0)), none_waits, inside);
  b_.SetInsertPoint(inside);
  b_.CreateCondBr(
      b_.CreateICmpEQ(b_.CreateLoad(word, parting(depth, offsetof(WholeParting, join))), b_.getInt32(k)),
      arrive, past);
  b_.SetInsertPoint(arrive);
  Value* arrived_place = parting(depth, offsetof(WholeParting, arrived));
  Value* arrived = b_.CreateOr(b_.CreateLoad(word, arrived_place), active_mask());
  Value* others_place = parting(depth, offsetof(WholeParting, other_mask));
  Value* others = b_.CreateLoad(word, others_place);
  BasicBlock *others_go = fresh(), *all_go = fresh();
  b_.CreateCondBr(b_.CreateICmpEQ(others, b_.getInt32(0)), all_go, others_go);
  b_.SetInsertPoint(others_go);
  b_.CreateStore(arrived, arrived_place);
  b_.CreateStore(b_.getInt32(0), others_place);
  b_.CreateStore(others, mask_place_);
  if (warp_of_note_) b_.CreateStore(b_.getInt32(0), parting(depth, offsetof(WholeParting, later)));
  begin_budget();
  BasicBlock* nowhere = fresh();
  SwitchInst* where =
      b_.CreateSwitch(b_.CreateLoad(word, parting(depth, offsetof(WholeParting, other))), nowhere);
  for (u32 start : starts->second)
    if (start != k) where->addCase(b_.getInt32(start), to(start));
  b_.SetInsertPoint(nowhere);
  b_.CreateUnreachable();
  b_.SetInsertPoint(all_go);
  if (warp_of_note_) {
    BasicBlock *later = fresh(), *on = fresh();
    b_.CreateCondBr(
        b_.CreateICmpEQ(b_.CreateLoad(word, parting(depth, offsetof(WholeParting, later))), b_.getInt32(0)),
        on, later);
    b_.SetInsertPoint(later);
    begin_budget();
    b_.CreateBr(on);
    b_.SetInsertPoint(on);
  }
  Value* less = b_.CreateSub(depth, b_.getInt32(1));
  b_.CreateStore(less, depth_place);
  b_.CreateStore(arrived, mask_place_);
  b_.CreateBr(look);
  b_.SetInsertPoint(none_waits);
  go_on_together(k, past);
  b_.SetInsertPoint(past);
}

}  // namespace ww::engine
