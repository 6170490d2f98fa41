// Invalid pointers to local memory: another thread's (the same address means each thread's own), and to
// variables of functions that have returned.
#pragma once

#include <map>
#include <unordered_map>

#include "checks/check.h"

namespace ww::checks {

/// Remembers where threads of a block store generic addresses of local memory; who loads such a pointer of
/// another thread and then accesses local memory through it, is found. So is an access behind the frame of
/// its function: only functions that were called from there and have returned had their variables there.
class Locals : public Check {
 public:
  explicit Locals(Findings& findings) : Check(findings) {}
  std::string name() const override { return "locals"; }
  u32 wants() const override { return events::kMemory; }

  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  void block_ends(int worker, u64 block) override;

 private:
  /// A pointer that a thread has stored or loaded: to local memory of `warp`, `lane`.
  struct Pointer {
    u64 value = 0;
    events::Site stored;
    u32 lane = 0;
  };
  struct Block {
    std::map<std::pair<ir::Space, u64>, Pointer> stored;  ///< by where it lies
    std::unordered_map<u32, Pointer> loaded;              ///< by thread: the latest of another thread
  };
  void store(Block& block, const events::Memory& event);
  void load(Block& block, const events::Memory& event);
  void access(Block& block, const events::Memory& event);
  /// Memory behind the frame of the function that runs belongs to nobody.
  void behind_frame(const events::Memory& event);

  const engine::Program* program_ = nullptr;
  bool possible_ = false;  ///< the program makes generic addresses of local memory
  bool returns_ = false;   ///< functions that have local memory return
  std::vector<std::unordered_map<u64, Block>> workers_;
};

}  // namespace ww::checks
