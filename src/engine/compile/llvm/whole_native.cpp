// Whole-warp code: instructions that are carried out by their native handlers, and shuffles.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;

/// Whether the lanes that the first active one names (src[3], in the frame) are active, of those that the
/// warp has.
Value* Whole::all_named_are_active(const Inst& i) {
  Type* const word = b_.getInt32Ty();
  Value* lanes = active_mask();
  if (i.guarded) lanes = b_.CreateAnd(lanes, guard_of(i));
  Value* first = b_.CreateAnd(b_.CreateBinaryIntrinsic(Intrinsic::cttz, lanes, b_.getFalse()), kLanes - 1);
  Value* named = b_.CreateLoad(word, b_.CreateGEP(word, at(frame_, i.src[3]), first));
  Value* absent = b_.CreateAnd(b_.CreateAnd(named, present_), b_.CreateNot(lanes));
  Value* none = b_.getInt32(0);
  return b_.CreateOr(b_.CreateICmpEQ(lanes, none), b_.CreateICmpEQ(absent, none));
}

/// A slot that is the same in all active lanes, from the frame, where the others have something else.
void Whole::enter_active(const WholeSlot& s) {
  Value* first = b_.CreateBinaryIntrinsic(Intrinsic::cttz, active_mask(), b_.getTrue());
  Value* v = nullptr;
  if (s.lane_bytes == 0) {
    Value* bits = b_.CreateLoad(b_.getInt32Ty(), at(frame_, s.offset));
    v = b_.CreateSExt(b_.CreateTrunc(b_.CreateLShr(bits, first), b_.getInt1Ty()), b_.getInt32Ty());
  } else {
    Type* lane = b_.getIntNTy(8 * s.lane_bytes);
    v = b_.CreateLoad(lane, b_.CreateGEP(lane, at(frame_, s.offset), first));
  }
  set_even(s, v, v);
}

/// Calls the instruction's handler, with what it reads in the frame. Where it does not lead to the next
/// instruction the frame is brought up to date, and whoever called this code sees what it has returned.
void Whole::native(u32 k) {
  const CompileStep& s = unit_.steps[k];
  const Inst& i = unit_.code[k];
  if (parted_ && s.meets == CompileStep::Meets::Warp) {
    b_.CreateBr(leave_at(k));
    return;
  }
  const u32* operands = unit_.operands + s.operands;
  const auto slot_in_code = [&](u32 offset) -> const WholeSlot* {
    const WholeSlot* slot = slot_of(offset);
    return slot && slot->from != From::Constant && slot->from != From::Frame ? slot : nullptr;
  };
  for (u32 n = 0; n < s.reads; ++n)
    if (const WholeSlot* slot = slot_in_code(operands[n]);
        slot && newer_[k][static_cast<size_t>(slot - unit_.slots)])
      into_frame(*slot);
  if (parted_ && s.meets == CompileStep::Meets::Named) go_if(all_named_are_active(i), k);
  if (parted_ && s.collective == CompileStep::Collective::Meet) {
    b_.CreateBr(to(k + 1));
    return;
  }
  if (s.shape) b_.CreateStore(b_.getInt32(0), at(frame_, s.shape + offsetof(AddressShape, mask)));
  Value* mask_place = at(warp_, offsetof(Warp, mask));
  if (parted_) b_.CreateStore(active_mask(), mask_place);
  if (!s.plain) tell_notes(), forget_walks();
  Value* next = call_native(k, parted_);
  if (parted_) b_.CreateStore(present_, mask_place);
  const auto take_results = [&] {
    for (u32 n = 0; n < s.writes; ++n)
      if (const WholeSlot* slot = slot_of(operands[s.reads + n]))
        parted_&& lanes_of(*slot) == WholeSlot::Lanes::Same ? enter_active(*slot) : enter_slot(*slot);
  };
  if (!s.plain) {
    BasicBlock *on = fresh(), *away = fresh();
    likely(b_.CreateICmpEQ(next, place(k + 1)), on, away);
    b_.SetInsertPoint(away);
    // It has written what it writes to the frame; but other exits that share code with this one may write
    // these registers there again.
    take_results();
    Exit exit{k, b_.GetInsertBlock(), next, std::vector<bool>(unit_.slot_count)};
    for (u32 n = 0; n < unit_.slot_count; ++n)
      exit.needed[n] = written_[n] && newer_[k][n] && live_[k + 1][n] &&
                       std::find(operands, operands + s.reads, unit_.slots[n].offset) == operands + s.reads;
    b_.CreateStore(b_.getInt8(1), at(state_, offsetof(WholeState, called)));
    b_.CreateStore(b_.getInt32(k + 1), at(state_, offsetof(WholeState, pause)));
    called_exits_[parted_].push_back(std::move(exit));
    b_.SetInsertPoint(on);
  }
  take_results();
  if (!s.plain && unit_.undefined_flag) leave_if_undefined(k + 1);
  b_.CreateBr(to(k + 1));
}

/// Leaves at the instruction if an undefined value has come into a register: the interpreter follows it.
void Whole::leave_if_undefined(u32 k) {
  BasicBlock *on = fresh(), *away = fresh();
  Value* flag = b_.CreateLoad(b_.getInt32Ty(), at(frame_, unit_.undefined_flag));
  likely(b_.CreateICmpEQ(flag, b_.getInt32(0)), on, away);
  // (Not as a pause, where the next warp would take its turn.)
  called_exits_[parted_].push_back({k, away, nullptr, needed_at(k)});
  b_.SetInsertPoint(on);
}

}  // namespace ww::engine
