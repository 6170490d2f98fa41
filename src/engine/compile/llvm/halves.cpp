#include "engine/compile/llvm/halves.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

bool is_halves(const Value* v) {
  return v->getType()->isVectorTy() && v->getType()->getScalarType()->isHalfTy();
}

Value* widened(IRBuilder<>& b, Value* v) {
  return b.CreateFPExt(v, cast<VectorType>(v->getType())->getWithNewType(b.getFloatTy()));
}

/// f32 has more than twice the bits of f16 and two, so that rounding to it first changes no sum, product or
/// quotient.
bool is_exact_in_float(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
      return is_halves(&i);
    default:
      return false;
  }
}

}  // namespace

void widen_halves(Module& module) {
  for (Function& f : module) {
    std::vector<Instruction*> found;
    for (Instruction& i : instructions(f))
      if ((isa<FCmpInst>(i) && is_halves(i.getOperand(0))) || is_exact_in_float(i)) found.push_back(&i);
    for (Instruction* i : found) {
      IRBuilder<> b(i);
      Value *x = widened(b, i->getOperand(0)), *y = widened(b, i->getOperand(1));
      Value* v = nullptr;
      if (auto* compare = dyn_cast<FCmpInst>(i))
        v = b.CreateFCmp(compare->getPredicate(), x, y);
      else
        v = b.CreateFPTrunc(b.CreateBinOp(cast<BinaryOperator>(i)->getOpcode(), x, y), i->getType());
      i->replaceAllUsesWith(v);
      i->eraseFromParent();
    }
  }
}

}  // namespace ww::engine
