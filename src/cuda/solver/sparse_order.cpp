// Reverse Cuthill–McKee and minimum degree.
#include "cuda/solver/sparse_order.h"

#include <set>

namespace ww::solver {

namespace {

using Neighbours = std::vector<std::vector<int>>;

/// Of A + Aᵀ, without the diagonal.
Neighbours neighbours(const Pattern& a) {
  Neighbours to(slot(a.rows));
  for (int i = 0; i < a.rows; ++i)
    for (int k = a.begin(i); k < a.end(i); ++k)
      if (int j = a.inner[slot(k)]; j != i) to[slot(i)].push_back(j), to[slot(j)].push_back(i);
  for (auto& list : to) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return to;
}

/// Appends all that can be reached from `start`, level by level, the ones with few neighbours first. Returns
/// the number of levels.
int levels(const Neighbours& to, int start, std::vector<char>& seen, std::vector<int>& order) {
  int count = 0;
  size_t first = order.size();
  order.push_back(start), seen[slot(start)] = 1;
  for (size_t level_end = order.size(); first < order.size(); ++count, level_end = order.size())
    for (; first < level_end; ++first) {
      const size_t begin = order.size();
      for (int j : to[slot(order[first])])
        if (!seen[slot(j)]) order.push_back(j), seen[slot(j)] = 1;
      std::stable_sort(order.begin() + static_cast<int64_t>(begin), order.end(),
                       [&](int x, int y) { return to[slot(x)].size() < to[slot(y)].size(); });
    }
  return count;
}

}  // namespace

std::vector<int> cuthill_mckee(const Pattern& a) {
  const Neighbours to = neighbours(a);
  std::vector<char> seen(slot(a.rows));
  std::vector<int> order;
  for (int i = 0; i < a.rows; ++i) {
    if (seen[slot(i)]) continue;
    const size_t begin = order.size();
    int start = i;
    for (int deep = 0;;) {  // the last of the deepest levels makes more of them
      const int now = levels(to, start, seen, order);
      if (now <= deep) break;
      deep = now, start = order.back();
      for (size_t k = begin; k < order.size(); ++k) seen[slot(order[k])] = 0;
      order.resize(begin);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<int> minimum_degree(const Pattern& a) {
  const int n = a.rows;
  // A variable knows variables and elements, which are eliminated variables; an element knows its variables.
  Neighbours to = neighbours(a), elements(slot(n)), variables(slot(n));
  std::vector<int64_t> degree(slot(n)), outside(slot(n), -1);
  std::vector<char> gone(slot(n)), absorbed(slot(n));
  std::vector<int> mark(slot(n), -1), order;
  std::set<std::pair<int64_t, int>> queue;
  for (int i = 0; i < n; ++i) queue.emplace(degree[slot(i)] = static_cast<int64_t>(to[slot(i)].size()), i);
  while (!queue.empty()) {
    const int p = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(p), gone[slot(p)] = 1;
    auto& front = variables[slot(p)];
    const auto take = [&](const std::vector<int>& list) {
      for (int j : list)
        if (!gone[slot(j)] && mark[slot(j)] != p) front.push_back(j), mark[slot(j)] = p;
    };
    take(to[slot(p)]);
    for (int e : elements[slot(p)]) {
      take(variables[slot(e)]);
      absorbed[slot(e)] = 1, variables[slot(e)] = {};
    }
    to[slot(p)] = {}, elements[slot(p)] = {};
    std::vector<int> touched;  // elements beside p, with how many of their variables are not p's
    for (int i : front) {
      auto& beside = elements[slot(i)];
      beside.erase(std::remove_if(beside.begin(), beside.end(), [&](int e) { return absorbed[slot(e)]; }),
                   beside.end());
      for (int e : beside) {
        if (outside[slot(e)] < 0) {
          auto& all = variables[slot(e)];
          all.erase(std::remove_if(all.begin(), all.end(), [&](int j) { return gone[slot(j)]; }), all.end());
          outside[slot(e)] = static_cast<int64_t>(all.size());
          touched.push_back(e);
        }
        --outside[slot(e)];
      }
    }
    for (int i : front) {
      auto& near = to[slot(i)];
      near.erase(std::remove_if(near.begin(), near.end(),
                                [&](int j) { return gone[slot(j)] || mark[slot(j)] == p; }),
                 near.end());
      auto& beside = elements[slot(i)];
      beside.erase(std::remove_if(beside.begin(), beside.end(), [&](int e) { return outside[slot(e)] == 0; }),
                   beside.end());
      int64_t d = static_cast<int64_t>(near.size() + front.size()) - 1;
      for (int e : beside) d += outside[slot(e)];
      beside.push_back(p);
      queue.erase({degree[slot(i)], i});
      degree[slot(i)] = std::min<int64_t>(d, n - static_cast<int64_t>(order.size()) - 1);
      queue.emplace(degree[slot(i)], i);
    }
    for (int e : touched) {
      if (outside[slot(e)] == 0) absorbed[slot(e)] = 1, variables[slot(e)] = {};
      outside[slot(e)] = -1;
    }
  }
  return order;
}

}  // namespace ww::solver
