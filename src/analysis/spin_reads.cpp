#include "analysis/spin_reads.h"

#include <algorithm>

#include "analysis/liveness.h"
#include "analysis/uses.h"
#include "ir/accesses.h"
#include "ir/dominators.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

using ir::BlockId;
using ir::Instruction;

/// The blocks of the loop that the edge from `last` back to `head` closes.
std::vector<bool> loop_of(const ir::Flow& flow, BlockId head, BlockId last) {
  std::vector<bool> in(flow.successors.size());
  in[head] = true;
  std::vector<BlockId> open;
  const auto take = [&](BlockId b) {
    if (!in[b]) in[b] = true, open.push_back(b);
  };
  take(last);
  while (!open.empty()) {
    const BlockId b = open.back();
    open.pop_back();
    for (BlockId p : flow.predecessors[b]) take(p);
  }
  return in;
}

/// What depends on the values that a loop's reads return.
class Answers {
 public:
  Answers(const ir::Function& f, const ir::Flow& flow, const std::vector<bool>& loop)
      : f_(f), flow_(flow), loop_(loop), registers_(f.registers.size()), chosen_(f.blocks.size()) {
    for (bool more = true; more;) more = spread();
  }

  /// Whether an answer decides when the loop ends.
  bool decide() const {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop_[b] || !steers(b)) continue;
      for (BlockId next : flow_.successors[b])
        if (!loop_[next]) return true;
    }
    return false;
  }

 private:
  /// Whether an answer decides where control goes behind the block.
  bool steers(BlockId b) const {
    if (f_.blocks[b].instructions.empty()) return false;
    const Instruction& last = f_.blocks[b].instructions.back();
    return ir::ends_block(last.op) && last.guard != ir::kNone && registers_.has(last.guard);
  }

  bool spread() {
    bool more = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop_[b]) continue;
      for (const Instruction& in : f_.blocks[b].instructions) {
        bool answer = chosen_[b] || ir::asks_memory(in);
        each_use(f_, in, [&](ir::RegId reg) { answer = answer || registers_.has(reg); });
        if (!answer) continue;
        each_definition(f_, in, [&](ir::RegId reg) {
          if (!registers_.has(reg)) registers_.add(reg), more = true;
        });
      }
      if (steers(b)) more = choose(b) || more;
    }
    return more;
  }

  /// Marks the loop's blocks that are run or not as the branch behind `b` decides: up to where its ways meet.
  bool choose(BlockId b) {
    bool more = false;
    std::vector<BlockId> open = flow_.successors[b];
    while (!open.empty()) {
      const BlockId at = open.back();
      open.pop_back();
      if (!loop_[at] || at == flow_.post_dominator[b] || at == b || chosen_[at]) continue;
      chosen_[at] = more = true;
      open.insert(open.end(), flow_.successors[at].begin(), flow_.successors[at].end());
    }
    return more;
  }

  const ir::Function& f_;
  const ir::Flow& flow_;
  const std::vector<bool>& loop_;
  RegisterSet registers_;
  std::vector<bool> chosen_;
};

/// Adds all that the loop computes from registers of the set.
void follow(const ir::Function& f, const std::vector<bool>& loop, RegisterSet& set) {
  for (bool more = true; more;) {
    more = false;
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
      if (!loop[b]) continue;
      for (const Instruction& in : f.blocks[b].instructions) {
        bool from = false;
        each_use(f, in, [&](ir::RegId reg) { from = from || set.has(reg); });
        if (!from) continue;
        each_definition(f, in, [&](ir::RegId reg) {
          if (!set.has(reg)) set.add(reg), more = true;
        });
      }
    }
  }
}

/// What differs from round to round because it is computed from its own value of the round before.
RegisterSet moving(const ir::Function& f, const std::vector<bool>& loop) {
  RegisterSet out(f.registers.size());
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    if (!loop[b]) continue;
    for (const Instruction& in : f.blocks[b].instructions)
      each_definition(f, in, [&](ir::RegId start) {
        if (out.has(start)) return;
        RegisterSet after(f.registers.size());
        each_use(f, in, [&](ir::RegId reg) {
          if (reg == start) after.add(start);
        });
        for (BlockId at = 0; at < f.blocks.size(); ++at)
          for (size_t i = 0; loop[at] && i < f.blocks[at].instructions.size(); ++i) {
            const Instruction& next = f.blocks[at].instructions[i];
            bool from = false;
            each_use(f, next, [&](ir::RegId reg) { from = from || reg == start; });
            if (from) each_definition(f, next, [&](ir::RegId reg) { after.add(reg); });
          }
        follow(f, loop, after);
        if (after.has(start)) out.add(after);
      });
  }
  return out;
}

/// Asks at another address in each round, as a search through a hash table or a list does: it ends when the
/// search does, whoever else comes by.
bool moves_on(const Instruction& in, const RegisterSet& moving) {
  bool out = false;
  for (const ir::Operand& operand : in.operands)
    if (operand.kind == ir::Operand::Kind::Memory && operand.reg != ir::kNone)
      out = out || moving.has(operand.reg);
  return out;
}

}  // namespace

std::vector<std::vector<bool>> spin_reads(const ir::Function& f) {
  std::vector<std::vector<bool>> out(f.blocks.size());
  bool any = false;
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    const auto& code = f.blocks[b].instructions;
    out[b].resize(code.size());
    any = any || std::any_of(code.begin(), code.end(), ir::asks_memory);
  }
  if (!any) return out;
  const ir::Flow flow = ir::flow_of(f);
  const auto dominator = ir::immediate_dominators(flow.successors, flow.predecessors, 0);
  const auto dominates = [&](BlockId a, BlockId b) {
    while (b != a && b != ir::kNone) b = dominator[b];
    return b == a;
  };
  for (BlockId last = 0; last < f.blocks.size(); ++last)
    for (BlockId head : flow.successors[last]) {
      if (!dominates(head, last)) continue;
      const auto loop = loop_of(flow, head, last);
      if (!Answers(f, flow, loop).decide()) continue;
      const RegisterSet moved = moving(f, loop);
      for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (size_t i = 0; loop[b] && i < out[b].size(); ++i)
          if (const Instruction& in = f.blocks[b].instructions[i];
              ir::asks_memory(in) && !moves_on(in, moved))
            out[b][i] = true;
    }
  return out;
}

}  // namespace ww::analysis
