#include "engine/compile/llvm/masks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

unsigned lanes_in(const Value* v) { return cast<FixedVectorType>(v->getType())->getNumElements(); }

/// The truth value that a lane of a vector of bytes was made of: which vector holds it, and where. Null:
/// unknown.
struct Truth {
  Value* values = nullptr;
  unsigned lane = 0;
};
Truth truth_of(Value* bytes, unsigned lane) {
  while (auto* shuffle = dyn_cast<ShuffleVectorInst>(bytes)) {
    const int from = shuffle->getMaskValue(lane);
    if (from < 0) return {};
    const unsigned first = lanes_in(shuffle->getOperand(0)), n = static_cast<unsigned>(from);
    bytes = shuffle->getOperand(n >= first);
    lane = n >= first ? n - first : n;
  }
  auto* wider = dyn_cast<ZExtInst>(bytes);
  if (!wider || !wider->getSrcTy()->isIntOrIntVectorTy(1)) return {};
  return {wider->getOperand(0), lane};
}

/// The truth values of all lanes, at most two vectors of them side by side. Null: they are not known.
Value* truth_of_all(IRBuilder<>& b, Value* bytes) {
  Value* from[2] = {};
  std::vector<int> which;
  for (unsigned l = 0; l < lanes_in(bytes); ++l) {
    const Truth t = truth_of(bytes, l);
    if (!t.values) return nullptr;
    unsigned n = 0;
    while (n < 2 && from[n] && from[n] != t.values) ++n;
    if (n == 2 || (from[0] && t.values->getType() != from[0]->getType())) return nullptr;
    from[n] = t.values;
    which.push_back(static_cast<int>(n * lanes_in(t.values) + t.lane));
  }
  return b.CreateShuffleVector(from[0], from[1] ? from[1] : PoisonValue::get(from[0]->getType()), which);
}

}  // namespace

void find_truth_values(Module& module) {
  for (Function& f : module)
    for (Instruction& i : make_early_inc_range(instructions(f))) {
      auto* compare = dyn_cast<ICmpInst>(&i);
      if (!compare || compare->getPredicate() != CmpInst::ICMP_NE ||
          !isa<FixedVectorType>(compare->getOperand(0)->getType()) ||
          !match(compare->getOperand(1), PatternMatch::m_Zero()))
        continue;
      IRBuilder<> b(compare);
      if (Value* truth = truth_of_all(b, compare->getOperand(0))) {
        compare->replaceAllUsesWith(truth);
        compare->eraseFromParent();
      }
    }
}

}  // namespace ww::engine
