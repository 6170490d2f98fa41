// One array of shared memory that runs into its neighbour.
#pragma once

#include <map>
#include <unordered_set>

#include "checks/check.h"
#include "checks/reach.h"

namespace ww::checks {

/// For each instruction of a program the shared variable that its address is made from: the symbol plus
/// numbers. Where two may be meant, or none is seen, it is left alone.
class Arrays : public Check {
 public:
  explicit Arrays(Findings& findings) : Check(findings) {}
  std::string name() const override { return "arrays"; }
  u32 wants() const override { return events::kMemory; }

  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;

 private:
  struct Bases {
    std::shared_ptr<const ir::Module> module;
    const void* infos = nullptr;
    std::vector<u32> variable;  ///< by instruction: index into Program::shared, ir::kNone
    bool several = false;       ///< else there is no neighbour
  };
  void judge(const events::Memory& event, const engine::SharedVariable& variable);

  const engine::Program* program_ = nullptr;
  std::map<const engine::Program*, Bases> known_;
  const Bases* now_ = nullptr;
  std::vector<Reaches> reaches_;               ///< by worker
  std::vector<std::unordered_set<u64>> told_;  ///< by worker: instruction, in a block
};

}  // namespace ww::checks
