// Whole-warp code: one warp of a block after another, without going back to whoever called it. What they have
// in common (parameters, the block's number, where memory lies) is found once for all of them.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Kind = CompileStep::Kind;

/// Whether all warps hold the same in the slot, whatever the code does.
bool Whole::is_common(u32 n) const {
  const WholeSlot& s = unit_.slots[n];
  return s.from == From::Constant || s.from >= From::BlockX || (s.from == From::Frame && s.common);
}

/// Whether the code takes the next warp itself. Not where warps mostly go round a loop before they end or
/// wait: they have work enough then, and LLVM keeps what such a loop needs in memory once there is a loop
/// over warps around it (Mandelbrot set: 3 × slower). Nor with the carry flag, which would have to be taken
/// back.
bool Whole::takes_turns() const {
  if (unit_.again) return false;  // such warps come one by one
  u32 pauses = 0, loops = 0;      // so far; loops without a pause
  std::vector<u32> before;
  for (u32 k = 0; k < unit_.count; ++k) {
    before.push_back(pauses);
    pauses += unit_.steps[k].kind == Kind::Pause;
    if (unit_.steps[k].carries) return false;
    loops += unit_.steps[k].branches && unit_.code[k].aux->backward &&
             before[static_cast<size_t>(unit_.code[k].aux->target - unit_.code)] == pauses;
  }
  return loops == 0 || pauses > loops;
}

/// From here on the code is for each warp.
void Whole::begin_turns() {
  executed_ = b_.CreateLoad(pointer_, at(warp_, offsetof(Warp, executed)));
  sites_ = state_field(pointer_, offsetof(WholeState, sites));
  shared_ = b_.CreatePtrToInt(state_field(pointer_, offsetof(WholeState, shared)), b_.getInt64Ty());
  shared_bytes_ = state_field(b_.getInt64Ty(), offsetof(WholeState, shared_bytes));
  std::vector<bool> read(unit_.slot_count);
  for (u32 k = 0; k < unit_.count; ++k)
    for (u32 n :
         effects_of(unit_.code[k], unit_.steps[k], unit_.operands, unit_.slots, unit_.slot_count).read)
      read[n] = true;
  for (u32 n = 0; n < unit_.slot_count; ++n)
    if (is_common(n) && (read[n] || live_[0][n])) enter_slot(unit_.slots[n]);
  BasicBlock *before = b_.GetInsertBlock(), *turn = fresh();
  b_.CreateBr(turn);
  b_.SetInsertPoint(turn);
  turn_warp_ = b_.CreatePHI(pointer_, 2);
  turn_frame_ = b_.CreatePHI(pointer_, 2);
  turn_warp_->addIncoming(warp_, before);
  turn_frame_->addIncoming(frame_, before);
  warp_ = turn_warp_;
  frame_ = turn_frame_;
  if (std::any_of(unit_.steps, unit_.steps + unit_.count, [](const CompileStep& s) { return s.noted; })) {
    Value* number = b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, id)));
    warp_of_note_ = b_.CreateShl(b_.CreateZExt(number, b_.getInt64Ty()), 48);
  }
  if (takes_turns()) next_ = fresh();
  if (!next_) return;
  // place_slots() looks for it; it is in the way of nothing and stays where it is.
  Function* begins = Function::Create(FunctionType::get(b_.getVoidTy(), {}, false),
                                      GlobalValue::ExternalLinkage, "ww_turn", module_);
  begins->setDoesNotAccessMemory();
  begins->setDoesNotThrow();
  b_.CreateCall(begins);
}

/// What the slot held is nothing to anybody. In vectors, as slots are written: LLVM would take a memset of
/// nothing in particular for one of zeros.
void Whole::forget(IRBuilder<>& here, AllocaInst* memory) const {
  auto* part = FixedVectorType::get(here.getInt32Ty(), kPartBytes / 4);
  const u64 bytes = memory->getAllocationSize(module_.getDataLayout())->getFixedValue();
  for (u64 at = 0; at < bytes; at += kPartBytes)
    here.CreateAlignedStore(UndefValue::get(part),
                            here.CreateConstInBoundsGEP1_64(here.getInt8Ty(), memory, at), Align(kPartBytes));
}

/// What one warp left in the slots is nothing to the next: without this, LLVM would carry it along where it
/// cannot see that nobody reads it.
void Whole::forget_last_turn(const std::map<std::pair<int, u32>, AllocaInst*>& slots) {
  Function* begins = module_.getFunction("ww_turn");
  if (!begins) return;
  for (User* user : make_early_inc_range(begins->users())) {
    auto* call = cast<CallInst>(user);
    IRBuilder<> here(call);
    for (const auto& [place, memory] : slots) {
      const WholeSlot* s = place.second >= kFrameStart ? slot_of(place.second) : nullptr;
      if (!s || s->from == From::Code) forget(here, memory);
    }
    call->eraseFromParent();
  }
  begins->eraseFromParent();
}

bool Whole::pauses() const {
  return std::any_of(unit_.steps, unit_.steps + unit_.count,
                     [](const CompileStep& s) { return s.kind == Kind::Pause; });
}

/// All warps have come to the barrier: they go on behind it, the one that was the last first.
void Whole::begin_round(u32 pause) {
  Type* const word = b_.getInt32Ty();
  const auto set = [&](u64 field, Value* v) { b_.CreateStore(v, at(state_, field)); };
  Value* all = state_field(word, offsetof(WholeState, all));
  set(offsetof(WholeState, rounds),
      b_.CreateSub(state_field(word, offsetof(WholeState, rounds)), b_.getInt32(1)));
  set(offsetof(WholeState, resume), b_.getInt32(pause));
  set(offsetof(WholeState, expected), b_.getInt32(WholeState::kAnyPause));
  set(offsetof(WholeState, more), all);
  // In the half of the ring where all others stand behind it, too.
  Value* here = b_.CreateConstGEP1_64(pointer_, state_field(pointer_, offsetof(WholeState, others)), -1);
  Value* before = b_.CreateGEP(pointer_, here, b_.CreateNeg(b_.CreateZExt(all, b_.getInt64Ty())));
  Value* second = b_.CreateICmpUGE(here, state_field(pointer_, offsetof(WholeState, middle)));
  set(offsetof(WholeState, others), b_.CreateSelect(second, before, here));
}

/// The warp has ended (`pause`: 0), or waits to go on behind a pause: the next one begins, or the code
/// returns. (It does where memory has been freed, too: whoever called it forgets then where memory was.)
void Whole::end_turn(u32 pause, Value* result) {
  Type* const word = b_.getInt32Ty();
  // All of them wait for the same barrier if its number is a constant.
  const WholeSlot* number = pause ? slot_of(unit_.code[pause - 1].src[0]) : nullptr;
  if (next_ && (!number || number->from == From::Constant)) {
    BasicBlock *same = fresh(), *away = fresh();
    const auto is_not_0 = [&](u64 field) {
      return b_.CreateICmpNE(state_field(word, field), b_.getInt32(0));
    };
    LoadInst* epoch = b_.CreateLoad(word, state_field(pointer_, offsetof(WholeState, epoch)));
    epoch->setVolatile(true);
    Value* go = b_.CreateICmpEQ(epoch, state_field(word, offsetof(WholeState, epoch_seen)));
    if (pauses()) {
      Value* expected = state_field(word, offsetof(WholeState, expected));
      Value* as_expected = b_.CreateICmpEQ(expected, b_.getInt32(pause));
      if (!pause || unit_.steps[pause - 1].waits) {
        BasicBlock* told = fresh();
        Value* any = b_.CreateICmpEQ(expected, b_.getInt32(WholeState::kAnyPause));
        b_.CreateCondBr(b_.CreateAnd(go, b_.CreateOr(as_expected, any)), told, away);
        b_.SetInsertPoint(told);
        b_.CreateStore(b_.getInt32(pause), at(state_, offsetof(WholeState, expected)));
        go = b_.getInt1(true);
      } else {
        go = b_.CreateAnd(go, as_expected);
      }
    }
    BasicBlock* last = pause && unit_.steps[pause - 1].waits ? fresh() : away;
    b_.CreateCondBr(b_.CreateAnd(go, is_not_0(offsetof(WholeState, more))), same, last);
    b_.SetInsertPoint(same);
    b_.CreateBr(next_);
    if (last != away) {
      b_.SetInsertPoint(last);
      BasicBlock* round = fresh();
      b_.CreateCondBr(is_not_0(offsetof(WholeState, rounds)), round, away);
      b_.SetInsertPoint(round);
      begin_round(pause);
      b_.CreateBr(next_);
    }
    b_.SetInsertPoint(away);
  }
  if (pause) b_.CreateStore(b_.getInt32(pause), at(state_, offsetof(WholeState, pause)));
  b_.CreateRet(result);
}

/// Takes the next warp.
void Whole::make_next() {
  if (!next_) return;
  Type* const word = b_.getInt32Ty();
  b_.SetInsertPoint(next_);
  Value* more_place = at(state_, offsetof(WholeState, more));
  b_.CreateStore(b_.CreateSub(b_.CreateLoad(word, more_place), b_.getInt32(1)), more_place);
  Value* list_place = at(state_, offsetof(WholeState, others));
  Value* list = b_.CreateLoad(pointer_, list_place);
  Value* warp = b_.CreateLoad(pointer_, list);
  b_.CreateStore(at(list, sizeof(Warp*)), list_place);
  b_.CreateStore(warp, at(state_, offsetof(WholeState, warp)));
  if (std::any_of(unit_.steps, unit_.steps + unit_.count, [](const CompileStep& s) { return s.branches; }))
    b_.CreateStore(state_field(word, offsetof(WholeState, turn_budget)), at(warp, offsetof(Warp, budget)));
  turn_warp_->addIncoming(warp, next_);
  turn_frame_->addIncoming(b_.CreateLoad(pointer_, at(warp, offsetof(Warp, regs))), next_);
  b_.CreateBr(turn_warp_->getParent());
}

}  // namespace ww::engine
