#include "passes/spills.h"

#include <algorithm>
#include <set>

#include "passes/liveness.h"
#include "passes/register_words.h"
#include "passes/uses.h"

namespace ww::passes {

namespace {

using ir::Instruction;

/// The registers of a thread while it goes through a stretch again and again.
class Machine {
 public:
  Machine(const ir::Function& f, const Stretch& stretch, const std::vector<int>& words,
          const RegisterSet& live_out, int registers)
      : function_(f),
        words_(words),
        free_(registers),
        uses_(words.size()),
        next_(words.size()),
        here_(words.size()),
        dirty_(words.size()) {
    for (ir::BlockId b : stretch.blocks)
      for (const Instruction& in : f.blocks[b].instructions) lines_.push_back(&in);
    for (size_t i = 0; i < lines_.size(); ++i)
      each_use(f, *lines_[i], [&](ir::RegId r) {
        if (words_[r] > 0 && (uses_[r].empty() || uses_[r].back() != i)) uses_[r].push_back(i);
      });
    for (ir::RegId r = 0; r < words_.size(); ++r) live_out_.push_back(live_out.has(r));
  }

  Spill pass() {
    spill_ = {};
    std::fill(next_.begin(), next_.end(), 0);
    for (now_ = 0; now_ < lines_.size(); ++now_) step(*lines_[now_]);
    spill_.words = static_cast<double>(away_.size());
    return spill_;
  }

 private:
  /// Where it is used next, counted on into the next pass; what is live but not used here comes last.
  size_t next_use(ir::RegId r) const {
    const auto& uses = uses_[r];
    if (next_[r] < uses.size()) return uses[next_[r]];
    if (!live_out_[r]) return kNever;
    return uses.empty() ? kNever - 1 : lines_.size() + uses.front();
  }
  void put_away(ir::RegId r) {
    if (dirty_[r]) spill_.stores += words_[r], dirty_[r] = false;
    away_.insert(r);
    leave(r);
  }
  void leave(ir::RegId r) {
    here_[r] = false, free_ += words_[r];
    std::erase(resident_, r);
  }
  void enter(ir::RegId r, const std::set<ir::RegId>& needed) {
    while (free_ < words_[r]) {
      auto farthest = resident_.end();
      for (auto it = resident_.begin(); it != resident_.end(); ++it)
        if (!needed.contains(*it) && (farthest == resident_.end() || next_use(*it) > next_use(*farthest)))
          farthest = it;
      if (farthest == resident_.end()) return;  // an instruction that needs more than there are
      put_away(*farthest);
    }
    here_[r] = true, free_ -= words_[r];
    resident_.push_back(r);
  }
  void step(const Instruction& in) {
    std::set<ir::RegId> needed;
    each_use(function_, in, [&](ir::RegId r) {
      if (words_[r] > 0) needed.insert(r);
    });
    for (ir::RegId r : needed) {
      if (!here_[r]) {
        enter(r, needed);
        spill_.loads += words_[r];
      }
    }
    for (ir::RegId r : needed) {
      ++next_[r];
      if (next_use(r) == kNever && here_[r]) leave(r);
    }
    each_definition(function_, in, [&](ir::RegId r) {
      if (words_[r] == 0) return;
      needed.insert(r);
      if (!here_[r]) enter(r, needed);
      dirty_[r] = true;
      if (next_use(r) == kNever && here_[r]) leave(r);
    });
  }

  static constexpr size_t kNever = ~size_t{0};
  const ir::Function& function_;
  const std::vector<int>& words_;
  int free_;
  std::vector<const Instruction*> lines_;
  std::vector<std::vector<size_t>> uses_;  ///< [register]: lines
  std::vector<size_t> next_;               ///< [register]: index into uses_
  std::vector<bool> here_, dirty_, live_out_;
  std::vector<ir::RegId> resident_;
  std::set<ir::RegId> away_;
  size_t now_ = 0;
  Spill spill_;
};

}  // namespace

std::vector<Spill> spills_of(const ir::Function& f, const std::vector<Stretch>& stretches, int sm,
                             int registers) {
  const std::vector<int> words = words_of(f, sm);
  const Liveness live = liveness_of(f);
  std::vector<Spill> out;
  for (const Stretch& s : stretches) {
    Machine machine(f, s, words, live.out[s.blocks.back()], registers - (sm >= 20 ? 1 : 0));
    machine.pass();
    out.push_back(machine.pass());
  }
  return out;
}

}  // namespace ww::passes
