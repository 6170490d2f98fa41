// The workers of a launch with what they share, kept for further launches of the same kernel: programs launch
// a kernel again and again, and what a block's warps begin with (frames, special registers, what depends on
// the arguments alone) takes longer to make than many a kernel runs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/schedule/once_needs.h"
#include "engine/schedule/standstill.h"
#include "engine/schedule/worker.h"

namespace ww::engine {

/// What launches that one team serves have in common.
struct TeamShape {
  const Program* program = nullptr;
  Extent3 grid, block;
  u32 dynamic_shared = 0;
  int workers = 1;
  bool operator==(const TeamShape&) const = default;
};

class Team {
 public:
  /// `program`: the shape's.
  Team(const TeamShape& shape, std::shared_ptr<const Program> program)
      : shape_(shape), program_(std::move(program)) {}

  const TeamShape& shape() const { return shape_; }
  /// A launch's state, to be filled in before begin().
  LaunchState& renew();
  /// The buffer of its kernel's parameters, to be filled in, too.
  std::vector<u8>& parameters() { return given_; }
  /// What the workers share gets ready for it; run() is each one's part. `only`: numbers of the blocks to
  /// run, empty: all; must outlive the launch.
  struct Task {
    u64 blocks = 0, resident = 1, share = 1;
    bool in_parts = false;  ///< of the grid, one for each worker
    const std::vector<u64>* only = nullptr;
    double standstill = 0;  ///< Settings::standstill, host_may_help
    bool host_may_help = false;
  };
  void begin(const Task& task);
  /// On a thread of its own, where the worker's memory is near.
  void run(int worker);
  /// Adds up Worker::executed of the launch, in as many places as `sum` has.
  void add_executed(std::vector<u64>& sum) const;

 private:
  TeamShape shape_;
  std::shared_ptr<const Program> program_;
  std::optional<LaunchState> launch_;  ///< its place never changes: blocks and warps know it
  std::vector<u8> params_;             ///< the buffer of the launch before
  std::vector<u8> given_;
  std::optional<OnceNeeds> needs_;  ///< from the first launch with other arguments on
  LaunchBlocks blocks_;
  u64 launches_ = 0;                         ///< so far, with this one
  std::optional<Standstill> standstill_;     ///< what each worker begins it with …
  const std::vector<u32>* again_ = nullptr;  ///< … and computes again
  std::vector<std::unique_ptr<Worker>> workers_;
};

/// Teams without a launch, the last one last. Several threads of the host may launch at once.
class Teams {
 public:
  Teams() = default;
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;
  /// Null: there is none of this shape.
  std::unique_ptr<Team> take(const TeamShape& shape);
  void keep(std::unique_ptr<Team> team);
  /// The module's code is used no more.
  void forget(const ir::Module& module);

 private:
  /// Null: there is none of this shape in the list.
  std::unique_ptr<Team> take_from_list(const TeamShape& shape);
  void put_into_list(std::unique_ptr<Team> team);

  static constexpr size_t kMost = 16;
  std::atomic<Team*> last_{nullptr};  ///< which most often serves the next launch, too
  std::mutex mutex_;                  ///< of the list
  std::vector<std::unique_ptr<Team>> idle_;
};

}  // namespace ww::engine
