// Compiling while kernels run: one thread of the process, which takes the programs that have become worth it
// in turn.
#pragma once

#include <chrono>
#include <memory>

#include "engine/decode/program.h"

namespace ww::engine {

/// Whether the next part of a program (Compiled) is worth compiling, that has run for so long in a launch
/// which is not over.
bool worth_compiling(const Program& program, double seconds);

/// Has the program compiled soon, unless that was asked for before.
void compile_later(std::shared_ptr<Program> program, const LaneCode& lanes);

/// How long a launch has run, until its program has been given to the compiler.
class Warming {
 public:
  using Clock = std::chrono::steady_clock;
  /// `wanted`: whether anything may be compiled; `begin`: of the launch. The program must outlive it.
  Warming(const std::shared_ptr<Program>& program, bool wanted, const LaneCode& lanes,
          Clock::time_point begin);
  /// Called now and then by all workers.
  void look() {
    if (program_ && !(*program_)->compiling.load(std::memory_order_relaxed)) look_now();
  }
  /// Called by one worker after a block of its own, of which it has now run `blocks`. Returns after how many
  /// more it is to ask again: looking takes as long as some blocks do.
  u32 look_after(u32 blocks) {
    if (!program_ || (*program_)->compiling.load(std::memory_order_relaxed)) return kMostBlocks;
    const double seconds = look_now();
    return seconds * kMostBlocks < kBetweenLooks * static_cast<double>(blocks)
               ? kMostBlocks
               : static_cast<u32>(kBetweenLooks * static_cast<double>(blocks) / seconds) + 1;
  }
  /// The launch is over, which took so long.
  void end(double seconds);

 private:
  static constexpr u32 kMostBlocks = 16;
  static constexpr double kBetweenLooks = 10e-6;

  /// Returns how long the launch has run, in seconds.
  double look_now();

  const std::shared_ptr<Program>* program_ = nullptr;  ///< null: nothing is to be compiled
  const LaneCode& lanes_;
  Clock::time_point begin_;
};

}  // namespace ww::engine
