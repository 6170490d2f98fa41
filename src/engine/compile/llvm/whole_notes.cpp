// Whole-warp code: notes accesses for listeners (Note).
#include <llvm/IR/InlineAsm.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// Notes an access of the lanes of the mask, which is going to succeed.
void Whole::note(u32 k, const Places& places, Value* mask) {
  Type* const wide = b_.getInt64Ty();
  BasicBlock *full = fresh(), *on = fresh();
  const auto next = [&] { return state_field(pointer_, offsetof(WholeState, notes)); };
  likely(b_.CreateICmpULT(next(), state_field(pointer_, offsetof(WholeState, notes_full))), on, full);
  b_.SetInsertPoint(full);
  const std::string text = "call *" + std::to_string(offsetof(WholeState, tell_quietly)) + "(%rdi)";
  InlineAsm* code = InlineAsm::get(FunctionType::get(b_.getVoidTy(), {pointer_}, false), text,
                                   "{di},~{rax},~{memory},~{dirflag},~{fpsr},~{flags}", true);
  b_.CreateCall(code, {state_})->setDoesNotThrow();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);

  const bool apart = places.distance[0] != nullptr;
  Value* place = next();
  const auto put = [&](u64 offset, Value* v) { b_.CreateAlignedStore(v, at(place, offset), Align(8)); };
  static_assert(offsetof(Note, instruction) == 0 && offsetof(Note, mask) == 4);
  static_assert(offsetof(Note, stride) == 24 && offsetof(Note, apart) == 28 && offsetof(Note, warp) == 30);
  put(0, b_.CreateOr(b_.CreateShl(b_.CreateZExt(mask, wide), 32), b_.getInt64(k)));
  for (unsigned h = 0; h < 2; ++h)
    put(offsetof(Note, first) + 8 * h,
        b_.CreateAdd(apart ? places.low : places.first[h], b_.getInt64(places.window)));
  const u64 stride = static_cast<u32>(places.stride);
  put(offsetof(Note, stride), b_.CreateOr(warp_of_note_, b_.getInt64(stride | u64{apart} << 32)));
  u64 bytes = sizeof(Note);
  for (unsigned h = 0; h < 2 && apart; ++h, bytes += kHalf * sizeof(int32_t))
    b_.CreateAlignedStore(places.near[h], at(place, bytes), Align(8));
  b_.CreateStore(at(place, bytes), at(state_, offsetof(WholeState, notes)));
}

/// Tells of what has been noted, before others may tell anything.
void Whole::tell_notes() {
  if (!warp_of_note_) return;
  BasicBlock *some = fresh(), *on = fresh();
  const auto field = [&](u64 offset) { return state_field(pointer_, offset); };
  b_.CreateCondBr(
      b_.CreateICmpEQ(field(offsetof(WholeState, notes)), field(offsetof(WholeState, notes_begin))), on,
      some);
  b_.SetInsertPoint(some);
  FunctionType* type = FunctionType::get(b_.getVoidTy(), {pointer_}, false);
  b_.CreateCall(type, field(offsetof(WholeState, tell)), {state_})->setDoesNotThrow();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

}  // namespace ww::engine
