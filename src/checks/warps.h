// Wrong synchronisation of warps: masks that do not match the lanes that arrive, barriers that the lanes of a
// warp reach at different places of the program, and results of wgmma that nobody waits for.
#pragma once

#include <map>
#include <unordered_set>

#include "analysis/early_products.h"
#include "checks/check.h"

namespace ww::checks {

/// Finds what the engine can go on from; what ends a launch (barriers and masks that wait for ever)
/// is a fault of the launch (engine/schedule/deadlock.cpp).
class Warps : public Check {
 public:
  explicit Warps(Findings& findings) : Check(findings) {}
  std::string name() const override { return "warps"; }
  u32 wants() const override { return events::kWarpSyncs | events::kBarriers; }

  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void warp_arrival(int worker, const events::WarpArrival& event) override;
  void warp_sync(int worker, const events::WarpSync& event) override;
  void barrier_arrival(int worker, const events::BarrierArrival& event) override;
  void barrier_release(int worker, const events::BarrierRelease& event) override;
  void block_ends(int worker, u64 block) override;

 private:
  struct Arrivals {
    std::vector<events::BarrierArrival> all;  ///< since the barrier was released last
  };
  struct Block {
    std::map<u32, Arrivals> barriers;
    std::unordered_set<u64> told;  ///< instruction and what was wrong with it
  };
  using Worker = std::map<u64, Block>;

  Block& block(int worker, u64 number) { return workers_[static_cast<size_t>(worker)][number]; }
  bool aligned(u32 instruction) const;
  u32 lanes_of(u32 warp) const;
  void judge(Block& block, const Arrivals& arrivals);
  Finding finding(const events::Site& site, int lane, std::string kind, std::string message,
                  std::string what) const;

  /// The products of a program's code that are used too early, by instruction.
  struct Products {
    std::shared_ptr<const ir::Module> module;
    const void* infos = nullptr;
    std::multimap<u32, analysis::EarlyProduct> early;
  };
  const Products& products_of(const engine::Program& program);

  const engine::Program* program_ = nullptr;
  const Products* products_ = nullptr;
  std::map<const engine::Program*, Products> known_;
  std::vector<Worker> workers_;
};

}  // namespace ww::checks
