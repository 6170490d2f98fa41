// One barrier's number for several groups of warps at the same time.
#include <fmt/format.h>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

void Races::shared_barrier(const events::BarrierArrival& e, const races::BlockOrder::Barrier::Met& other) {
  if (benign_) return;
  Finding f;
  f.kind = "barrier";
  f.kernel = grids_.current().kernel();
  f.message = fmt::format(
      "two groups of warps use barrier {} and nothing orders them: warps of both may be counted together",
      e.barrier);
  f.parties = {
      party_at(e.instruction, {e.block, e.warp, races::first_lane(e.mask)},
               fmt::format("arrives at the barrier, which waits for {} threads", e.expected)),
      party_at(other.instruction, {e.block, other.warp, other.lane}, "has waited there, in another group")};
  f.more = {"missing: a number of its own for each group, or a barrier of the block between them"};
  findings_.add(std::move(f));
}

}  // namespace ww::checks
