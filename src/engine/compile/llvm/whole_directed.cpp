// Whole-warp code: arithmetic that the processor rounds as it is told: of f32 that is not rounded to nearest,
// where the rows compute in float64 (isa/lane_directed.h), and of halves, where they look for the error of a
// sum (isa/lane_half.h). The results are the same. AVX-512's instructions say how they round; elsewhere a
// register says it for all, so that it is changed for the vectors of a warp together.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/compile/llvm/processor.h"
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

/// As Intel's manual encodes it, in instructions and, 13 bits higher, in MXCSR.
u32 rounding_bits(isa::Mod mode) { return mode == isa::Mod::rm ? 1 : mode == isa::Mod::rp ? 2 : 3; }

constexpr u32 kNoExceptions = 8;  // in an instruction

}  // namespace

/// 16 numbers, rounded as the instruction says (AVX-512).
Value* Whole::rounded_by_instruction(CompileStep::Directed what, isa::Mod mode, const Operands& v) {
  using Directed = CompileStep::Directed;
  Value* rounding = b_.getInt32(kNoExceptions | rounding_bits(mode));
  switch (what) {
    case Directed::Sum:
      return b_.CreateIntrinsic(Intrinsic::x86_avx512_add_ps_512, {}, {v[0], v[1], rounding});
    case Directed::Product:
      return b_.CreateIntrinsic(Intrinsic::x86_avx512_mul_ps_512, {}, {v[0], v[1], rounding});
    default:
      return b_.CreateIntrinsic(Intrinsic::x86_avx512_vfmadd_ps_512, {}, {v[0], v[1], v[2], rounding});
  }
}

/// The numbers of a warp in two halves, rounded as the register says meanwhile. One piece of assembler:
/// nothing of the compiler's may come between.
std::array<Value*, 2> Whole::rounded_by_register(CompileStep::Directed what, isa::Mod mode,
                                                 const std::array<Operands, 2>& halves) {
  using processor::Rounding;
  using Directed = CompileStep::Directed;
  constexpr unsigned kVector = Rounding::kVector, kVectors = kLanes / kVector;
  const unsigned operands = what == Directed::Fused ? 3 : 2;
  auto* vector = FixedVectorType::get(b_.getFloatTy(), kVector);
  // Operands of the assembler: results, the factors or terms in whose registers they come, the other inputs,
  // then the two words for the register.
  const unsigned words = kVectors * (operands + 1);
  const auto number = [](unsigned n) { return "$" + std::to_string(n); };
  const unsigned tied = what == Directed::Fused ? Rounding::kTied : 0;
  const auto place_of = [&](unsigned k, unsigned n) {  // of a factor or term in the list of operands
    return number(k == tied ? n : kVectors * (2 + (k < tied ? k : k - 1)) + n);
  };
  std::string text = Rounding::set(words), constraints;
  std::vector<Value*> values;
  for (unsigned n = 0; n < kVectors; ++n) {
    text += what == Directed::Fused ? Rounding::fused(place_of(0, n), place_of(1, n), place_of(2, n))
            : what == Directed::Sum ? Rounding::sum(place_of(0, n), place_of(1, n))
                                    : Rounding::product(place_of(0, n), place_of(1, n));
    constraints += Rounding::kResult;
  }
  text += Rounding::set(words + 1);
  for (unsigned order = 0; order < operands; ++order) {
    const unsigned k = order == 0 ? tied : order <= tied ? order - 1 : order;
    for (unsigned n = 0; n < kVectors; ++n) {
      constexpr unsigned kInHalf = kHalf / kVector;
      const auto row = createSequentialMask(n % kInHalf * kVector, kVector, 0);
      values.push_back(b_.CreateShuffleVector(halves[n / kInHalf][k], row));
      constraints += order == 0 ? std::to_string(n) + "," : Rounding::kOperand;
    }
  }
  for (u32 word : {Rounding::kUsual | Rounding::bits(mode), Rounding::kUsual})
    values.push_back(Rounding::kInMemory ? static_cast<Value*>(constant(b_.getInt32(word)))
                                         : b_.getInt64(word));
  constraints += Rounding::kWords;
  std::vector<Type*> types;
  for (Value* v : values) types.push_back(v->getType());
  Type* results = StructType::get(context_, std::vector<Type*>(kVectors, vector));
  auto* type = FunctionType::get(results, types, false);
  CallInst* call = b_.CreateCall(type, InlineAsm::get(type, text, constraints, true), values);
  for (unsigned n = 0; n < 2 && Rounding::kInMemory; ++n)
    call->addParamAttr(static_cast<unsigned>(values.size()) - 2 + n,
                       Attribute::get(context_, Attribute::ElementType, b_.getInt32Ty()));
  call->setDoesNotThrow();
  std::array<Value*, 2> out;
  for (unsigned h = 0; h < 2; ++h) {
    std::vector<Value*> parts;
    for (unsigned n = 0; n < kVectors / 2; ++n)
      parts.push_back(b_.CreateExtractValue(call, h * (kVectors / 2) + n));
    out[h] = concatenateVectors(b_, parts);
  }
  return out;
}

void Whole::directed(u32 k) {
  const Inst& i = unit_.code[k];
  const CompileStep::Directed what = unit_.steps[k].directed;
  const auto mode = static_cast<isa::Mod>(i.rounding);
  auto* numbers = FixedVectorType::get(b_.getFloatTy(), kHalf);
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  const WholeSlot* result = slot_of(i.dst);
  Value* mask = nullptr;
  if (i.guarded || kept(k, i.dst)) mask = active_mask();
  if (i.guarded) mask = b_.CreateAnd(mask, guard_of(i));
  std::array<Operands, 2> halves{};
  for (unsigned h = 0; h < 2; ++h)
    for (int n = 0; n < (what == CompileStep::Directed::Fused ? 3 : 2); ++n)
      halves[h][n] = b_.CreateBitCast(half_of(i.src[n], 4, h), numbers);
  std::array<Value*, 2> v;
  if (one_by_one())
    v = rounded_by_register(what, mode, halves);
  else
    for (unsigned h = 0; h < 2; ++h) v[h] = rounded_by_instruction(what, mode, halves[h]);
  for (unsigned h = 0; h < 2; ++h) {
    Value* number = v[h];
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
