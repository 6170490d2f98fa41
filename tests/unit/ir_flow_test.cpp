#include "ir/flow.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ww::ir {

using Graph = std::vector<std::vector<BlockId>>;
using Blocks = std::vector<BlockId>;

// Blocks without successors leave the function.
Flow flow(Graph graph, std::set<BlockId> also_leave = {}) {
  std::vector<bool> leaves(graph.size());
  for (BlockId b = 0; b < graph.size(); ++b) leaves[b] = graph[b].empty() || also_leave.count(b);
  return flow_of(std::move(graph), leaves);
}

TEST(Flow, Diamond) {
  Flow f = flow({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(f.post_dominator, (Blocks{3, 3, 3, kNone}));
  EXPECT_EQ(f.predecessors[3], (Blocks{1, 2}));
  EXPECT_EQ(f.order.front(), 0u);
  EXPECT_EQ(f.order.back(), 3u);
}

TEST(Flow, Loop) { EXPECT_EQ(flow({{1}, {2, 3}, {1}, {}}).post_dominator, (Blocks{1, 3, 1, kNone})); }

TEST(Flow, NestedLoop) {
  // 1 outer head, 2 inner head, 3 inner body, 4 outer latch, 5 end
  Flow f = flow({{1}, {2, 5}, {3, 4}, {2}, {1}, {}});
  EXPECT_EQ(f.post_dominator, (Blocks{1, 5, 4, 2, 1, kNone}));
}

TEST(Flow, EarlyExit) {
  // 1 returns at once: only the end follows block 0 on all ways.
  EXPECT_EQ(flow({{1, 2}, {}, {3}, {}}).post_dominator, (Blocks{kNone, kNone, 3, kNone}));
  // A guarded exit in block 0 that otherwise falls through.
  EXPECT_EQ(flow({{1}, {}}, {0}).post_dominator, (Blocks{kNone, kNone}));
}

TEST(Flow, Irreducible) {
  // Two entries into the cycle 1 <-> 2.
  EXPECT_EQ(flow({{1, 2}, {2}, {1, 3}, {}}).post_dominator, (Blocks{2, 2, 3, kNone}));
}

TEST(Flow, InfiniteLoopMeetsInItsLatch) {
  // 0 -> 1; 1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 1 for ever.
  Flow f = flow({{1}, {2, 3}, {4}, {4}, {1}});
  EXPECT_EQ(f.exits, (Blocks{4}));
  EXPECT_EQ(f.post_dominator, (Blocks{1, 4, 4, 4, kNone}));
}

TEST(Flow, InfiniteLoopOnOneSide) {
  Flow f = flow({{1, 2}, {1}, {}});
  EXPECT_EQ(f.exits, (Blocks{1, 2}));
  EXPECT_EQ(f.post_dominator, (Blocks{kNone, kNone, kNone}));
}

TEST(Flow, Switch) {
  // Case 2 falls into case 3.
  EXPECT_EQ(flow({{1, 2, 3, 4}, {4}, {3}, {4}, {}}).post_dominator, (Blocks{4, 4, 3, 4, kNone}));
}

TEST(Flow, DeadCodeHasAPostDominatorToo) {
  Flow f = flow({{2}, {2}, {}});
  EXPECT_EQ(f.order, (Blocks{0, 2}));
  EXPECT_EQ(f.post_dominator, (Blocks{2, 2, kNone}));
}

TEST(Flow, ReadsGuardedInstructions) {
  Function function;
  function.blocks.resize(4);
  auto add = [&](BlockId at, Op op, RegId guard, BlockId target = kNone) {
    Instruction instruction;
    instruction.op = op;
    instruction.guard = guard;
    if (op == Op::bra) {
      instruction.operands.emplace_back();
      instruction.operands[0].block = target;
    }
    function.blocks[at].instructions.push_back(instruction);
  };
  add(0, Op::bra, 0, 2);  // @p bra 2, else falls into 1
  add(1, Op::exit_, 0);   // @p exit, else falls into 2
  add(2, Op::bra, kNone, 3);
  add(3, Op::ret, kNone);
  Flow f = flow_of(function);
  EXPECT_EQ(f.successors, (Graph{{1, 2}, {2}, {3}, {}}));
  EXPECT_EQ(f.exits, (Blocks{1, 3}));
  EXPECT_EQ(f.post_dominator, (Blocks{kNone, kNone, 3, kNone}));
}

// The definition itself: b post-dominates a if the end cannot be reached from a once b is taken away; the
// immediate one is post-dominated by all the others.
Blocks by_definition(const Flow& f) {
  BlockId n = static_cast<BlockId>(f.successors.size());
  auto reaches_end = [&](BlockId from, BlockId without) {
    std::vector<bool> seen(n);
    Blocks open = {from};
    seen[from] = true;
    while (!open.empty()) {
      BlockId b = open.back();
      open.pop_back();
      for (BlockId e : f.exits)
        if (e == b) return true;
      for (BlockId to : f.successors[b])
        if (to != without && !seen[to]) seen[to] = true, open.push_back(to);
    }
    return false;
  };
  Blocks result(n, kNone);
  for (BlockId a = 0; a < n; ++a) {
    Blocks all;
    for (BlockId b = 0; b < n; ++b)
      if (b != a && !reaches_end(a, b)) all.push_back(b);
    for (BlockId b : all) {
      bool nearest = true;
      for (BlockId c : all) nearest &= c == b || !reaches_end(b, c);
      if (nearest) result[a] = b;
    }
  }
  return result;
}

TEST(Flow, AgreesWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    BlockId n = 1 + random() % 12;
    Graph graph(n);
    std::set<BlockId> leave;
    for (BlockId b = 0; b < n; ++b) {
      for (unsigned i = random() % 4; i > 0; --i) {
        BlockId to = random() % n;
        if (std::find(graph[b].begin(), graph[b].end(), to) == graph[b].end()) graph[b].push_back(to);
      }
      if (random() % 8 == 0) leave.insert(b);
    }
    Flow f = flow(graph, leave);
    ASSERT_EQ(f.post_dominator, by_definition(f)) << "round " << round;
  }
}

TEST(Flow, LongFunctionsAreFast) {
  // A ladder: each block goes to the next two.
  BlockId n = 200000;
  Graph graph(n);
  for (BlockId b = 0; b + 1 < n; ++b) {
    graph[b].push_back(b + 1);
    if (b + 2 < n) graph[b].push_back(b + 2);
  }
  Flow f = flow(std::move(graph));
  EXPECT_EQ(f.post_dominator[0], n - 1);
}

}  // namespace ww::ir
