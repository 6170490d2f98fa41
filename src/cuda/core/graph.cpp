#include "cuda/core/graph.h"

#include <algorithm>

#include "base/live_handles.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

struct Handles {
  LiveHandles live;
  std::mutex mutex;  ///< of the captures
  std::set<Capture*> captures;
  std::atomic<size_t> capturing{0};  ///< how many there are
};
Handles& handles() {
  static auto* all = new Handles;
  return *all;
}
bool lives(const void* p) { return handles().live.has(p); }
void born(const void* p) { handles().live.add(p); }
bool dies(const void* p) { return handles().live.remove(p); }

}  // namespace

NodeType GraphNode::type() const {
  struct {
    NodeType operator()(const KernelCall&) const { return NodeType::Kernel; }
    NodeType operator()(const Copy&) const { return NodeType::Memcpy; }
    NodeType operator()(const MemsetCall&) const { return NodeType::Memset; }
    NodeType operator()(const HostCall&) const { return NodeType::Host; }
    NodeType operator()(const EmptyCall&) const { return NodeType::Empty; }
    NodeType operator()(const RecordCall&) const { return NodeType::EventRecord; }
    NodeType operator()(const WaitCall&) const { return NodeType::WaitEvent; }
    NodeType operator()(const ChildCall&) const { return NodeType::Graph; }
    NodeType operator()(const AllocCall&) const { return NodeType::MemAlloc; }
    NodeType operator()(const FreeCall&) const { return NodeType::MemFree; }
    NodeType operator()(const ConditionalCall&) const { return NodeType::Conditional; }
  } type_of;
  return std::visit(type_of, operation);
}

Graph::~Graph() {
  dies(this);
  for (auto& n : nodes) {
    dies(n.get());
    if (auto* child = std::get_if<ChildCall>(&n->operation)) (void)destroy(child->graph);
    if (auto* choice = std::get_if<ConditionalCall>(&n->operation))
      for (Graph* body : choice->bodies) (void)destroy(body);
  }
  for (auto& [object, count] : objects) release(object, count);
}

GraphNode* Graph::add(Operation operation, std::vector<GraphNode*> after) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->operation = std::move(operation);
  node->after = std::move(after);
  node->number = next++;
  born(node.get());
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::holds(const GraphNode* node) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& n) { return n.get() == node; });
}

GraphNode* Graph::numbered(int number) const {
  for (auto& n : nodes)
    if (n->number == number) return n.get();
  return nullptr;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->clone_of = const_cast<Graph*>(this);
  copy->next = next;
  std::map<const GraphNode*, GraphNode*> twin;
  for (auto& n : nodes) {
    Operation operation = n->operation;
    if (auto* child = std::get_if<ChildCall>(&operation)) child->graph = keep(child->graph->clone());
    if (auto* choice = std::get_if<ConditionalCall>(&operation))
      for (Graph*& body : choice->bodies) body = keep(body->clone());
    GraphNode* t = copy->add(std::move(operation), {});
    t->number = n->number;
    t->enabled = n->enabled;
    std::copy(std::begin(n->attributes), std::end(n->attributes), t->attributes);
    twin[n.get()] = t;
  }
  copy->next = next;
  for (auto& n : nodes)
    for (GraphNode* a : n->after) twin[n.get()]->after.push_back(twin[a]);
  copy->memory = memory;
  copy->conditionals = conditionals;
  for (auto& [object, count] : objects) {
    object->references += static_cast<int>(count);
    copy->objects.emplace_back(object, count);
  }
  return copy;
}

bool is_graph(const Graph* g) { return lives(g); }
bool is_graph_exec(const GraphExec* e) { return lives(e); }
bool is_graph_node(const GraphNode* n) { return lives(n); }
Graph* keep(std::unique_ptr<Graph> graph) {
  born(graph.get());
  return graph.release();
}
GraphExec* keep(std::unique_ptr<GraphExec> exec) {
  born(exec.get());
  return exec.release();
}
Error destroy(Graph* graph) {
  if (!dies(graph)) return Error::InvalidValue;
  delete graph;
  return Error::Success;
}
Error destroy(GraphExec* exec) {
  if (!dies(exec)) return Error::InvalidValue;
  delete exec;
  return Error::Success;
}

Error add_node(Graph* graph, Operation operation, GraphNode* const* after, size_t count, GraphNode** node) {
  if (!node || !is_graph(graph) || (count && !after)) return Error::InvalidValue;
  std::vector<GraphNode*> wait;
  for (size_t k = 0; k < count; ++k) {
    if (!is_graph_node(after[k]) || !graph->holds(after[k])) return Error::InvalidValue;
    if (std::find(wait.begin(), wait.end(), after[k]) != wait.end()) return Error::InvalidValue;
    wait.push_back(after[k]);
  }
  *node = graph->add(std::move(operation), std::move(wait));
  return Error::Success;
}

void remove_node(GraphNode* node) {
  Graph& graph = *node->graph;
  dies(node);
  for (auto& n : graph.nodes) std::erase(n->after, node);
  std::erase_if(graph.nodes, [&](const auto& n) { return n.get() == node; });
}

std::vector<GraphNode*> ordered(const Graph& graph) {
  std::vector<GraphNode*> order;
  std::set<const GraphNode*> done;
  while (order.size() < graph.nodes.size()) {
    size_t before = order.size();
    for (auto& n : graph.nodes) {
      if (done.count(n.get())) continue;
      if (std::all_of(n->after.begin(), n->after.end(), [&](GraphNode* a) { return done.count(a) > 0; })) {
        order.push_back(n.get());
        done.insert(n.get());
      }
    }
    if (order.size() == before) return {};
  }
  return order;
}

void release(UserObject* object, u32 count) {
  int left = object->references -= static_cast<int>(count);
  if (left > 0) return;
  object->destroy(object->object);
  delete object;
}

Error begin_capture(Stream& stream, int mode, Graph* into, GraphNode* const* after, size_t count) {
  static std::atomic<u64> next_id{1};
  if (stream.capture) return Error::IllegalState;
  if (mode < 0 || mode > 2) return Error::InvalidValue;
  auto capture = std::make_shared<Capture>();
  if (into) {
    if (!is_graph(into)) return Error::InvalidValue;
    capture->graph = into;
  } else {
    capture->own = std::make_unique<Graph>();
    capture->graph = capture->own.get();
    born(capture->graph);  // the program may ask for it, and add nodes of its own
  }
  capture->mode = mode;
  capture->id = next_id++;
  capture->origin = &stream;
  capture->thread = &here();
  for (size_t k = 0; k < count; ++k) {
    if (!into || !into->holds(after[k])) return Error::InvalidValue;
    capture->last[&stream].push_back(after[k]);
  }
  capture->last[&stream];
  stream.capture = capture;
  std::lock_guard lock(handles().mutex);
  handles().captures.insert(capture.get());
  handles().capturing = handles().captures.size();
  return Error::Success;
}

Error end_capture(Stream& stream, Graph** graph) {
  auto capture = stream.capture;
  if (!capture) return Error::IllegalState;
  if (capture->origin != &stream) return Error::StreamCaptureUnmatched;
  if (capture->mode != 2 && capture->thread != &here()) return Error::StreamCaptureWrongThread;
  Error e = capture->broken;
  // All that other streams did must have come back to the stream in which the capture began.
  if (e == Error::Success) {
    std::set<GraphNode*> reached;
    std::vector<GraphNode*> open = capture->last[&stream];
    while (!open.empty()) {
      GraphNode* n = open.back();
      open.pop_back();
      if (!reached.insert(n).second) continue;
      open.insert(open.end(), n->after.begin(), n->after.end());
    }
    for (auto& [other, last] : capture->last)
      for (GraphNode* n : last)
        if (!reached.count(n)) e = Error::StreamCaptureUnjoined;
    for (GraphNode* n : capture->left)
      if (!reached.count(n)) e = Error::StreamCaptureUnjoined;
  } else {
    e = Error::StreamCaptureInvalidated;
  }
  {
    std::lock_guard lock(handles().mutex);
    handles().captures.erase(capture.get());
    handles().capturing = handles().captures.size();
  }
  for (auto& [other, last] : capture->last) other->capture.reset();
  if (graph) *graph = nullptr;
  if (e != Error::Success) return e;
  Graph* made = capture->own ? keep(std::move(capture->own)) : capture->graph;
  if (graph) *graph = made;
  return Error::Success;
}

Error capture_operation(Stream& stream, Operation operation) {
  Capture& c = *stream.capture;
  if (c.broken != Error::Success) return Error::StreamCaptureInvalidated;
  std::vector<GraphNode*>& last = c.last[&stream];
  if (auto* record = std::get_if<RecordCall>(&operation); record && !record->external) {
    record->event->capture = stream.capture;
    record->event->captured_after = last;
    return Error::Success;
  }
  if (auto* wait = std::get_if<WaitCall>(&operation); wait && !wait->external) {
    auto other = wait->event->capture.lock();
    if (!other) return Error::StreamCaptureIsolation;
    if (other != stream.capture) return Error::StreamCaptureMerge;
    for (GraphNode* n : wait->event->captured_after)
      if (std::find(last.begin(), last.end(), n) == last.end()) last.push_back(n);
    return Error::Success;
  }
  GraphNode* node = c.graph->add(std::move(operation), last);
  last = {node};
  return Error::Success;
}

bool capture_forbids_unsafe_calls() {
  if (here().capture_mode == 2) return false;
  std::lock_guard lock(handles().mutex);
  bool forbidden = false;
  for (Capture* c : handles().captures)
    if ((c->mode == 0 && here().capture_mode == 0) || (c->mode != 2 && c->thread == &here())) {
      forbidden = true;
      c->broken = Error::StreamCaptureInvalidated;
    }
  return forbidden;
}

bool capture_forbids_legacy_stream() {
  if (!handles().capturing) return false;
  std::lock_guard lock(handles().mutex);
  bool forbidden = false;
  for (Capture* c : handles().captures)
    if (c->mode != 2 && c->origin && !(c->origin->flags & 1)) {
      forbidden = true;
      c->broken = Error::StreamCaptureInvalidated;
    }
  return forbidden;
}

}  // namespace ww::cuda
