// What kernels do wrong, as the engine finds it: wrong accesses to memory, after which the launch goes on,
// and faults that end it (deadlocks, assertions, traps).
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "checks/check.h"

namespace ww::checks {

class Memory : public Check {
 public:
  /// Without `goes_on` a wrong access stops the launch, as without checks.
  Memory(Findings& findings, bool goes_on) : Check(findings), goes_on_(goes_on) {}
  std::string name() const override { return "memory"; }
  bool in_order() const override { return false; }
  u32 wants() const override {
    return goes_on_ ? events::kFaults | events::kWrongAccesses : u32{events::kFaults};
  }
  void launch_begins(const engine::Program& program, int workers) override;
  void wrong(int worker, const events::Wrong& event) override;
  void launch_ends() override;

 private:
  /// Accesses of one kind at one instruction that concern one allocation.
  using Place = std::tuple<u32, std::string, u64>;
  struct Met {
    events::Site first;  ///< by block, warp and lane
    int lane = 0;
    std::string what, detail;
    u64 count = 0, told = 0;
  };
  void add(const Place& place, const Met& met, u64 count);

  const bool goes_on_;
  const engine::Program* program_ = nullptr;
  std::vector<std::map<Place, Met>> met_;  ///< by worker
};

}  // namespace ww::checks
