// Compiling while kernels run: one thread of the process, which takes the programs that have become worth it
// in turn.
#pragma once

#include <chrono>
#include <memory>

#include "engine/decode/program.h"

namespace ww::engine {

/// Seconds of running after which a program is worth compiling: about what that takes.
double worth_compiling_after(const Program& program);

/// Has the program compiled soon, unless that was asked for before.
void compile_later(std::shared_ptr<Program> program, const LaneCode& lanes);

/// How long a launch has run, until its program has been given to the compiler.
class Warming {
 public:
  /// `program`: null where nothing is to be compiled.
  Warming(std::shared_ptr<Program> program, const LaneCode& lanes);
  /// Called now and then by all workers.
  void look() {
    if (program_ && !asked_.load(std::memory_order_relaxed)) look_at_clock();
  }
  /// The launch is over.
  void end();

 private:
  void look_at_clock();
  double seconds() const;

  std::shared_ptr<Program> program_;
  const LaneCode& lanes_;
  std::chrono::steady_clock::time_point begin_;
  double wait_ = 0;
  std::atomic<bool> asked_{false};
};

}  // namespace ww::engine
