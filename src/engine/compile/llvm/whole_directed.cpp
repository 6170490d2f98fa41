// Whole-warp code: arithmetic that the processor rounds as it is told: of f32 that is not rounded to nearest,
// where the rows compute in float64 (isa/lane_directed.h), and of halves, where they look for the error of a
// sum (isa/lane_half.h). The results are the same. AVX-512's instructions say how they round; before, a
// register says it for all (MXCSR), so that it is changed for the four vectors of a warp together.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

/// As Intel's manual encodes it, in instructions and, 13 bits higher, in MXCSR.
u32 rounding_bits(isa::Mod mode) { return mode == isa::Mod::rm ? 1 : mode == isa::Mod::rp ? 2 : 3; }

constexpr u32 kNoExceptions = 8;               // in an instruction
constexpr u32 kUsualMxcsr = 0x1f80;            // to nearest, exceptions masked, denormal numbers as they are
constexpr unsigned kVector = 8, kVectors = 4;  // numbers of an AVX register, registers of a warp

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

/// The numbers of a warp in two halves, rounded as MXCSR says meanwhile. One piece of assembler: nothing of
/// the compiler's may come between.
std::array<Value*, 2> Whole::rounded_by_register(CompileStep::Directed what, isa::Mod mode,
                                                 const std::array<Operands, 2>& halves) {
  using Directed = CompileStep::Directed;
  const unsigned operands = what == Directed::Fused ? 3 : 2;
  auto* vector = FixedVectorType::get(b_.getFloatTy(), kVector);
  // Operands of the assembler: results ($0 to $3, where the first factors or terms come in), the other
  // inputs, then the two words for MXCSR.
  const unsigned words = kVectors * (operands + 1);
  const auto number = [](unsigned n) { return "$" + std::to_string(n); };
  std::string text = "ldmxcsr " + number(words), constraints;
  std::vector<Value*> values;
  for (unsigned n = 0; n < kVectors; ++n) {
    const std::string first = number(n), second = number(kVectors * 2 + n), third = number(kVectors * 3 + n);
    text += what == Directed::Fused ? "\n\tvfmadd213ps " + third + ", " + second + ", " + first
            : what == Directed::Sum ? "\n\tvaddps " + second + ", " + first + ", " + first
                                    : "\n\tvmulps " + second + ", " + first + ", " + first;
    constraints += "=&x,";
  }
  text += "\n\tldmxcsr " + number(words + 1);
  for (unsigned k = 0; k < operands; ++k)
    for (unsigned n = 0; n < kVectors; ++n) {
      const auto row = createSequentialMask(n % 2 * kVector, kVector, 0);
      values.push_back(b_.CreateShuffleVector(halves[n / 2][k], row));
      constraints += k == 0 ? std::to_string(n) + "," : "x,";
    }
  for (u32 word : {kUsualMxcsr | rounding_bits(mode) << 13, kUsualMxcsr})
    values.push_back(constant(b_.getInt32(word)));
  constraints += "*m,*m,~{dirflag},~{fpsr},~{flags}";
  std::vector<Type*> types;
  for (Value* v : values) types.push_back(v->getType());
  Type* results = StructType::get(context_, std::vector<Type*>(kVectors, vector));
  auto* type = FunctionType::get(results, types, false);
  CallInst* call = b_.CreateCall(type, InlineAsm::get(type, text, constraints, true), values);
  for (unsigned n = 0; n < 2; ++n)
    call->addParamAttr(static_cast<unsigned>(values.size()) - 2 + n,
                       Attribute::get(context_, Attribute::ElementType, b_.getInt32Ty()));
  call->setDoesNotThrow();
  std::array<Value*, 2> out;
  for (unsigned h = 0; h < 2; ++h)
    out[h] =
        b_.CreateShuffleVector(b_.CreateExtractValue(call, 2 * h), b_.CreateExtractValue(call, 2 * h + 1),
                               createSequentialMask(0, 2 * kVector, 0));
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
