#include "analysis/early_products.h"

#include <algorithm>
#include <map>

#include "analysis/uses.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

using ir::Op;

bool is_product(const ir::Instruction& in) { return in.mod(isa::Slot::wgshape) != isa::Mod::none; }

/// A product that some path comes from, and how many groups have been committed since (its own among them).
struct Pending {
  static constexpr uint8_t kOver = 255, kMost = 64;  // kOver: a path has waited for it
  uint32_t product = 0;
  uint8_t commits = 0;
  auto operator<=>(const Pending&) const = default;
};
using PendingSet = std::vector<Pending>;  // sorted

bool merge(PendingSet& into, const PendingSet& more) {
  const size_t before = into.size();
  PendingSet all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into = std::move(all);
  return into.size() != before;
}

struct State {
  std::map<ir::RegId, PendingSet> of;
  bool reached = false, fenced = false;  ///< some path has come here; and some has passed a fence

  bool join(const State& other) {
    bool changed = !reached || (other.fenced && !fenced);
    reached = true;
    fenced |= other.fenced;
    for (const auto& [reg, set] : other.of) changed |= merge(of[reg], set);
    return changed;
  }
  template <class F>
  void each(const F& change) {
    for (auto& [reg, set] : of) {
      for (Pending& p : set) change(p);
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  }
};

class Search {
 public:
  explicit Search(const ir::Function& f) : f_(f) {}

  std::vector<EarlyProduct> run() {
    for (const ir::Block& block : f_.blocks)
      for (const ir::Instruction& in : block.instructions)
        if (is_product(in)) numbers_.emplace(&in, static_cast<uint32_t>(numbers_.size()));
    if (numbers_.empty()) return {};
    const ir::Flow flow = ir::flow_of(f_);
    std::vector<State> at(f_.blocks.size());
    at[0].reached = true;
    std::vector<ir::BlockId> work{0};
    while (!work.empty()) {
      const ir::BlockId b = work.back();
      work.pop_back();
      State s = at[b];
      for (const ir::Instruction& in : f_.blocks[b].instructions) pass(s, in, false);
      for (const ir::BlockId next : flow.successors[b])
        if (at[next].join(s)) work.push_back(next);
    }
    for (ir::BlockId b = 0; b < f_.blocks.size(); ++b)
      if (at[b].reached)
        for (const ir::Instruction& in : f_.blocks[b].instructions) pass(at[b], in, true);
    return std::move(found_);
  }

 private:
  void tell(const ir::Instruction& use, const PendingSet& set) {
    for (const Pending& p : set) {
      const auto over = std::lower_bound(set.begin(), set.end(), Pending{p.product, Pending::kOver});
      if (p.commits == Pending::kOver || (over != set.end() && *over == Pending{p.product, Pending::kOver}))
        continue;
      const auto product = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) {
                             return n.second == p.product;
                           })->first;
      if (std::none_of(found_.begin(), found_.end(),
                       [&](const EarlyProduct& e) { return e.product == product && e.use; }))
        found_.push_back({product, &use, p.commits > 0});
    }
  }

  void pass(State& s, const ir::Instruction& in, bool tells) {
    if (in.call >= 0) {  // the function may wait
      s.fenced = true;
      s.of.clear();
    }
    const bool product = is_product(in), copies = in.op == Op::mov;
    if (in.op == Op::wgmma_fence) s.fenced = true;
    if (in.op == Op::wgmma_commit)
      s.each([](Pending& p) {
        if (p.commits < Pending::kMost) ++p.commits;
      });
    if (in.op == Op::wgmma_wait) {
      const auto left = static_cast<uint64_t>(in.operands[0].bits);
      s.each([&](Pending& p) {
        if (p.commits > left) p.commits = Pending::kOver;
      });
    }
    if (product && tells && !s.fenced) found_.push_back({&in, nullptr, false});
    // The accumulators that a product adds to are no use: products follow one another.
    PendingSet copied;
    each_use(f_, in, [&](ir::RegId r) {
      const auto at = s.of.find(r);
      if (at == s.of.end()) return;
      bool accumulates = false;
      if (product) each_definition(f_, in, [&](ir::RegId d) { accumulates |= d == r; });
      if (copies) merge(copied, at->second);
      if (!copies && !accumulates && tells) tell(in, at->second);
    });
    each_definition(f_, in, [&](ir::RegId r) {
      if (product)
        s.of[r] = {{numbers_.at(&in), 0}};
      else if (in.guard != ir::kNone)
        merge(s.of[r], copied);
      else if (!copied.empty())
        s.of[r] = copied;
      else
        s.of.erase(r);
    });
  }

  const ir::Function& f_;
  std::map<const ir::Instruction*, uint32_t> numbers_;
  std::vector<EarlyProduct> found_;
};

}  // namespace

std::vector<EarlyProduct> early_products(const ir::Function& function) { return Search(function).run(); }

}  // namespace ww::analysis
