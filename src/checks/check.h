// A check: a listener that writes down what it finds wrong. One file each; all are on under `check`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "checks/findings.h"
#include "engine/engine.h"
#include "events/bus.h"

namespace ww::checks {

/// An allocation whose rows begin `pitch` bytes after one another and have `width` bytes each.
struct Pitched {
  u64 address = 0, bytes = 0, pitch = 0, width = 0;
};

/// How a launch begins, where others may still run.
struct Start {
  enum class How : uint8_t {
    Alone,  ///< what came before has ended, or is in another stream
    Child,  ///< a kernel launched it: events::Grids has told of `number`
    Early,  ///< as soon as the launch before it in its stream lets it (programmatic dependent launch)
  } how = How::Alone;
  bool tail = false;  ///< behind all that its parent launches otherwise
  uint64_t number = 0;
  std::vector<uint64_t> behind;  ///< other children of the same parent, by number
};

/// What every check of a launch is told beforehand.
struct LaunchFacts {
  u64 number = 0;      ///< of the launch in its process, from 0
  std::string kernel;  ///< readable name
  engine::Extent3 grid, block;
  engine::Extent3 cluster;  ///< blocks of a cluster, where the launch says it; else as the kernel does
  const engine::GlobalMemory* memory = nullptr;
  Start start;
  bool shared_with_host = false;  ///< an argument is the address of memory that the host may write meanwhile
  std::vector<Pitched> pitched;
  /// As the launch has them, one for each parameter; during the launch. Null: not known.
  const std::vector<std::vector<uint8_t>>* arguments = nullptr;
  std::vector<std::pair<u64, u64>> inputs;  ///< address and bytes of what it may only read
};

/// The blocks of a cluster of the launch.
engine::Extent3 cluster_size(const LaunchFacts& facts, const engine::Program& program);
/// The block of this rank in the cluster that `block` belongs to; blocks are numbered through the grid.
u64 block_of_rank(u64 block, u64 rank, const engine::Extent3& grid, const engine::Extent3& cluster);

class Check : public events::Listener {
 public:
  explicit Check(Findings& findings) : findings_(findings) {}
  /// Its name behind --check.
  virtual std::string name() const = 0;
  /// Before Listener::launch_begins of each launch that it shall hear.
  virtual void prepare(const LaunchFacts& facts) { facts_ = facts; }
  /// What a kernel does wrong may depend on what its blocks have read of each other, and so on which of them
  /// ran at the same time.
  bool in_order() const override { return true; }
  /// The party that lane `lane` of a site is in a launch.
  static Party party_in(const LaunchFacts& facts, const engine::Program& program, const events::Site& site,
                        int lane, std::string what);

 protected:
  /// The party that lane `lane` of a site is: its place with the calls that it was inlined through, its
  /// thread.
  Party party(const engine::Program& program, const events::Site& site, int lane, std::string what) const {
    return party_in(facts_, program, site, lane, std::move(what));
  }
  Findings& findings_;
  LaunchFacts facts_;
};

}  // namespace ww::checks
