// A hint: atomics of several lanes on one word, which the warp could have reduced first.
#pragma once

#include <map>

#include "checks/check.h"

namespace ww::checks {

class Atomics : public Check {
 public:
  explicit Atomics(Findings& findings) : Check(findings) {}
  std::string name() const override { return "hints"; }
  u32 wants() const override { return events::kMemory; }
  events::Registers registers() const override { return events::Registers::Never; }
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  void launch_ends() override;

 private:
  /// Executions of one instruction by warps.
  struct Met {
    u64 requests = 0, lanes = 0;
    u64 words = 0;  ///< different ones of a request, summed up
    events::Site first;
  };
  const engine::Program* program_ = nullptr;
  std::vector<std::map<u32, Met>> met_;  ///< by worker, then instruction
};

}  // namespace ww::checks
