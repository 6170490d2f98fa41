// Stores to what kernels may only read: __constant__ variables, and arrays that a launch was given as input.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "checks/check.h"
#include "checks/reach.h"

namespace ww::checks {

class ReadOnly : public Check {
 public:
  explicit ReadOnly(Findings& findings) : Check(findings) {}
  std::string name() const override { return "constants"; }
  u32 wants() const override {
    return constants_.empty() && facts_.inputs.empty() ? 0 : u32{events::kMemory};
  }
  events::Registers registers() const override { return events::Registers::Never; }

  void allocated(const events::Allocated& event) override;
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;

 private:
  struct Range {
    u64 begin = 0, end = 0;
    bool input = false;
  };
  const engine::Program* program_ = nullptr;
  std::mutex mutex_;
  std::vector<Range> constants_;  ///< of all modules
  std::vector<Range> ranges_;     ///< of this launch
  u64 low_ = 0, high_ = 0;        ///< all of them lie in here
  std::vector<Reaches> reaches_;  ///< by worker
  std::vector<std::set<std::pair<u64, u32>>> told_;
};

}  // namespace ww::checks
