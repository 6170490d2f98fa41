// One array that runs into another: of shared, constant or local memory, or allocations of global memory.
#pragma once

#include <map>
#include <unordered_set>

#include "checks/allocations.h"
#include "checks/check.h"
#include "checks/reach.h"

namespace ww::checks {

/// For each instruction of a program the shared or constant variable or local array that its address is made
/// from: the array plus numbers. In global memory, the argument of the kernel (allocations.h). Where two may
/// be meant, or none is seen, it is left alone.
class Arrays : public Check {
 public:
  explicit Arrays(Findings& findings) : Check(findings) {}
  std::string name() const override { return "arrays"; }
  u32 wants() const override { return events::kMemory; }
  events::Registers registers() const override { return events::Registers::Never; }

  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;

 private:
  struct Array {
    ir::SymbolId symbol = ir::kNone;
    ir::Space space = ir::Space::Shared;
    bool part = false;       ///< of the variable that holds all local arrays of a function: it has no name
    u32 within = 0;          ///< of that variable: where it begins
    u64 begin = 0, end = 0;  ///< in its space; in its function's frame. end 0: dynamic
    u32 function = 0;        ///< local: whose
  };
  struct Known {
    std::shared_ptr<const ir::Module> module;
    const void* infos = nullptr;
    std::vector<Array> arrays;
    std::vector<u32> of;  ///< by instruction: index into `arrays`, ir::kNone
  };
  static void find(const engine::Program& program, Known& known);
  void judge(const events::Memory& event, const Array& array, u64 first);
  void judge_global(int worker, const events::Memory& event);
  bool lies_outside(ir::Space space, u64 at, const events::Memory& event) const;
  std::string name(const Array& array) const;

  const engine::Program* program_ = nullptr;
  std::map<const engine::Program*, Known> known_;
  const Known* now_ = nullptr;
  Allocations allocations_;
  std::vector<Reaches> reaches_;               ///< by worker
  std::vector<std::unordered_set<u64>> told_;  ///< by worker: instruction, in a block
};

}  // namespace ww::checks
