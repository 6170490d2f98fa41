// Graphs: operations and what each waits for; capture of streams into them; what can be launched.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cuda/core/graph_memory.h"
#include "cuda/core/operation.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

/// The manual's numbers (cudaGraphNodeType).
enum class NodeType : int {
  Kernel = 0,
  Memcpy = 1,
  Memset = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  WaitEvent = 6,
  EventRecord = 7,
  MemAlloc = 10,
  MemFree = 11,
  Conditional = 13,
};

struct GraphNode {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<GraphNode*> after;  ///< what it waits for
  bool enabled = true;
  int number = 0;  ///< in the order of creation; a clone has its original's
  // What queries point to.
  std::vector<void*> pointers;
  LaunchAttributeValue attributes[16] = {};
  NodeType type() const;
};

struct Graph {
  u64 id = ++made;                                ///< tells it apart from all others
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order of creation, which respects `after`
  int next = 0;
  Graph* clone_of = nullptr;
  std::vector<std::pair<UserObject*, u32>> objects;
  // Shared with clones: memory of allocation nodes, values of conditional ones.
  std::vector<std::shared_ptr<GraphMemory>> memory;
  std::vector<std::shared_ptr<Conditional>> conditionals;
  ~Graph();
  static inline std::atomic<u64> made{0};

  GraphNode* add(Operation operation, std::vector<GraphNode*> after);
  bool holds(const GraphNode* node) const;
  std::unique_ptr<Graph> clone() const;
  GraphNode* numbered(int number) const;
};

struct GraphExec {
  std::unique_ptr<Graph> graph;
  u64 flags = 0;
};

/// A capture in progress. Streams that wait for an event of it join it.
struct Capture {
  std::unique_ptr<Graph> own;
  Graph* graph = nullptr;  ///< own, or one that the program gave
  int mode = 0;            ///< global, thread local, relaxed
  u64 id = 0;
  Stream* origin = nullptr;
  const void* thread = nullptr;
  std::atomic<Error> broken = Error::Success;       ///< invalidated, perhaps by another thread
  std::map<Stream*, std::vector<GraphNode*>> last;  ///< by stream: what its next operation waits for
  std::vector<GraphNode*> left;                     ///< the same of streams that were destroyed
};

struct UserObject {
  void* object = nullptr;
  void (*destroy)(void*) = nullptr;
  std::atomic<int> references{1};
};

// Handles that the program may hold.
bool is_graph(const Graph* graph);
bool is_graph_exec(const GraphExec* exec);
bool is_graph_node(const GraphNode* node);
Graph* keep(std::unique_ptr<Graph> graph);
GraphExec* keep(std::unique_ptr<GraphExec> exec);
Error destroy(Graph* graph);
Error destroy(GraphExec* exec);

Error add_node(Graph* graph, Operation operation, GraphNode* const* after, size_t count, GraphNode** node);
/// Takes a node out of its graph; others no longer wait for it.
void remove_node(GraphNode* node);
/// Runs all nodes, each behind those it waits for.
Error run_graph(const Graph& graph, Stream& stream);
/// Nodes such that each comes behind what it waits for. Empty although there are nodes: they wait in a
/// circle.
std::vector<GraphNode*> ordered(const Graph& graph);

Error begin_capture(Stream& stream, int mode, Graph* into, GraphNode* const* after, size_t count);
Error end_capture(Stream& stream, Graph** graph);
Error capture_operation(Stream& stream, Operation operation);
void release(UserObject* object, u32 count);
/// Whether a capture forbids calls that could disturb it from this thread. It is invalid then: the call has
/// been made.
bool capture_forbids_unsafe_calls();
/// The same for work in the legacy default stream, which would wait for a blocking stream that is captured.
bool capture_forbids_legacy_stream();

}  // namespace ww::cuda
