// Whole-warp code: loads that come round in a loop are asked for a round early.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// Whether the innermost loop around the instruction calls handlers, goes to memory lane by lane, or parts
/// lanes: that takes longer than the processor looks ahead, so it comes to the next round's loads only when
/// they are due. (Grid-stride loops read from another page in each round, where it does not fetch by itself
/// either.)
bool Whole::loop_takes_long(u32 k) const {
  for (u32 end = k; end < unit_.count; ++end) {
    if (!unit_.steps[end].branches || !unit_.code[end].aux->backward) continue;
    const auto begin = static_cast<u32>(unit_.code[end].aux->target - unit_.code);
    if (begin > k) continue;
    for (u32 n = begin; n < end; ++n) {
      const CompileStep& s = unit_.steps[n];
      if (calls_handler(s)) return true;
      if (s.join) return true;
      if (s.kind == CompileStep::Kind::Access && !s.local && !even(unit_.code[n].src[0])) return true;
    }
    return false;
  }
  return false;
}

/// A row of global memory that is loaded in such a loop: the next one lies as far behind it as it lies behind
/// the one before. What is fetched in vain (a loop's first round, its last) is harmless wherever it is.
void Whole::fetch_ahead(u32 k, Value* host, const Places& places) {
  const AccessKey& key = unit_.code[k].aux->access;
  if (parted_ || key.where == AccessKey::Where::Shared || places.kind != Places::Kind::Rows ||
      !loop_takes_long(k))
    return;
  auto* last = cast<AllocaInst>(own(b_.getInt64Ty()));
  IRBuilder<>(last->getNextNode()).CreateStore(b_.getInt64(0), last);
  Value* here = b_.CreateAdd(host, places.first[0]);
  Value* step = b_.CreateSub(here, b_.CreateLoad(b_.getInt64Ty(), last));
  b_.CreateStore(here, last);
  constexpr u64 kLine = 64;
  const u64 bytes = u64{kLanes} * key.bytes * key.elements;
  for (u64 at = 0; at < bytes; at += kLine) {
    Value* there = b_.CreateIntToPtr(b_.CreateAdd(b_.CreateAdd(here, step), b_.getInt64(at)), pointer_);
    b_.CreateIntrinsic(Intrinsic::prefetch, {pointer_},
                       {there, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
  }
}

}  // namespace ww::engine
