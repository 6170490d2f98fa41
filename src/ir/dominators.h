// Immediate dominators of a graph given as lists of successors and predecessors.
#pragma once

#include <cstdint>
#include <vector>

namespace ww::ir {

using Edges = std::vector<std::vector<uint32_t>>;

/// For each node the nearest other node that lies on every path from `root` to it; ~0u for the root and for
/// nodes that the root does not reach. Lengauer and Tarjan, "A fast algorithm for finding dominators in a
/// flowgraph", TOPLAS 1979 (the simple variant, O(m log n)).
std::vector<uint32_t> immediate_dominators(const Edges& successors, const Edges& predecessors, uint32_t root);

/// The nodes that `root` reaches, each after all its successors except along edges that close a cycle.
std::vector<uint32_t> post_order(const Edges& successors, uint32_t root);

}  // namespace ww::ir
