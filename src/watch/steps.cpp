#include "watch/steps.h"

#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <tuple>

namespace ww::watch {

namespace {

/// One phase's steps while warps are laid over one another.
class Phase {
 public:
  struct Node {
    Step step;
    size_t rank = 0;  // in the order as it was before the current warp
    u32 number = 0;   // at the end
  };

  /// Lays a warp's steps over those that are there; returns its nodes.
  std::vector<const Node*> add(const std::vector<Step>& warp) {
    size_t rank = 0;
    for (Node& n : nodes_) n.rank = ++rank;
    std::vector<const Node*> out;
    auto last = nodes_.begin();  // behind the warp's last step
    size_t reached = 0;
    for (const Step& step : warp) {
      const auto key = std::make_tuple(step.site, step.nth);
      const auto known = by_step_.find(key);
      // A step that lies behind the warp's last one is the same; one that lies before would turn its order
      // around, so the warp gets its own.
      if (known != by_step_.end() && known->second->rank > reached) {
        reached = known->second->rank;
        last = std::next(known->second);
        out.push_back(&*known->second);
        continue;
      }
      const auto fresh = nodes_.insert(last, Node{step, reached, 0});
      if (known == by_step_.end()) by_step_.emplace(key, fresh);
      out.push_back(&*fresh);
    }
    return out;
  }

  void number(std::vector<Step>& steps) {
    for (Node& n : nodes_) {
      n.number = static_cast<u32>(steps.size());
      steps.push_back(n.step);
    }
  }

 private:
  std::list<Node> nodes_;
  std::map<std::tuple<u32, u32>, std::list<Node>::iterator> by_step_;
};

}  // namespace

void align(Launch& launch, const std::vector<std::pair<u32, u32>>& places) {
  // Each warp's events in its phases, in the order in which they ran.
  std::map<u32, std::map<std::pair<u32, u32>, std::vector<size_t>>> phases;
  for (size_t i = 0; i < places.size(); ++i)
    phases[places[i].first][{launch.events[i].block, launch.events[i].warp}].push_back(i);
  for (const auto& [number, warps] : phases) {
    Phase phase;
    std::vector<std::pair<size_t, const Phase::Node*>> found;
    for (const auto& [warp, events] : warps) {
      std::vector<Step> steps;
      std::map<u32, u32> times;
      for (size_t i : events) steps.push_back({places[i].second, number, times[places[i].second]++});
      const auto nodes = phase.add(steps);
      for (size_t k = 0; k < events.size(); ++k) found.push_back({events[k], nodes[k]});
    }
    phase.number(launch.steps);
    for (const auto& [event, node] : found) launch.events[event].step = node->number;
  }
  std::stable_sort(launch.events.begin(), launch.events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.step, a.block, a.warp) < std::tie(b.step, b.block, b.warp);
  });
}

void keep_used_sites(Launch& launch) {
  std::vector<u32> number(launch.sites.size(), kNone);
  for (const Step& s : launch.steps) number[s.site] = 0;
  std::vector<Site> kept;
  for (size_t k = 0; k < number.size(); ++k) {
    if (number[k] == kNone) continue;
    number[k] = static_cast<u32>(kept.size());
    kept.push_back(std::move(launch.sites[k]));
  }
  launch.sites = std::move(kept);
  for (Step& s : launch.steps) s.site = number[s.site];
  for (Site& s : launch.sites)
    if (s.leader != kNone) s.leader = number[s.leader];
}

}  // namespace ww::watch
