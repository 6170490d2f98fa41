// Whole-warp code: arithmetic by instructions that say how they round, which AVX-512 has: of f32 that is not
// rounded to nearest, where the rows compute in float64 (isa/lane_directed.h), and of halves, where they look
// for the error of a sum (isa/lane_half.h). The results are the same.
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

void Whole::directed(u32 k) {
  using Directed = CompileStep::Directed;
  const Inst& i = unit_.code[k];
  const Directed what = unit_.steps[k].directed;
  const auto mode = static_cast<isa::Mod>(i.rounding);
  // As Intel's manual encodes it; 8: without exceptions.
  Value* rounding = b_.getInt32(8 | (mode == isa::Mod::rm ? 1 : mode == isa::Mod::rp ? 2 : 3));
  auto* numbers = FixedVectorType::get(b_.getFloatTy(), kHalf);
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  const WholeSlot* result = slot_of(i.dst);
  Value* mask = nullptr;
  if (i.guarded || kept(k, i.dst)) mask = active_mask();
  if (i.guarded) mask = b_.CreateAnd(mask, guard_of(i));
  Value* v[2];
  for (unsigned h = 0; h < 2; ++h) {
    std::vector<Value*> operands;
    for (int n = 0; n < (what == Directed::Fused ? 3 : 2); ++n)
      operands.push_back(b_.CreateBitCast(half_of(i.src[n], 4, h), numbers));
    operands.push_back(rounding);
    const Intrinsic::ID id = what == Directed::Sum       ? Intrinsic::x86_avx512_add_ps_512
                             : what == Directed::Product ? Intrinsic::x86_avx512_mul_ps_512
                                                         : Intrinsic::x86_avx512_vfmadd_ps_512;
    Value* number = b_.CreateIntrinsic(id, {}, operands);
    v[h] = b_.CreateBitCast(number, words);
    if (!result || !result->any_nan)
      v[h] = b_.CreateSelect(b_.CreateFCmpUNO(number, number), ConstantInt::get(words, 0x7fffffff), v[h]);
  }
  for (unsigned h = 0; h < 2; ++h) put_lanes(i.dst, 4, h * kHalf, v[h], mask);
  b_.CreateBr(to(k + 1));
}

/// 16 halves from as many of each operand, as 16-bit integers. What is rounded down and what is rounded up
/// are one number or two neighbours, of which one is odd: that is the exact result rounded to odd, with more
/// than twice the bits of a half and two, so rounding it once more does no harm.
Value* Whole::computed_half(CompileStep::Directed what, Value* const operands[3]) {
  using Directed = CompileStep::Directed;
  auto* numbers = FixedVectorType::get(b_.getFloatTy(), kHalf);
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  auto* halves = FixedVectorType::get(b_.getInt16Ty(), kHalf);
  const auto all = [&](u32 n) { return ConstantInt::get(words, n); };
  Value* v[3];
  for (int n = 0; n < 3; ++n) {
    if (n == 2 && what == Directed::ProductBf16)
      v[n] = ConstantFP::getNegativeZero(numbers);
    else if (what == Directed::FusedF16)
      v[n] =
          b_.CreateFPExt(b_.CreateBitCast(operands[n], FixedVectorType::get(b_.getHalfTy(), kHalf)), numbers);
    else
      v[n] = b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(operands[n], words), 16), numbers);
  }
  const auto rounded = [&](u32 rounding) {  // as Intel's manual encodes it; 8: without exceptions
    return b_.CreateIntrinsic(Intrinsic::x86_avx512_vfmadd_ps_512, {},
                              {v[0], v[1], v[2], b_.getInt32(8 | rounding)});
  };
  Value *down = rounded(1), *up = rounded(2), *bits = b_.CreateBitCast(down, words);
  Value* is_odd = b_.CreateICmpNE(b_.CreateAnd(bits, all(1)), all(0));
  Value* odd = b_.CreateSelect(is_odd, down, up);
  Value* half = nullptr;
  if (what == Directed::FusedF16) {
    half = b_.CreateBitCast(b_.CreateFPTrunc(odd, FixedVectorType::get(b_.getHalfTy(), kHalf)), halves);
  } else {
    bits = b_.CreateBitCast(odd, words);
    bits = b_.CreateAdd(bits, b_.CreateAdd(b_.CreateAnd(b_.CreateLShr(bits, 16), all(1)), all(0x7fff)));
    half = b_.CreateTrunc(b_.CreateLShr(bits, 16), halves);
  }
  return b_.CreateSelect(b_.CreateFCmpUNO(odd, odd), ConstantInt::get(halves, 0x7fff), half);
}

void Whole::directed_halves(u32 k) {
  const Inst& i = unit_.code[k];
  const CompileStep& step = unit_.steps[k];
  const unsigned bytes = i.dst_bytes;
  const bool pairs = bytes == 4;
  auto* halves = FixedVectorType::get(b_.getInt16Ty(), kHalf);
  Value* mask = nullptr;
  if (i.guarded || kept(k, i.dst)) mask = active_mask();
  if (i.guarded) mask = b_.CreateAnd(mask, guard_of(i));
  const int count = step.directed == CompileStep::Directed::ProductBf16 ? 2 : 3;
  Value* result[2];
  for (unsigned h = 0; h < 2; ++h) {
    Value *low[3] = {}, *high[3] = {};
    for (int n = 0; n < count; ++n) {
      Value* v = half_of(i.src[n], bytes, h);
      low[n] = b_.CreateTrunc(v, halves);
      if (pairs) high[n] = b_.CreateTrunc(b_.CreateLShr(v, 16), halves);
    }
    result[h] = computed_half(step.directed, low);
    if (!pairs) continue;
    auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
    Value* above = b_.CreateShl(b_.CreateZExt(computed_half(step.directed, high), words), 16);
    result[h] = b_.CreateOr(b_.CreateZExt(result[h], words), above);
  }
  for (unsigned h = 0; h < 2; ++h) put_lanes(i.dst, bytes, h * kHalf, result[h], mask);
  b_.CreateBr(to(k + 1));
}

}  // namespace ww::engine
