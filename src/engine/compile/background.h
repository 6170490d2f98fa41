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
  /// `program`: null where nothing is to be compiled; `begin`: of the launch.
  Warming(std::shared_ptr<Program> program, const LaneCode& lanes, Clock::time_point begin);
  /// Called now and then by all workers.
  void look() {
    if (program_ && !program_->compiling.load(std::memory_order_relaxed)) look_now();
  }
  /// The launch is over, which took so long.
  void end(double seconds);

 private:
  void look_now();

  std::shared_ptr<Program> program_;
  const LaneCode& lanes_;
  Clock::time_point begin_;
};

}  // namespace ww::engine
