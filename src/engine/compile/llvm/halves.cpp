#include "engine/compile/llvm/halves.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

void widen_half_comparisons(Module& module) {
  for (Function& f : module) {
    std::vector<FCmpInst*> found;
    for (Instruction& i : instructions(f)) {
      auto* compare = dyn_cast<FCmpInst>(&i);
      if (compare && compare->getType()->isVectorTy() &&
          compare->getOperand(0)->getType()->getScalarType()->isHalfTy())
        found.push_back(compare);
    }
    for (FCmpInst* compare : found) {
      IRBuilder<> b(compare);
      Type* wide = cast<VectorType>(compare->getOperand(0)->getType())->getWithNewType(b.getFloatTy());
      const auto widened = [&](unsigned n) { return b.CreateFPExt(compare->getOperand(n), wide); };
      compare->replaceAllUsesWith(b.CreateFCmp(compare->getPredicate(), widened(0), widened(1)));
      compare->eraseFromParent();
    }
  }
}

}  // namespace ww::engine
