#include "checks/check.h"

#include <algorithm>

#include "ir/places.h"

namespace ww::checks {

namespace {

using Chain = std::vector<Location>;

/// Whether one of the places is the user's: neither in CUDA's headers nor known in the PTX text alone.
bool has_users_place(const ir::Module& module, const Chain& chain) {
  const Location& place = chain[ir::users_place(chain)];
  return place.file != module.name && ir::users_place({place, {}}) == 0;
}

/// The only place of the user's from which a function of the program is called, maybe through others of
/// CUDA's headers; empty: there is none, or there are several.
Chain only_call(const engine::Program& program, const ir::Function& function) {
  const ir::Module& module = *program.module;
  std::vector<const ir::Function*> called{&function};
  Chain only;
  for (size_t k = 0; k < called.size(); ++k)
    for (const engine::InstInfo& info : program.infos) {
      if (!info.instruction || info.instruction->call < 0) continue;
      const ir::SymbolId target = info.function->calls[static_cast<size_t>(info.instruction->call)].target;
      if (target == ir::kNone) return {};  // it may be any
      if (target != called[k]->symbol) continue;
      Chain chain = ir::inlining_chain(module, *info.function, info.instruction->place);
      if (!has_users_place(module, chain)) {
        if (std::find(called.begin(), called.end(), info.function) == called.end())
          called.push_back(info.function);
        continue;
      }
      if (!only.empty() && only[ir::users_place(only)] != chain[ir::users_place(chain)]) return {};
      only = std::move(chain);
    }
  return only;
}

/// With the call of a function in CUDA's headers: nvcc -G inlines none.
Chain chain_of(const engine::Program& program, const engine::InstInfo& info) {
  Chain chain = ir::inlining_chain(*program.module, *info.function, info.instruction->place);
  if (program.module->files.empty() || has_users_place(*program.module, chain)) return chain;
  const Chain call = only_call(program, *info.function);
  chain.insert(chain.end(), call.begin(), call.end());
  return chain;
}

}  // namespace

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
  auto chain = chain_of(program, info);
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
