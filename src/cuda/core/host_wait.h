// Says that a kernel perhaps waits for the host, while the host waits for the kernel (docs/cuda.md).
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "cuda/core/code.h"
#include "engine/engine.h"
#include "events/bus.h"

namespace ww::cuda {

/// A launch while it lives, of a kernel that loads a word until it changes, with a pointer to memory that the
/// host may write; a listener of it. When no block has ended for some seconds, and the host waits for it, a
/// message says what it waits for.
class HostWait : public events::Listener {
 public:
  /// `where`: the load's line.
  HostWait(std::string kernel, std::string where, events::u64 blocks);
  ~HostWait() override;
  events::u32 wants() const override { return 0; }
  void block_ends(int, events::u64) override { ended_.store(true, std::memory_order_relaxed); }

  /// The line of a load or atomic that the kernel repeats until its value changes; "": it has none.
  static std::string polls_at(const ir::Module& module, const ir::Function& kernel);
  /// Whether a pointer among the arguments leads to managed, page-locked or registered memory.
  static bool reaches_host(const std::vector<std::vector<u8>>& arguments);

 private:
  static void watch();
  const std::string kernel_, where_;
  const events::u64 blocks_;
  const bool beside_;  ///< the host goes on meanwhile (backlog.h)
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::atomic<bool> ended_{false};
};

}  // namespace ww::cuda
