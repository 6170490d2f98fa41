// Shared memory of a cluster's blocks is there until its block has ended: who accesses another block's must
// have done so before.
#include <fmt/format.h>

#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

/// A lane accesses the shared memory of another block of its cluster.
void Races::reaches_block(const events::Memory& e, Place& owner, u64 number, u32 lane, races::Segment now) {
  const Reaching mine{e, lane, now, owner.ended, 0};
  if (owner.ended) return too_late(mine, number);
  for (Reaching& known : owner.reaching)
    if (known.by.instruction == e.instruction && known.by.block == e.block && known.by.warp == e.warp &&
        known.lane == lane) {
      known = mine;
      return;
    }
  owner.reaching.push_back(mine);
}

/// Who waits for a barrier of the cluster goes on, and ends, behind all that came to it before they arrived,
/// even where the arrival is .relaxed and orders no memory.
void Races::reached_barrier(const events::ClusterBarrier& e) {
  const auto of = [&](const Reaching& r) {
    return r.by.block == e.block && r.by.warp == e.warp && (e.mask >> r.lane & 1);
  };
  if (e.waits) {
    std::erase_if(place(e.block).reaching,
                  [&](const Reaching& r) { return r.arrived && r.arrived <= e.phase; });
    return;
  }
  for (auto& [number, place] : places_)
    for (Reaching& r : place->reaching)
      if (of(r) && !r.arrived) r.arrived = e.phase;
}

/// The last thread of a block ends: one of them must know of each access from outside.
void Races::block_is_left(Place& place, const races::BlockOrder& b) {
  place.ended = true;
  for (const Reaching& r : place.reaching) {
    bool known = false;
    for (u32 w = 0; w < b.warps.size() && !known; ++w) {
      const u32 lanes = b.warps[w].apart ? races::kWarpLanes : 1;
      for (u32 lane = 0; lane < lanes && !known; ++lane)
        known = (b.warps[w].all >> lane & 1) && order_.before(r.segment, r.lane, b, w, lane);
    }
    if (!known) too_late(r, b.number);
  }
  place.reaching.clear();
}

void Races::too_late(const Reaching& r, u64 owner) {
  if (benign_) return;
  Finding f;
  f.kind = "race";
  f.kernel = grids_.current().kernel();
  f.message = fmt::format(
      "data race in shared memory: a thread accesses the shared memory of another block of its cluster "
      "(block {}), which {} ended by then, unsynchronised",
      owner - first_block_, r.after ? "had" : "may have");
  f.parties = {
      party_at(r.by.instruction, {r.by.block, r.by.warp, r.lane}, "accesses another block's shared memory")};
  f.more = {fmt::format(
      "missing: a barrier of the cluster (cluster.sync()) after {}, which all threads of both blocks reach "
      "before they exit",
      f.parties[0].where.known() ? fmt::format("{}:{}", f.parties[0].where.file, f.parties[0].where.line)
                                 : fmt::format("PTX line {}", f.parties[0].ptx_line))};
  findings_.add(std::move(f));
}

}  // namespace ww::checks
