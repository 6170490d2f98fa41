#include "engine/compile/llvm/roots.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <numeric>
#include <vector>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

constexpr unsigned kInVector = 8;  ///< f64 numbers

/// The f64 numbers whose root the quotient is one by; null: it is none, or others than f32 see it.
Value* under_root(BinaryOperator& quotient) {
  using namespace PatternMatch;  // NOLINT
  auto* type = dyn_cast<FixedVectorType>(quotient.getType());
  if (!type || !type->getElementType()->isDoubleTy() || type->getNumElements() % kInVector != 0)
    return nullptr;
  Value *root = nullptr, *narrow = nullptr;
  if (!match(&quotient, m_FDiv(m_SpecificFP(1.0), m_Value(root)))) return nullptr;
  auto* call = dyn_cast<IntrinsicInst>(root);
  if (!call || call->getIntrinsicID() != Intrinsic::sqrt) return nullptr;
  if (!match(call->getArgOperand(0), m_FPExt(m_Value(narrow))) ||
      !narrow->getType()->getScalarType()->isFloatTy())
    return nullptr;
  for (User* user : quotient.users())
    if (!isa<FPTruncInst>(user) || !user->getType()->getScalarType()->isFloatTy()) return nullptr;
  return call->getArgOperand(0);
}

Value* estimated(IRBuilder<>& b, Value* x) {
  auto* type = cast<FixedVectorType>(x->getType());
  Value* none = Constant::getNullValue(type);
  Value* first = b.CreateIntrinsic(Intrinsic::x86_avx512_rsqrt14_pd_512, {}, {x, none, b.getInt8(0xff)});
  Value* y = first;
  for (int step = 0; step < 2; ++step) {
    const auto fused = [&](Value* p, Value* q, Value* r) {
      return b.CreateIntrinsic(Intrinsic::fma, {type}, {p, q, r});
    };
    Value* wrong = fused(b.CreateFNeg(b.CreateFMul(x, y)), y, ConstantFP::get(type, 1.0));
    y = fused(b.CreateFMul(y, ConstantFP::get(type, 0.5)), wrong, y);
  }
  // Of 0 and infinity the estimate is what is wanted, and the steps give NaN.
  return b.CreateSelect(b.CreateFCmpUNO(y, y), first, y);
}

}  // namespace

void estimate_roots(Module& module) {
  for (Function& f : module) {
    std::vector<BinaryOperator*> found;
    for (Instruction& i : instructions(f))
      if (auto* quotient = dyn_cast<BinaryOperator>(&i); quotient && under_root(*quotient))
        found.push_back(quotient);
    for (BinaryOperator* quotient : found) {
      IRBuilder<> b(quotient);
      Value *x = under_root(*quotient), *all = nullptr;
      const unsigned count = cast<FixedVectorType>(x->getType())->getNumElements();
      for (unsigned from = 0; from < count; from += kInVector) {
        std::vector<int> which(kInVector), grown(count, -1);
        std::iota(which.begin(), which.end(), static_cast<int>(from));
        std::iota(grown.begin() + from, grown.begin() + from + kInVector, 0);
        Value* some = b.CreateShuffleVector(estimated(b, b.CreateShuffleVector(x, which)), grown);
        std::vector<int> merged(count);
        for (unsigned l = 0; l < count; ++l) merged[l] = static_cast<int>(l < from ? l : count + l);
        all = all ? b.CreateShuffleVector(all, some, merged) : some;
      }
      quotient->replaceAllUsesWith(all);
      quotient->eraseFromParent();
    }
  }
}

}  // namespace ww::engine
