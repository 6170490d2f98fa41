// Grids that may run at the same time: what kernels launch, and launches that begin before the one before
// them has ended.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "checks/check.h"
#include "checks/races/clock.h"

namespace ww::checks::races {

/// One of them. The engine runs them one after the other; `start` says what each of them comes behind.
struct Grid {
  LaunchFacts facts;
  std::shared_ptr<const engine::Program> program;
  u64 stream = 0;                              ///< of the host's launch
  u32 first_block = 0, first_instruction = 0;  ///< numbers of blocks and instructions go on from grid to grid
  u32 parent = 0;                              ///< which launched it; itself: the host did
  Segment begin = 0, end = 0;  ///< with all that it has launched; end 0: some of that may be to come
  Clock start;
  bool early = false;     ///< behind the grid before it only where it has waited
  bool triggers = false;  ///< a thread of it lets the next one begin
  Segment waited = 0;     ///< before that, it has waited for what came up to here

  std::string kernel() const;  ///< readable name
};

class Grids {
 public:
  void clear();
  /// Whether others may still run as a launch begins.
  bool go_on(const Start& start, u64 stream) const;
  /// The next one, after what came up to `now`, with the numbers of its instructions set.
  Grid& begin(const LaunchFacts& facts, const engine::Program& program, u64 stream, Segment now);
  bool any() const { return !all_.empty(); }
  Grid& current() { return all_.back(); }
  const Grid& current() const { return all_.back(); }
  /// That the host launched before the current one.
  const Grid& primary() const { return all_[primary_]; }
  const Grid& of_block(u64 block) const;
  const engine::InstInfo& info_of(u32 instruction) const;
  const engine::Program& program_of(u32 instruction) const { return *code_of(instruction).second; }
  u32 own_number(u32 instruction) const { return instruction - code_of(instruction).first; }
  u64 blocks() const { return blocks_; }
  u64 instructions() const { return instructions_; }
  /// A thread of the current grid, which has done and knows so much, launches one.
  void launches(u64 number, Clock by) {
    launched_[number] = {static_cast<u32>(all_.size() - 1), std::move(by)};
  }

 private:
  struct Launched {
    u32 parent = 0;
    Clock by;
  };
  struct Code {
    u32 first_instruction;
    u32 grid;
  };

  /// The number of its program's first instruction, and the program.
  std::pair<u32, const engine::Program*> code_of(u32 instruction) const;
  Clock start_of_child(const LaunchFacts& facts, const Launched& launched, Segment now) const;
  Clock start_early() const;

  std::vector<Grid> all_;
  std::vector<u32> open_;  ///< of all_: the current one, and what it was launched by
  std::map<u64, Launched> launched_;
  std::map<u64, u32> by_number_;
  std::vector<Code> codes_;  ///< of different programs
  u32 root_ = 0, primary_ = 0;
  u64 blocks_ = 0, instructions_ = 0;
};

}  // namespace ww::checks::races
