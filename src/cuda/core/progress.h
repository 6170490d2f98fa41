// A line on the terminal about a kernel that runs for long: which, how many of its blocks have ended, how
// long the rest will take.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "events/bus.h"

namespace ww::cuda {

class Progress {
 public:
  /// Null where standard error is no terminal, or WARPWRIGHT_PROGRESS is 0; with 1 it is there in any case.
  static Progress* get();

  /// A launch while it lives; a listener of it. One at a time.
  class Launch : public events::Listener {
   public:
    Launch(Progress& progress, std::string kernel, events::u64 blocks);
    ~Launch() override;
    events::u32 wants() const override { return 0; }
    void block_ends(int, events::u64) override { ended_.fetch_add(1, std::memory_order_relaxed); }

   private:
    friend class Progress;
    Progress& progress_;
    const std::string kernel_;
    const events::u64 blocks_;
    const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::atomic<events::u64> ended_{0};
  };

 private:
  Progress() = default;
  void watch();

  std::mutex mutex_;
  std::condition_variable begun_;
  Launch* running_ = nullptr;
  bool shown_ = false;  ///< the line is on the terminal
  int process_ = 0;     ///< whose thread watches: a child of fork() has none
};

/// "kernel: 12 of 400 blocks, 8 s so far, about 250 s to go", of at most `columns` characters.
std::string progress_line(const std::string& kernel, events::u64 ended, events::u64 blocks, double seconds,
                          size_t columns);

}  // namespace ww::cuda
