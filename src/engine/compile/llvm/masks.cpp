#include "engine/compile/llvm/masks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <map>
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

/// The single truth value that is in the lane of `v`. Null: it is not known.
Value* single_truth(Value* v, unsigned lane) {
  Truth t = behind_shuffles(v, lane);
  while (t.values) {
    auto* insert = dyn_cast<InsertElementInst>(t.values);
    const auto* where = insert ? dyn_cast<ConstantInt>(insert->getOperand(2)) : nullptr;
    if (!where) return nullptr;
    if (where->getZExtValue() == t.lane) return insert->getOperand(1);
    t = behind_shuffles(insert->getOperand(0), t.lane);
  }
  return nullptr;
}

/// Truth values of which each is that of many lanes, from the bits of a number. Null: they are others.
Value* from_few(IRBuilder<>& b, ShuffleVectorInst* all) {
  constexpr size_t kMost = 2;
  const unsigned lanes = lanes_in(all);
  std::vector<std::pair<Value*, APInt>> from;
  for (unsigned l = 0; l < lanes; ++l) {
    if (all->getMaskValue(l) < 0) continue;
    Value* one = single_truth(all, l);
    if (!one) return nullptr;
    auto known = std::find_if(from.begin(), from.end(), [&](const auto& f) { return f.first == one; });
    if (known == from.end()) known = from.insert(known, {one, APInt(lanes, 0)});
    if (from.size() > kMost) return nullptr;
    known->second.setBit(l);
  }
  if (from.size() < 2) return nullptr;  // LLVM does well with one
  Type* const number = b.getIntNTy(lanes);
  Value* bits = nullptr;
  for (const auto& [one, where] : from) {
    // Frozen, since some of them were before.
    Value* some =
        b.CreateSelect(b.CreateFreeze(one), ConstantInt::get(number, where), ConstantInt::get(number, 0));
    bits = bits ? b.CreateOr(bits, some) : some;
  }
  return b.CreateBitCast(bits, all->getType());
}

}  // namespace

void join_truth_values(Module& module) {
  for (Function& f : module)
    for (Instruction& i : make_early_inc_range(instructions(f))) {
      auto* all = dyn_cast<ShuffleVectorInst>(&i);
      if (!all || !all->getType()->getElementType()->isIntegerTy(1) || lanes_in(all) < 8) continue;
      IRBuilder<> b(all);
      if (Value* joined = from_few(b, all)) {
        all->replaceAllUsesWith(joined);
        all->eraseFromParent();
      }
    }
}

void keep_masks_in_blocks(Module& module) {
  const auto is_mask = [](const Value* v) {
    const auto* type = dyn_cast<FixedVectorType>(v->getType());
    return type && type->getElementType()->isIntegerTy(1);
  };
  const auto combines = [&](const User* user) {
    return is_mask(user) && llvm::isa<BinaryOperator, SelectInst>(user);
  };
  for (Function& f : module)
    for (Instruction& i : make_early_inc_range(instructions(f))) {
      auto* mask = dyn_cast<BitCastInst>(&i);
      if (!mask || !is_mask(mask) || !mask->getSrcTy()->isIntegerTy() || none_of(mask->users(), combines))
        continue;
      std::map<BasicBlock*, Instruction*> own;
      for (Use& use : make_early_inc_range(mask->uses())) {
        auto* user = cast<Instruction>(use.getUser());
        BasicBlock* block = user->getParent();
        if (block == mask->getParent() || llvm::isa<PHINode>(user)) continue;
        Instruction*& copy = own[block];
        if (!copy) {
          copy = mask->clone();
          copy->insertBefore(&*block->getFirstInsertionPt());
        }
        use.set(copy);
      }
    }
}

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
