// Running a graph: its nodes one after the other, each told to the checks as a stream of its own, with the
// graph's edges as the only order between them.
#include <algorithm>

#include "checks/streams.h"
#include "cuda/core/checking.h"
#include "cuda/core/conditional.h"
#include "cuda/core/graph.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

using What = events::StreamOrder::What;

void tell_order(What what, const Stream& stream, u64 event) {
  events::StreamOrder e = order_of(what, stream);
  e.event = event;
  Platform::get().engine().memory().host_events().tell(e);
}

/// Whether each node waits for the one before: then they are in order as they are.
bool is_chain(const std::vector<GraphNode*>& nodes) {
  for (size_t k = 1; k < nodes.size(); ++k)
    if (std::find(nodes[k]->after.begin(), nodes[k]->after.end(), nodes[k - 1]) == nodes[k]->after.end())
      return false;
  return true;
}

/// The launch of a graph waits for what was put into its stream before, a node for the launch and for those
/// that its edges name, and what is put into the stream later for all nodes.
Error run_unordered(const Graph& graph, const std::vector<GraphNode*>& nodes, Stream& stream) {
  { const Working launch(stream, "a graph launch"); }
  const auto done = [](const void* node) { return reinterpret_cast<u64>(node); };
  tell_order(What::Record, stream, done(&graph));
  for (GraphNode* n : nodes) {
    Stream own;
    own.device = stream.device;
    own.flags = 1;
    own.id = checks::Streams::graph_node(graph.id, static_cast<u64>(n->number));
    tell_order(What::Wait, own, done(&graph));
    for (GraphNode* before : n->after) tell_order(What::Wait, own, done(before));
    if (n->enabled)
      if (Error e = execute(n->operation, own); e != Error::Success) return e;
    tell_order(What::Record, own, done(n));
  }
  for (GraphNode* n : nodes) tell_order(What::Wait, stream, done(n));
  return Error::Success;
}

}  // namespace

Error run_graph(const Graph& graph, Stream& stream) {
  assign_conditionals(graph);
  const std::vector<GraphNode*> nodes = ordered(graph);
  if (Checking::get() && !is_chain(nodes)) return run_unordered(graph, nodes, stream);
  for (GraphNode* n : nodes) {
    if (!n->enabled) continue;
    if (Error e = execute(n->operation, stream); e != Error::Success) return e;
  }
  return Error::Success;
}

}  // namespace ww::cuda
