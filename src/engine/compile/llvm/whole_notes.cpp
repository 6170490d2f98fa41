// Whole-warp code: notes accesses for listeners (Note).
#include <llvm/IR/InlineAsm.h>

#include "engine/compile/llvm/processor.h"
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// Writes a note there. Returns where it ends.
Value* Whole::write_note(u32 k, const Places& places, Value* mask, Value* place) {
  Type* const wide = b_.getInt64Ty();
  const bool apart = places.distance[0] != nullptr;
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
  return at(place, bytes);
}

/// What all lanes would store, behind the note.
void Whole::write_values(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  if (key.kind != AccessKey::Kind::Store) return;
  Value* values = at(state_field(pointer_, offsetof(WholeState, notes_begin)), kNotedValues);
  for (u32 n = 0; n < key.elements; ++n) {
    const u32 from = element_of(i, n);
    if (from == kSink) continue;
    for (unsigned h = 0; h < 2; ++h) {
      Value* v = half_of(from, key.register_bytes, h);
      if (const WholeSlot* slot = slot_of(from)) v = canonical(*slot, v);
      b_.CreateAlignedStore(v, at(values, u64{n} * kNotedElement + u64{h} * kHalf * key.register_bytes),
                            Align(8));
    }
  }
}

/// Tells of an access of the lanes of the mask before it is made, or leaves it to the interpreter.
void Whole::ask(u32 k, const Places& places, Value* mask) {
  write_note(k, places, mask, state_field(pointer_, offsetof(WholeState, notes_begin)));
  write_values(k);
  FunctionType* type = FunctionType::get(b_.getInt32Ty(), {pointer_}, false);
  CallInst* told = b_.CreateCall(type, state_field(pointer_, offsetof(WholeState, ask)), {state_});
  told->setDoesNotThrow();
  go_if(b_.CreateICmpNE(told, b_.getInt32(0)), k);
}

/// Notes an access of the lanes of the mask, which is going to succeed.
void Whole::note(u32 k, const Places& places, Value* mask) {
  if (unit_.asks) return ask(k, places, mask);
  BasicBlock *full = fresh(), *on = fresh();
  const auto next = [&] { return state_field(pointer_, offsetof(WholeState, notes)); };
  likely(b_.CreateICmpULT(next(), state_field(pointer_, offsetof(WholeState, notes_full))), on, full);
  b_.SetInsertPoint(full);
  InlineAsm* code = InlineAsm::get(FunctionType::get(b_.getVoidTy(), {pointer_}, false),
                                   processor::quiet_call(offsetof(WholeState, tell_quietly)),
                                   processor::kTellArguments, true);
  b_.CreateCall(code, {state_})->setDoesNotThrow();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  b_.CreateStore(write_note(k, places, mask, next()), at(state_, offsetof(WholeState, notes)));
}

/// Tells of what has been noted, before others may tell anything.
void Whole::tell_notes() {
  if (!warp_of_note_ || unit_.asks) return;
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
