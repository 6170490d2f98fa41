// Whole-warp code that is entered at the heads of loops: for warps that have gone on without it, or began
// before there was any, and have given up their turn there. (CompileUnit::again. It is code of its own: with
// such entries into loops that warps begin before, LLVM knows less of what the loops begin with.)
#include <set>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// A warp begins at one of these if its registers have the patterns that the code expects there. Otherwise it
/// returns to where it is, and the frame is as it was.
void Whole::make_heads(SwitchInst& begin) {
  BasicBlock* const away = begin.getDefaultDest();
  b_.SetInsertPoint(away);
  Value* number = b_.CreateZExt(begin.getCondition(), b_.getInt64Ty());
  b_.CreateRet(b_.CreateGEP(b_.getInt8Ty(), here_, b_.CreateMul(number, b_.getInt64(sizeof(Inst)))));
  std::set<u32> heads;
  for (u32 k = 0; k < unit_.count; ++k)
    if (unit_.steps[k].branches && unit_.code[k].aux->backward)
      heads.insert(static_cast<u32>(unit_.code[k].aux->target - unit_.code));
  for (u32 k : heads) {
    BasicBlock* there = fresh();
    b_.SetInsertPoint(there);
    for (u32 n = 0; n < unit_.slot_count; ++n) {
      const WholeSlot& s = unit_.slots[n];
      if (!live_[k][n] || is_common(n)) continue;
      if (s.from == WholeSlot::From::Code && lanes_of(s) != WholeSlot::Lanes::Any) {
        enter_lanes(s);
        even_again(s, away);
      } else {
        enter_slot(s);
      }
    }
    b_.CreateBr(block(k));
    begin.addCase(b_.getInt32(k), there);
  }
}

}  // namespace ww::engine
