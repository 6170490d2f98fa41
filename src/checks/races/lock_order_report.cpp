// Which locks threads take while they hold others, and what is said of rings of them.
#include <fmt/format.h>

#include "analysis/retried.h"
#include "analysis/uniform_value.h"
#include "checks/races.h"
#include "checks/races/words.h"
#include "ir/exchanges.h"
#include "isa/effects.h"

namespace ww::checks {

using races::first_lane;
using races::Holder;
using races::kWordBytes;

bool Races::may_take_locks(const engine::Program& program) {
  bool any = false;
  for (const engine::InstInfo& info : program.infos) {
    any = any || (ir::exchanges(*info.instruction) && waits_for_one_value(info));
    // Phases of mbarriers, which order, too, are not followed here.
    for (const isa::MemoryEffect& m : isa::effects(info.instruction->op).memory)
      if (m.range == isa::Range::Mbarrier) return false;
  }
  return any;
}

void Races::begin_lock_order(const engine::Program& program) {
  const bool follows = facts_.start.how == Start::How::Alone && first_block_ == 0 && cluster_.count() == 1 &&
                       !benign_ && facts_of(program).may_take_locks;
  if (!follows) return lock_order_.reset();
  if (!lock_order_) lock_order_ = std::make_unique<races::LockOrder>();
  lock_order_->begin_launch(static_cast<u32>(facts_.block.count()));
}

/// Whether it takes what can be a lock, and a thread that does not get it tries again.
bool Races::waits_for_one_value(const engine::InstInfo& info) {
  const ir::Instruction& in = *info.instruction;
  return in.operands.size() > 2 && analysis::is_uniform(*info.function, info.block, in, in.operands[2]) &&
         analysis::is_retried(*info.function, info.block, in);
}

void Races::order_locks(const events::Memory& e, const Kind& k, const std::vector<Change>& changes) {
  if (k.swaps) {
    for (const Change& c : changes) {
      const Holder t{e.block, e.warp, c.lane};
      if (k.waits)
        lock_order_->takes(t, c.word, c.was, e.instruction, lock_order_->order().block(e.block));
      else
        lock_order_->changes(t, c.word);
    }
    return;
  }
  if (!lock_order_->any()) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const u32 lane = first_lane(m);
    const u64 begin = e.first + static_cast<u64>(e.offsets[lane]);
    for (u64 at = begin / kWordBytes * kWordBytes; at < begin + e.bytes; at += kWordBytes)
      lock_order_->changes({e.block, e.warp, lane}, key_of(e.space == ir::Space::Shared, e.block, at));
  }
}

Finding Races::finding_of(const races::LockOrder::Ring& ring) const {
  constexpr size_t kShown = 4;
  Finding f;
  f.kind = "lock order";
  f.severity = Severity::Warning;
  f.kernel = grids_.current().kernel();
  f.message = ring.size() == 2
                  ? "two threads take two locks in opposite order: each may get one and wait for the other, "
                    "and then neither goes on"
                  : fmt::format(
                        "{} threads take {} locks in a ring: each may get one and wait for the next, "
                        "and then none goes on",
                        ring.size(), ring.size());
  const auto place = [&](u64 word) {
    Found at;
    at.shared = word & races::kSharedKey;
    at.address = (at.shared ? word & 0xffffff : word) * kWordBytes;
    return place_of(at);
  };
  for (size_t k = 0; k < std::min(ring.size(), kShown); ++k) {
    const races::LockOrder::Step& s = *ring[k];
    const Lane who{s.by.block, s.by.warp, s.by.lane};
    f.parties.push_back(party_at(s.from_at, who, "takes the lock at " + place(s.from)));
    f.parties.push_back(party_at(s.to_at, who, "takes the lock at " + place(s.to) + " while it holds that"));
  }
  f.more.emplace_back(
      "in this run each got both; nothing but luck keeps them apart (no barrier, no message, no lock "
      "around)");
  f.more.emplace_back("missing: one order in which all threads take them, or one lock in their place");
  return f;
}

void Races::write_lock_order() {
  if (!lock_order_ || !program_) return;
  for (const races::LockOrder::Ring& ring : lock_order_->rings()) findings_.add(finding_of(ring));
}

}  // namespace ww::checks
