// Barriers, fences and strong accesses: what orders.
#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::first_lane;
using races::kWordBytes;
using races::race_scope;

void Races::synchronise(const events::Memory& e, const Kind& k, races::BlockOrder& b, bool after) {
  const bool shared = e.space == ir::Space::Shared;
  const bool apart = b.warps[e.warp].apart;
  if (!any_released_ && !apart && !k.releases) return;
  bool released = false;
  for (u32 m = e.mask; m; m &= m - 1) {
    const u32 lane = first_lane(m);
    const u64 address = e.first + static_cast<u64>(e.offsets[lane]);
    const auto [owner, at] = shared ? shared_place(e.block, address) : std::pair<u64, u64>{0, address};
    if (shared && !places_.count(owner)) continue;
    auto& page = (shared ? place(owner).shadow : global_).page(at / kWordBytes);
    const u64 key = key_of(shared, e.block, address);
    races::Order* const without_locks =
        lock_order_ && !lock_order_->is_lock(key) ? &lock_order_->order() : nullptr;
    if (!after) {
      if (!page.synchronises || e.store()) continue;
      order_.strong_read(key, b, e.warp, lane, k.scope, k.acquires, k.swaps);
      if (without_locks)
        without_locks->strong_read(key, without_locks->block(e.block), e.warp, lane, k.scope, k.acquires);
      continue;
    }
    if (!page.synchronises && !apart && !k.releases) continue;
    // Lanes update a word in turn: the last one finds what the others have released there. It learns of that
    // by what its update returns; who does not look at this cannot know that it is not the first.
    const bool again = released && k.answers;
    if (again) order_.strong_read(key, b, e.warp, lane, k.scope, k.acquires, k.swaps);
    if (again && without_locks)
      without_locks->strong_read(key, without_locks->block(e.block), e.warp, lane, k.scope, k.acquires);
    const bool tells = order_.strong_write(key, b, e.warp, lane, k.scope, k.releases, e.store());
    if (without_locks)
      without_locks->strong_write(key, without_locks->block(e.block), e.warp, lane, k.scope, k.releases,
                                  e.store());
    page.synchronises |= tells;
    any_released_ |= tells;
    released |= tells;
  }
  if (after && k.releases) order_.new_segment(b, e.warp);
  if (after && k.releases && lock_order_)
    lock_order_->order().new_segment(lock_order_->order().block(e.block), e.warp);
}

void Races::on(const events::BarrierArrival& e) {
  if (const auto other = order_.arrive(e)) shared_barrier(e, *other);
  if (lock_order_) lock_order_->order().arrive(e);
}
void Races::on(const events::BarrierRelease& e) {
  order_.release(e);
  if (lock_order_) lock_order_->order().release(e);
  if (locks_.any()) locks_.barrier(e.block);
}

void Races::on(const events::ClusterBarrier& e) {
  reached_barrier(e);
  races::BlockOrder& b = order_.block(e.block);
  const u64 key = races::kClusterKey | u64{b.cluster} << 32 | (e.phase & 0xffffffff);
  if (e.waits) {
    // fence.mbarrier_init makes them known at a relaxed barrier, too; to all blocks, which have all arrived.
    for (auto& [number, p] : places_)
      if (cluster_of(number) == b.cluster) p->made.clear();
    for (u32 m = e.mask; m; m &= m - 1) order_.acquire(key, b, e.warp, first_lane(m), races::kCluster);
  } else if (e.order != isa::Mod::relaxed) {
    order_.release_all(key, b, e.warp, e.mask, races::kCluster);
  }
}

void Races::on(const events::Fence& e) {
  const isa::Op op = info_of(e.instruction).instruction->op;
  if (op == isa::Op::fence_proxy || op == isa::Op::fence_proxy_restrict) {
    races::BlockOrder& b = order_.block(e.block);
    order_.new_segment(b, e.warp);
    place(e.block).proxy_fences[e.warp] = b.warps[e.warp].now;
  }
  if (e.scope == isa::Mod::none) return;
  order_.fence(e, race_scope(e.scope));
  if (lock_order_) lock_order_->order().fence(e, race_scope(e.scope));
  if (race_scope(e.scope) == races::kCta && !block_fence_) block_fence_ = e.instruction;
  for (u32 m = locks_.any() ? e.mask : 0; m; m &= m - 1)
    locks_.fence({e.block, e.warp, first_lane(m)}, race_scope(e.scope));
}

void Races::on(const events::WarpSync& e) {
  // Only bar.warp.sync orders memory; shuffles and votes exchange registers.
  if (!e.named) return;
  order_.warp_sync(e, e.named);
  if (lock_order_) lock_order_->order().warp_sync(e, e.named);
  for (u32 m = locks_.any() ? e.mask : 0; m; m &= m - 1)
    locks_.fence({e.block, e.warp, first_lane(m)}, races::kGpu);
}

}  // namespace ww::checks
