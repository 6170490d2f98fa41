// Whole-warp code: products that become addresses and may not fit (events::Overflow). Whether they do is seen
// in place; the handler, which tells of those that do not, is called where one may not.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using Lanes = WholeSlot::Lanes;

/// Lanes of a half-warp whose number, of i64, is not one that 32 bits hold with a sign.
static Value* do_not_fit(IRBuilderBase& b, Value* whole) {
  Type* narrow = whole->getType()->getWithNewBitWidth(32);
  return b.CreateICmpNE(whole, b.CreateSExt(b.CreateTrunc(whole, narrow), whole->getType()));
}

/// Whether src[0] · src[1] + src[2] may not fit in a lane, for operands that grow evenly through a half-warp
/// and of which one factor is the same in all of its lanes: then the result grows evenly, too, and lies
/// between those at the ends. (As signed numbers alone, and only if no operand wraps around.)
Value* Whole::ends_do_not_fit(const Inst& i) {
  Type* const wide = b_.getInt64Ty();
  const WholeSlot* slots[3];
  bool same = true, same_halves = true;
  for (unsigned n = 0; n < 3; ++n) {
    slots[n] = even(i.src[n]);
    same &= slots[n]->stride == 0;
    same_halves &= lanes_of(*slots[n]) == Lanes::Same;
  }
  Value* wrong = b_.getFalse();
  for (int h = 0; h < (same_halves ? 1 : 2); ++h) {
    Value* ends[2][3];
    for (unsigned n = 0; n < 3; ++n) {
      ends[0][n] = b_.CreateSExt(first_of(*slots[n], h), wide);
      ends[1][n] = ends[0][n];
      if (slots[n]->stride == 0) continue;
      const int64_t further = int64_t{slots[n]->stride} * (kHalf - 1);
      ends[1][n] = b_.CreateAdd(ends[0][n], b_.getInt64(static_cast<u64>(further)));
      wrong = b_.CreateOr(wrong, do_not_fit(b_, ends[1][n]));
    }
    for (unsigned e = 0; e < (same ? 1u : 2u); ++e)
      wrong =
          b_.CreateOr(wrong, do_not_fit(b_, b_.CreateAdd(b_.CreateMul(ends[e][0], ends[e][1]), ends[e][2])));
  }
  return wrong;
}

/// The lanes in which it does not fit.
Value* Whole::lanes_that_do_not_fit(const Inst& i, bool is_signed) {
  auto* wide = FixedVectorType::get(b_.getInt64Ty(), kHalf);
  Value* all = b_.getInt32(0);
  for (unsigned h = 0; h < 2; ++h) {
    Value* operands[3];
    for (unsigned n = 0; n < 3; ++n) operands[n] = half_of(i.src[n], 4, h);
    const auto result = [&](auto&& widen) {
      return b_.CreateAdd(b_.CreateMul(widen(operands[0]), widen(operands[1])), widen(operands[2]));
    };
    Value* wrong = do_not_fit(b_, result([&](Value* v) { return b_.CreateSExt(v, wide); }));
    if (!is_signed) {
      Value* plain = result([&](Value* v) { return b_.CreateZExt(v, wide); });
      wrong = b_.CreateAnd(wrong, b_.CreateICmpUGT(plain, ConstantInt::get(wide, UINT32_MAX)));
    }
    Value* bits = b_.CreateZExt(b_.CreateBitCast(wrong, b_.getInt16Ty()), b_.getInt32Ty());
    all = b_.CreateOr(all, b_.CreateShl(bits, u64{h * kHalf}));
  }
  return all;
}

void Whole::product(u32 k) {
  using Product = CompileStep::Product;
  const Inst& i = unit_.code[k];
  const WholeSlot *a = even(i.src[0]), *b = even(i.src[1]), *c = even(i.src[2]);
  const bool evenly = a && b && c && (a->stride == 0 || b->stride == 0);
  Value* fits = nullptr;
  if (evenly) {
    fits = b_.CreateNot(ends_do_not_fit(i));
  } else {
    Value* wrong = lanes_that_do_not_fit(i, unit_.steps[k].product == Product::Signed);
    wrong = b_.CreateAnd(wrong, active_mask());
    if (i.guarded) wrong = b_.CreateAnd(wrong, guard_of(i));
    fits = b_.CreateICmpEQ(wrong, b_.getInt32(0));
  }
  BasicBlock* tell = fresh();
  likely(fits, to(k + 1), tell);
  b_.SetInsertPoint(tell);
  native(k);
}

}  // namespace ww::engine
