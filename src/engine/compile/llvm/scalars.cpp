#include "engine/compile/llvm/scalars.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

/// Computes each lane of its result from the same lane of its operands.
bool is_by_lanes(const Value* v) {
  const auto* i = dyn_cast<Instruction>(v);
  if (!i || !llvm::isa<FixedVectorType>(i->getType())) return false;
  if (const auto* conversion = dyn_cast<CastInst>(i)) {
    const auto* from = dyn_cast<FixedVectorType>(conversion->getSrcTy());
    return from && from->getNumElements() == cast<FixedVectorType>(i->getType())->getNumElements();
  }
  if (const auto* call = dyn_cast<IntrinsicInst>(i)) {
    if (!isTriviallyVectorizable(call->getIntrinsicID())) return false;
    for (const Value* operand : call->args())
      if (!llvm::isa<FixedVectorType>(operand->getType())) return false;
    return true;
  }
  if (const auto* select = dyn_cast<SelectInst>(i))
    return llvm::isa<FixedVectorType>(select->getCondition()->getType());
  return llvm::isa<BinaryOperator, UnaryOperator, CmpInst, FreezeInst>(i);
}

class SingleLanes {
 public:
  /// A lane of a vector, as a number.
  Value* lane(Value* v, unsigned number) {
    if (auto* constant = dyn_cast<Constant>(v))
      if (Constant* element = constant->getAggregateElement(number)) return element;
    Value*& known = known_[{v, number}];
    if (known) return known;
    auto* i = dyn_cast<Instruction>(v);
    if (auto* insert = dyn_cast<InsertElementInst>(v)) {
      if (auto* where = dyn_cast<ConstantInt>(insert->getOperand(2)))
        return known = where->getZExtValue() == number ? insert->getOperand(1)
                                                       : lane(insert->getOperand(0), number);
    } else if (auto* shuffle = dyn_cast<ShuffleVectorInst>(v)) {
      const int from = shuffle->getMaskValue(number);
      const unsigned first = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
      if (from >= 0) {
        const auto n = static_cast<unsigned>(from);
        return known = lane(shuffle->getOperand(n >= first), n >= first ? n - first : n);
      }
    } else if (is_by_lanes(v)) {
      std::vector<Value*> operands;
      const unsigned count = llvm::isa<CallInst>(i) ? cast<CallInst>(i)->arg_size() : i->getNumOperands();
      for (unsigned n = 0; n < count; ++n) operands.push_back(lane(i->getOperand(n), number));
      return known_[{v, number}] = alone(i, operands);
    }
    IRBuilder<> b(v->getContext());
    after(b, v);
    return known_[{v, number}] = b.CreateExtractElement(v, u64{number});
  }

 private:
  using u64 = uint64_t;

  static void after(IRBuilder<>& b, Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (!i) {
      BasicBlock& first = cast<Argument>(v)->getParent()->getEntryBlock();
      b.SetInsertPoint(&first, first.getFirstInsertionPt());
    } else if (llvm::isa<PHINode>(i)) {
      b.SetInsertPoint(i->getParent(), i->getParent()->getFirstInsertionPt());
    } else {
      b.SetInsertPoint(i->getParent(), std::next(i->getIterator()));
    }
  }

  static Value* alone(Instruction* i, const std::vector<Value*>& operands) {
    IRBuilder<> b(i);
    Type* const type = cast<FixedVectorType>(i->getType())->getElementType();
    if (auto* call = dyn_cast<IntrinsicInst>(i)) {
      Value* v = b.CreateIntrinsic(type, call->getIntrinsicID(), operands);
      if (auto* made = dyn_cast<Instruction>(v)) made->copyIRFlags(i);
      return v;
    }
    Instruction* copy = i->clone();
    for (unsigned n = 0; n < operands.size(); ++n) copy->setOperand(n, operands[n]);
    copy->mutateType(type);
    return b.Insert(copy);
  }

  std::map<std::pair<Value*, unsigned>, Value*> known_;
};

}  // namespace

void compute_lanes_alone(Module& module) {
  for (Function& f : module) {
    SingleLanes lanes;
    std::vector<Instruction*> taken;
    for (Instruction& i : instructions(f)) {
      if (auto* extract = dyn_cast<ExtractElementInst>(&i)) {
        if (llvm::isa<ConstantInt>(extract->getIndexOperand()) && is_by_lanes(extract->getVectorOperand()))
          taken.push_back(&i);
      } else if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
        const int from = shuffle->getMaskValue(0);
        if (from >= 0 && all_equal(shuffle->getShuffleMask()) && is_by_lanes(shuffle->getOperand(0)) &&
            static_cast<unsigned>(from) <
                cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements())
          taken.push_back(&i);
      }
    }
    for (Instruction* i : taken) {
      Value* v = nullptr;
      if (auto* extract = dyn_cast<ExtractElementInst>(i)) {
        const auto number = cast<ConstantInt>(extract->getIndexOperand())->getZExtValue();
        v = lanes.lane(extract->getVectorOperand(), static_cast<unsigned>(number));
      } else {
        auto* shuffle = cast<ShuffleVectorInst>(i);
        Value* one = lanes.lane(shuffle->getOperand(0), static_cast<unsigned>(shuffle->getMaskValue(0)));
        IRBuilder<> b(i);
        v = b.CreateVectorSplat(cast<FixedVectorType>(i->getType())->getNumElements(), one);
      }
      i->replaceAllUsesWith(v);
    }
    // (What was taken stays, unused, for as long as `lanes` may know it.)
  }
}

}  // namespace ww::engine
