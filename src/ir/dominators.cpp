#include "ir/dominators.h"

#include <algorithm>
#include <utility>

namespace ww::ir {

namespace {

constexpr uint32_t kNowhere = ~0u;

// Inside, nodes go by their depth-first number, so that "earlier" is "<".
class LengauerTarjan {
 public:
  LengauerTarjan(const Edges& successors, const Edges& predecessors, uint32_t root)
      : predecessors_(predecessors), number_(successors.size(), kNowhere) {
    number_depth_first(successors, root);
    size_t n = node_.size();
    semi_.resize(n), label_.resize(n), ancestor_.assign(n, kNowhere), dominator_.assign(n, kNowhere),
        bucket_.resize(n);
    for (uint32_t i = 0; i < n; ++i) semi_[i] = label_[i] = i;
  }

  std::vector<uint32_t> run() {
    for (uint32_t w = static_cast<uint32_t>(node_.size()); w-- > 1;) {
      for (uint32_t from : predecessors_[node_[w]])
        if (number_[from] != kNowhere) semi_[w] = std::min(semi_[w], semi_[evaluate(number_[from])]);
      bucket_[semi_[w]].push_back(w);
      ancestor_[w] = parent_[w];
      for (uint32_t v : bucket_[parent_[w]]) {
        uint32_t u = evaluate(v);
        dominator_[v] = semi_[u] < semi_[v] ? u : parent_[w];
      }
      bucket_[parent_[w]].clear();
    }
    std::vector<uint32_t> result(number_.size(), kNowhere);
    for (uint32_t w = 1; w < node_.size(); ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
      result[node_[w]] = node_[dominator_[w]];
    }
    return result;
  }

 private:
  void number_depth_first(const Edges& successors, uint32_t root) {
    std::vector<std::pair<uint32_t, uint32_t>> open = {{root, kNowhere}};  // node, number of its parent
    while (!open.empty()) {
      auto [node, parent] = open.back();
      open.pop_back();
      if (number_[node] != kNowhere) continue;
      number_[node] = static_cast<uint32_t>(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      for (uint32_t next : successors[node])
        if (number_[next] == kNowhere) open.emplace_back(next, number_[node]);
    }
  }

  // The node of least semidominator on the way up the forest from v, its root left out; shortens the way.
  uint32_t evaluate(uint32_t v) {
    if (ancestor_[v] == kNowhere) return v;
    path_.clear();
    for (uint32_t u = v; ancestor_[ancestor_[u]] != kNowhere; u = ancestor_[u]) path_.push_back(u);
    for (auto it = path_.rbegin(); it != path_.rend(); ++it) {
      uint32_t u = *it, above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  const Edges& predecessors_;
  std::vector<uint32_t> number_, node_, parent_, semi_, label_, ancestor_, dominator_, path_;
  Edges bucket_;
};

}  // namespace

std::vector<uint32_t> immediate_dominators(const Edges& successors, const Edges& predecessors,
                                           uint32_t root) {
  return LengauerTarjan(successors, predecessors, root).run();
}

std::vector<uint32_t> post_order(const Edges& successors, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(successors.size());
  std::vector<std::pair<uint32_t, size_t>> open = {{root, 0}};  // node, next successor
  seen[root] = true;
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      open.pop_back();
      continue;
    }
    uint32_t to = successors[node][next++];
    if (!seen[to]) seen[to] = true, open.emplace_back(to, 0);
  }
  return order;
}

}  // namespace ww::ir
