#include "checks/check.h"

#include "ir/places.h"

namespace ww::checks {

Party Check::party_in(const LaunchFacts& facts, const engine::Program& program, const events::Site& site,
                      int lane, std::string what) {
  const engine::InstInfo& info = program.infos[site.instruction];
  auto chain = ir::inlining_chain(*program.module, *info.function, info.instruction->place);
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
