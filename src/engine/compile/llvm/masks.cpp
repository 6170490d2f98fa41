#include "engine/compile/llvm/masks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
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

/// Where the lane comes from, past shuffles, and past `freeze` of truth values.
Truth behind_shuffles(Value* v, unsigned lane) {
  for (;;) {
    if (auto* frozen = dyn_cast<FreezeInst>(v)) {
      v = frozen->getOperand(0);
      continue;
    }
    auto* shuffle = dyn_cast<ShuffleVectorInst>(v);
    if (!shuffle) return {v, lane};
    const int from = shuffle->getMaskValue(lane);
    if (from < 0) return {};
    const unsigned first = lanes_in(shuffle->getOperand(0)), n = static_cast<unsigned>(from);
    v = shuffle->getOperand(n >= first);
    lane = n >= first ? n - first : n;
  }
}
Truth truth_of(Value* bytes, unsigned lane) {
  const Truth byte = behind_shuffles(bytes, lane);
  if (!byte.values) return {};
  auto* wider = dyn_cast<ZExtInst>(byte.values);
  if (!wider || !wider->getSrcTy()->isIntOrIntVectorTy(1)) return {};
  return behind_shuffles(wider->getOperand(0), byte.lane);
}

/// The truth values of all lanes, of a few vectors side by side. Null: they are not known.
Value* truth_of_all(IRBuilder<>& b, Value* bytes) {
  constexpr size_t kMost = 8;
  std::vector<Value*> from;
  std::vector<int> which;
  for (unsigned l = 0; l < lanes_in(bytes); ++l) {
    const Truth t = truth_of(bytes, l);
    if (!t.values) return nullptr;
    const auto n = static_cast<size_t>(std::find(from.begin(), from.end(), t.values) - from.begin());
    if (n == from.size()) from.push_back(t.values);
    if (from.size() > kMost || t.values->getType() != from[0]->getType()) return nullptr;
    which.push_back(static_cast<int>(n * lanes_in(t.values) + t.lane));
  }
  while (from.size() & (from.size() - 1)) from.push_back(PoisonValue::get(from[0]->getType()));
  for (; from.size() > 2; from.resize(from.size() / 2))
    for (size_t n = 0; n < from.size() / 2; ++n) {
      std::vector<int> both;
      for (unsigned l = 0; l < 2 * lanes_in(from[2 * n]); ++l) both.push_back(static_cast<int>(l));
      from[n] = b.CreateShuffleVector(from[2 * n], from[2 * n + 1], both);
    }
  // Frozen, as some of them were before.
  Value* other = from.size() == 2 ? from[1] : PoisonValue::get(from[0]->getType());
  return b.CreateFreeze(b.CreateShuffleVector(from[0], other, which));
}

}  // namespace

void find_truth_values(Module& module) {
  for (Function& f : module)
    for (Instruction& i : make_early_inc_range(instructions(f))) {
      auto* compare = dyn_cast<ICmpInst>(&i);
      if (!compare || compare->getPredicate() != CmpInst::ICMP_NE ||
          !llvm::isa<FixedVectorType>(compare->getOperand(0)->getType()) ||
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
