#include "cuda/core/graph_update.h"

#include <algorithm>

#include "cuda/core/node_params.h"

namespace ww::cuda {

namespace {
// cudaGraphExecUpdateResult
constexpr int kUpdated = 0, kTopology = 2, kNodeType = 3;

}  // namespace

Error update_exec(GraphExec* exec, Graph* graph, GraphExecUpdateResultInfo* info) {
  if (!is_graph_exec(exec) || !is_graph(graph)) return Error::InvalidValue;
  if (info) *info = {kUpdated, nullptr, nullptr};
  Graph& mine = *exec->graph;
  auto differs = [&](int why, GraphNode* node) {
    if (info) *info = {why, node, nullptr};
    return Error::GraphExecUpdateFailure;
  };
  if (mine.nodes.size() != graph->nodes.size()) return differs(kTopology, nullptr);
  auto place = [](const Graph& g, const GraphNode* n) {
    return std::find_if(g.nodes.begin(), g.nodes.end(), [&](const auto& x) { return x.get() == n; }) -
           g.nodes.begin();
  };
  for (size_t k = 0; k < mine.nodes.size(); ++k) {
    GraphNode &a = *mine.nodes[k], &b = *graph->nodes[k];
    if (a.after.size() != b.after.size()) return differs(kTopology, &b);
    for (size_t i = 0; i < a.after.size(); ++i)
      if (place(mine, a.after[i]) != place(*graph, b.after[i])) return differs(kTopology, &b);
    if (!may_replace(a.operation, b.operation)) return differs(kNodeType, &b);
  }
  std::unique_ptr<Graph> fresh = graph->clone();
  for (size_t k = 0; k < fresh->nodes.size(); ++k) fresh->nodes[k]->enabled = mine.nodes[k]->enabled;
  // Handles of nodes are those of the graph that the executable one was made of.
  for (size_t k = 0; k < fresh->nodes.size(); ++k) fresh->nodes[k]->number = mine.nodes[k]->number;
  exec->graph = std::move(fresh);
  return Error::Success;
}

}  // namespace ww::cuda
