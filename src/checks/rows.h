// Accesses to the padding behind the rows of a pitched allocation: inside of the allocation, but of no row.
#pragma once

#include <set>

#include "checks/check.h"
#include "checks/reach.h"

namespace ww::checks {

class Rows : public Check {
 public:
  explicit Rows(Findings& findings) : Check(findings) {}
  std::string name() const override { return "rows"; }
  u32 wants() const override { return facts_.pitched.empty() ? 0 : u32{events::kMemory}; }
  events::Registers registers() const override { return events::Registers::Never; }
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;

 private:
  const engine::Program* program_ = nullptr;
  std::vector<Reaches> reaches_;                     ///< by worker
  std::vector<std::set<std::pair<u64, u32>>> told_;  ///< by worker: block and instruction
};

}  // namespace ww::checks
