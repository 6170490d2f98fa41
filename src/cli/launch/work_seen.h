// What a launch that is tried does to global memory: whether its blocks get into each other's way, how many
// of its warps work at all, which instructions are never reached.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "events/bus.h"

namespace ww::cli {

class WorkSeen : public events::Listener {
 public:
  uint64_t written = 0;        ///< elements that lanes wrote or updated
  uint64_t covered = 0;        ///< of these, elements that a store of another block had written
  uint64_t busy = 0;           ///< warps that reached global memory
  std::set<uint64_t> storing;  ///< blocks that wrote or updated something
  std::set<uint64_t> loading;  ///< blocks that read or updated something
  std::set<uint32_t> reached;  ///< the instructions that did (indices into engine::Program::infos)

  /// Elements that were stored, each counted once.
  uint64_t distinct() const { return writer_.size(); }
  /// The same of those that were loaded.
  uint64_t distinct_loaded() const { return loaded_.size(); }
  /// The kernel's accesses to global memory that its code has: `reached` may have so many.
  size_t known() const { return accesses_.size(); }
  /// The lines ("a.cu:4") whose accesses of the kernel to global memory never ran.
  std::vector<std::string> never_reached() const;

  events::u32 wants() const override { return events::kMemory; }
  bool takes_notes() const override { return true; }
  bool in_order() const override { return true; }
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& e) override;

 private:
  std::unordered_map<uint64_t, uint64_t> writer_;  // the block, by address
  std::unordered_set<uint64_t> loaded_;            // addresses
  std::set<std::pair<uint64_t, uint32_t>> warps_;
  std::vector<std::pair<uint32_t, std::string>> accesses_;  // of the kernel: instruction, line
};

/// Of so few blocks, one that does something of its own is no sign of a wrong grid.
constexpr double kManyBlocks = 8;

/// What an example did, by warps.
struct Work {
  double instructions = 0, accesses = 0;  ///< accesses: of global memory
  double warps = 0, blocks = 0;           ///< of the grid
  WorkSeen seen;                          ///< where it was watched

  /// Most of its warps never reach global memory, or half of its blocks load or store nothing where others
  /// do.
  bool idle() const {
    const auto few = [&](const std::set<uint64_t>& working) {
      const double half = 2 * static_cast<double>(working.size());
      return !working.empty() && (half < blocks || (half == blocks && blocks >= kManyBlocks));
    };
    return 2 * static_cast<double>(seen.busy) < warps || few(seen.storing) || few(seen.loading);
  }
  /// Its blocks store over each other, by what each does to the one before: few blocks have few of those.
  bool overlaps() const {
    return blocks > 1 &&
           10 * static_cast<double>(seen.covered) * blocks > static_cast<double>(seen.written) * (blocks - 1);
  }
};

}  // namespace ww::cli
