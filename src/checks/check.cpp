#include "checks/check.h"

#include <algorithm>

#include "engine/schedule/called_place.h"
#include "ir/places.h"

namespace ww::checks {

engine::Extent3 cluster_size(const LaunchFacts& facts, const engine::Program& program) {
  if (facts.cluster.count() > 1) return facts.cluster;
  const u32* own = program.entry->cluster;
  if (!own[0]) return {1, 1, 1};
  return {own[0], std::max<u32>(1, own[1]), std::max<u32>(1, own[2])};
}

u64 block_of_rank(u64 block, u64 rank, const engine::Extent3& grid, const engine::Extent3& cluster) {
  const u64 nx = grid.x, ny = grid.y;
  const u64 x = block % nx / cluster.x * cluster.x + rank % cluster.x;
  const u64 y = block / nx % ny / cluster.y * cluster.y + rank / cluster.x % cluster.y;
  const u64 z = block / nx / ny / cluster.z * cluster.z + rank / cluster.x / cluster.y;
  return x + nx * (y + ny * z);
}

Party Check::party_in(const LaunchFacts& facts, const engine::Program& program, const events::Site& site,
                      int lane, std::string what) {
  const engine::InstInfo& info = program.infos[site.instruction];
  auto chain = engine::chain_with_call(program, site.instruction);
  Party p;
  p.what = std::move(what);
  p.where = chain[ir::users_place(chain)];
  p.ptx_line = info.instruction->place.ptx_line;
  if (chain.size() > 1) p.inlined = std::move(chain);
  p.by.launch = facts.number;
  const auto parts = [](u64 n, const engine::Extent3& size) {
    return std::array{static_cast<u32>(n % size.x), static_cast<u32>(n / size.x % size.y),
                      static_cast<u32>(n / size.x / size.y)};
  };
  p.by.block = parts(site.block, facts.grid);
  p.by.thread = parts(u64{site.warp} * engine::kLanes + static_cast<u64>(lane < 0 ? 0 : lane), facts.block);
  return p;
}

}  // namespace ww::checks
