#include "ir/flow.h"

#include <algorithm>

#include "ir/dominators.h"

namespace ww::ir {

namespace {

void add(std::vector<BlockId>& blocks, BlockId block) {
  if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
}

Edges reversed(const Edges& edges) {
  Edges back(edges.size());
  for (uint32_t from = 0; from < edges.size(); ++from)
    for (uint32_t to : edges[from]) back[to].push_back(from);
  return back;
}

// Makes every block reach the end: of those that do not, the last in order becomes an exit, until none is
// left.
void give_loops_an_exit(Flow& flow, std::vector<bool> leaves) {
  size_t n = flow.successors.size();
  std::vector<bool> reaches(n);
  auto mark = [&](BlockId exit) {
    if (reaches[exit]) return;
    std::vector<BlockId> open = {exit};
    reaches[exit] = true;
    while (!open.empty()) {
      BlockId block = open.back();
      open.pop_back();
      for (BlockId from : flow.predecessors[block])
        if (!reaches[from]) reaches[from] = true, open.push_back(from);
    }
  };
  for (BlockId b = 0; b < n; ++b)
    if (leaves[b]) mark(b);
  auto consider = [&](BlockId block) {
    if (!reaches[block]) leaves[block] = true, mark(block);
  };
  for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it) consider(*it);
  for (BlockId b = static_cast<BlockId>(n); b-- > 0;) consider(b);  // dead code
  for (BlockId b = 0; b < n; ++b)
    if (leaves[b]) flow.exits.push_back(b);
}

}  // namespace

bool ends_block(Op op) {
  return op == Op::bra || op == Op::brx || op == Op::ret || op == Op::exit_ || op == Op::trap;
}

Flow flow_of(std::vector<std::vector<BlockId>> successors, const std::vector<bool>& leaves) {
  Flow flow;
  uint32_t n = static_cast<uint32_t>(successors.size());
  flow.successors = std::move(successors);
  flow.predecessors = reversed(flow.successors);
  if (n == 0) return flow;
  flow.order = post_order(flow.successors, 0);
  std::reverse(flow.order.begin(), flow.order.end());
  give_loops_an_exit(flow, leaves);

  Edges forward = flow.successors, back = flow.predecessors;  // with the end as node n
  forward.emplace_back(), back.push_back(flow.exits);
  for (BlockId exit : flow.exits) forward[exit].push_back(n);
  flow.post_dominator = immediate_dominators(back, forward, n);
  flow.post_dominator.pop_back();
  for (BlockId& block : flow.post_dominator)
    if (block == n) block = kNone;
  return flow;
}

Flow flow_of(const Function& function) {
  size_t n = function.blocks.size();
  Edges successors(n);
  std::vector<bool> leaves(n);
  for (size_t b = 0; b < n; ++b) {
    const auto& code = function.blocks[b].instructions;
    bool falls_through = true;
    if (!code.empty() && ends_block(code.back().op)) {
      const Instruction& last = code.back();
      falls_through = last.guard != kNone;
      if (last.op != Op::bra && last.op != Op::brx) leaves[b] = true;
    }
    if (falls_through && b + 1 < n) successors[b].push_back(static_cast<BlockId>(b + 1));
    if (falls_through && b + 1 == n) leaves[b] = true;
    if (code.empty()) continue;
    if (code.back().op == Op::bra) add(successors[b], code.back().operands[0].block);
    for (BlockId target : code.back().targets) add(successors[b], target);
  }
  return flow_of(std::move(successors), leaves);
}

}  // namespace ww::ir
