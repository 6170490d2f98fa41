// Whole-warp code: instructions that are carried out by their native handlers, and shuffles.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;

/// Calls the instruction's handler, with what it reads in the frame. Where it does not lead to the next
/// instruction the frame is brought up to date, and whoever called this code sees what it has returned.
void Whole::native(u32 k) {
  const CompileStep& s = unit_.steps[k];
  if (parted_ && s.lanes_meet) {
    b_.CreateBr(leave_at(k));
    return;
  }
  const u32* operands = unit_.operands + s.operands;
  const auto slot_in_code = [&](u32 offset) -> const WholeSlot* {
    const WholeSlot* slot = slot_of(offset);
    return slot && slot->from != From::Constant && slot->from != From::Frame ? slot : nullptr;
  };
  for (u32 n = 0; n < s.reads; ++n)
    if (const WholeSlot* slot = slot_in_code(operands[n])) into_frame(*slot);
  if (s.shape) b_.CreateStore(b_.getInt32(0), at(frame_, s.shape + offsetof(AddressShape, mask)));
  Value* mask_place = at(warp_, offsetof(Warp, mask));
  if (parted_) b_.CreateStore(active_mask(), mask_place);
  if (!s.plain) tell_notes();
  Value* next = call_native(k, parted_);
  if (parted_) b_.CreateStore(present_, mask_place);
  const auto take_results = [&] {
    for (u32 n = 0; n < s.writes; ++n)
      if (const WholeSlot* slot = slot_of(operands[s.reads + n])) enter_slot(*slot);
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
      exit.needed[n] = written_[n] && live_[k + 1][n] &&
                       std::find(operands, operands + s.reads, unit_.slots[n].offset) == operands + s.reads;
    b_.CreateStore(b_.getInt8(1), at(state_, offsetof(WholeState, called)));
    b_.CreateStore(b_.getInt32(k + 1), at(state_, offsetof(WholeState, pause)));
    called_exits_[parted_].push_back(std::move(exit));
    b_.SetInsertPoint(on);
  }
  take_results();
  b_.CreateBr(to(k + 1));
}

}  // namespace ww::engine
