#include "engine/compile/llvm/promote.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

bool is_promotable(const AllocaInst& variable) {
  Type* const type = variable.getAllocatedType();
  if (variable.isArrayAllocation()) return false;
  for (const User* user : variable.users()) {
    if (const auto* load = dyn_cast<LoadInst>(user)) {
      if (load->isVolatile() || load->getType() != type) return false;
    } else if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (store->isVolatile() || store->getValueOperand() == &variable ||
          store->getValueOperand()->getType() != type)
        return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Pruned SSA form of one function (Cytron et al., "Efficiently computing static single assignment form and
/// the control dependence graph", 1991): phis at the iterated dominance frontier of the blocks that write a
/// variable, where it is live; then a walk of the dominator tree.
class Promotion {
 public:
  explicit Promotion(Function& f) : f_(f), tree_(f) {
    for (Instruction& i : f.getEntryBlock())
      if (auto* variable = dyn_cast<AllocaInst>(&i); variable && is_promotable(*variable)) {
        numbers_[variable] = static_cast<unsigned>(variables_.size());
        variables_.push_back(variable);
      }
  }

  void run() {
    if (variables_.empty()) return;
    order_blocks();
    find_live();
    find_frontiers();
    place_phis();
    rename();
    drop_needless_phis();
    for (AllocaInst* variable : variables_) variable->eraseFromParent();
  }

 private:
  /// The number of the variable that an instruction loads or stores, or -1.
  int variable_of(const Instruction& i) const {
    const Value* pointer = nullptr;
    if (const auto* load = dyn_cast<LoadInst>(&i)) pointer = load->getPointerOperand();
    if (const auto* store = dyn_cast<StoreInst>(&i)) pointer = store->getPointerOperand();
    const auto* variable = dyn_cast_or_null<AllocaInst>(pointer);
    if (!variable) return -1;
    const auto found = numbers_.find(variable);
    return found == numbers_.end() ? -1 : static_cast<int>(found->second);
  }

  void order_blocks() {
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&f_)) {
      places_[block] = static_cast<unsigned>(blocks_.size());
      blocks_.push_back(block);
    }
  }

  /// Which variables are read before they are written, for each block and what follows it.
  void find_live() {
    const auto count = static_cast<unsigned>(variables_.size());
    std::vector<BitVector> kept(blocks_.size());  // not written in the block
    live_.assign(blocks_.size(), BitVector(count));
    writers_.resize(count);
    for (unsigned at = 0; at < blocks_.size(); ++at) {
      kept[at].resize(count, true);
      for (const Instruction& i : *blocks_[at]) {
        const int variable = variable_of(i);
        if (variable < 0) continue;
        const auto number = static_cast<unsigned>(variable);
        if (llvm::isa<LoadInst>(i)) {
          if (kept[at].test(number)) live_[at].set(number);
        } else if (kept[at].test(number)) {
          kept[at].reset(number);
          writers_[number].push_back(at);
        }
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = static_cast<unsigned>(blocks_.size()); at-- > 0;) {
        BitVector behind(count);
        for (const BasicBlock* next : successors(blocks_[at])) behind |= live_[places_.lookup(next)];
        behind &= kept[at];
        if (!behind.test(live_[at])) continue;  // nothing that is not known yet
        live_[at] |= behind;
        changed = true;
      }
    }
  }

  /// The dominance frontier of each block.
  void find_frontiers() {
    frontiers_.resize(blocks_.size());
    for (unsigned at = 0; at < blocks_.size(); ++at) {
      BasicBlock* const block = blocks_[at];
      if (pred_size(block) < 2) continue;
      const auto* above = tree_.getNode(block)->getIDom();
      for (BasicBlock* before : predecessors(block)) {
        const auto* runner = tree_.getNode(before);
        for (; runner && runner != above; runner = runner->getIDom()) {
          std::vector<unsigned>& frontier = frontiers_[places_.lookup(runner->getBlock())];
          if (frontier.empty() || frontier.back() != at) frontier.push_back(at);
        }
      }
    }
  }

  void place_phis() {
    phis_.resize(blocks_.size());
    std::vector<unsigned> seen(blocks_.size(), ~0u), waiting;
    for (unsigned number = 0; number < variables_.size(); ++number) {
      waiting = writers_[number];
      while (!waiting.empty()) {
        const unsigned from = waiting.back();
        waiting.pop_back();
        for (const unsigned at : frontiers_[from]) {
          if (seen[at] == number || !live_[at].test(number)) continue;
          seen[at] = number;
          auto* phi = PHINode::Create(variables_[number]->getAllocatedType(), pred_size(blocks_[at]));
          phi->insertBefore(*blocks_[at], blocks_[at]->begin());
          phis_[at].push_back({number, phi});
          waiting.push_back(at);
        }
      }
    }
  }

  /// Values of the variables along the dominator tree.
  void rename() {
    std::vector<Value*> values;
    for (const AllocaInst* variable : variables_)
      values.push_back(UndefValue::get(variable->getAllocatedType()));
    std::vector<std::pair<unsigned, Value*>> before;  // what blocks changed, the last change last
    struct Step {
      const DomTreeNode* node;
      size_t changes;
      DomTreeNode::const_iterator next;
    };
    std::vector<Step> path;
    const auto enter = [&](const DomTreeNode* node) {
      path.push_back({node, before.size(), node->begin()});
      rename(node->getBlock(), values, before);
    };
    enter(tree_.getRootNode());
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next != step.node->end()) {
        enter(*step.next++);
        continue;
      }
      for (; before.size() > step.changes; before.pop_back())
        values[before.back().first] = before.back().second;
      path.pop_back();
    }
  }

  void rename(BasicBlock* block, std::vector<Value*>& values,
              std::vector<std::pair<unsigned, Value*>>& before) {
    const auto set = [&](unsigned number, Value* value) {
      before.push_back({number, values[number]});
      values[number] = value;
    };
    for (const auto& [number, phi] : phis_[places_.lookup(block)]) set(number, phi);
    for (Instruction& i : make_early_inc_range(*block)) {
      const int variable = variable_of(i);
      if (variable < 0) continue;
      const auto number = static_cast<unsigned>(variable);
      if (auto* store = dyn_cast<StoreInst>(&i))
        set(number, store->getValueOperand());
      else
        i.replaceAllUsesWith(values[number]);
      i.eraseFromParent();
    }
    for (BasicBlock* next : successors(block))  // one that is named twice is a predecessor twice
      for (const auto& [number, phi] : phis_[places_.lookup(next)]) phi->addIncoming(values[number], block);
  }

  /// The one value that a phi has, or null.
  Value* only_value(const PHINode& phi) const {
    Value* only = nullptr;
    bool undefined = false;
    for (Value* value : phi.incoming_values()) {
      if (value == &phi) continue;
      if (llvm::isa<UndefValue>(value)) {
        undefined = true;
        continue;
      }
      if (only && only != value) return nullptr;
      only = value;
    }
    if (!only) return UndefValue::get(phi.getType());
    if (undefined && !tree_.dominates(only, &phi)) return nullptr;
    return only;
  }

  void drop_needless_phis() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& phis : phis_)
        llvm::erase_if(phis, [&](const auto& placed) {
          PHINode* const phi = placed.second;
          Value* const only = only_value(*phi);
          if (!only) return false;
          phi->replaceAllUsesWith(only);
          phi->eraseFromParent();
          return changed = true;
        });
    }
  }

  Function& f_;
  DominatorTree tree_;
  std::vector<AllocaInst*> variables_;
  DenseMap<const AllocaInst*, unsigned> numbers_;
  std::vector<BasicBlock*> blocks_;  // those that are reached, in reverse postorder
  DenseMap<const BasicBlock*, unsigned> places_;
  std::vector<BitVector> live_;                 // by block: variables that are live where it begins
  std::vector<std::vector<unsigned>> writers_;  // by variable: blocks that write it
  std::vector<std::vector<unsigned>> frontiers_;
  std::vector<std::vector<std::pair<unsigned, PHINode*>>> phis_;  // by block: variable and phi
};

}  // namespace

void promote_variables(Module& module) {
  for (Function& f : module) {
    if (f.isDeclaration()) continue;
    removeUnreachableBlocks(f);  // they have no place in the dominator tree
    Promotion(f).run();
  }
}

}  // namespace ww::engine
