// Whole-warp code: f32 arithmetic that is not rounded to nearest. The rows compute it in float64
// (isa/lane_directed.h); AVX-512 has instructions that say how they round, with the same results.
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

}  // namespace ww::engine
