// Invalid pointers to memory of one's own: another thread's local memory, another block's shared memory (the
// same address means each one's own), and variables of functions that have returned.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "checks/check.h"

namespace ww::checks {

/// Remembers where threads of a block store generic addresses of local memory; who loads such a pointer of
/// another thread and then accesses local memory through it, is found. So is an access behind the frame of
/// its function: only functions that were called from there and have returned had their variables there.
/// Pointers to shared memory are remembered where blocks store them in global memory, also for later
/// launches.
class Locals : public Check {
 public:
  explicit Locals(Findings& findings) : Check(findings) {}
  std::string name() const override { return "locals"; }
  u32 wants() const override { return events::kMemory; }
  events::Registers registers() const override { return events::Registers::Never; }

  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  void block_ends(int worker, u64 block) override;
  void launch_ends() override;

 private:
  /// A pointer that a thread has stored or loaded: to local memory of `warp`, `lane`.
  struct Pointer {
    u64 value = 0;
    events::Site stored;
    u32 lane = 0;
    std::optional<Party> earlier;  ///< who stored it, in a launch that has ended
  };
  struct Block {
    std::map<std::pair<ir::Space, u64>, Pointer> stored;  ///< by where it lies
    std::unordered_map<u32, Pointer> loaded;              ///< by thread: the latest of another thread
    std::unordered_map<u32, Pointer> loaded_shared;       ///< the same of another block
    std::set<u64> own_shared;  ///< pointers to shared memory that the block itself has stored, wherever
  };
  void store(Block& block, const events::Memory& event);
  void load(Block& block, const events::Memory& event);
  /// Memory that each thread or block has of its own, at the same addresses.
  struct Own {
    u64 window;
    const char *whose, *space, *stores, *missing;
  };
  static const Own kLocal, kShared;
  /// loaded: by thread, pointers of others.
  void access(std::unordered_map<u32, Pointer>& loaded, const events::Memory& event, const Own& own);
  /// f(lane, value, address) for each address of the block's shared memory that is stored.
  template <class F>
  static void each_shared(const events::Memory& event, const F& f);
  void store_shared(Block& block, const events::Memory& event);
  void load_shared(Block& block, const events::Memory& event);
  /// Memory behind the frame of the function that runs belongs to nobody.
  void behind_frame(const events::Memory& event);

  const engine::Program* program_ = nullptr;
  bool possible_ = false;  ///< the program makes generic addresses of local memory
  bool shared_ = false;    ///< the program makes generic addresses of shared memory
  bool returns_ = false;   ///< functions that have local memory return
  std::vector<std::unordered_map<u64, Block>> workers_;
  std::atomic<bool> any_left_{false};
  std::mutex left_mutex_;
  std::map<u64, Pointer> left_;  ///< to shared memory, by where in global memory they lie
};

}  // namespace ww::checks
