// Dependence chains of a function: the longest path through the dependences of its straight-line
// stretches.
#pragma once

#include <vector>

#include "ir/module.h"
#include "ptxas/machine_code.h"

namespace ww::ptxas {

/// Clocks from an instruction to one that needs its result: what decides which path is the longest.
struct Latencies {
  double global = 500, shared = 30, alu = 5;
};

/// What lies on a path. Loads that do not depend on one another are side by side and make one round.
struct Chain {
  double global = 0;  ///< loads and atomics of global and local memory
  double shared = 0;  ///< loads of shared memory
  double alu = 0;     ///< machine instructions of arithmetic
};

/// Blocks that run one after another, short branches among them; a warp that comes to the first goes through
/// all.
struct Stretch {
  std::vector<ir::BlockId> blocks;
  Chain once;
  /// A loop without a barrier that ptxas unrolls: the path of kUnroll rounds together, and of half as many.
  /// Its last instruction is the branch back.
  bool unrolled = false;
  Chain four, two;
  Issues
      once_a_body;  ///< what rounds that are one body share: the counters' steps, the comparison, the branch
};

/// Rounds of a small loop that ptxas 13.0 makes one body of, with a body of half as many for the rest
/// (seen in its machine code for sm_90: loops of up to kUnrolledInstructions whose counter goes by a
/// constant; where the step is a register's value, as in a loop that strides over a grid, it leaves them as
/// they are).
inline constexpr int kUnroll = 4;
inline constexpr float kUnrolledInstructions = 24;
/// What it adds to an unrolled loop each time it is entered, to choose between the bodies: comparisons and
/// logic of predicates, branches (counted in its code of box_sum/direct for sm_90).
inline constexpr int kUnrollComparisons = 6, kUnrollBranches = 3;

/// The stretches of a function; together they hold every block once.
std::vector<Stretch> stretches_of(const ir::Function& function, const MachineCode& code,
                                  const Latencies& latencies);

/// Barrier intervals: instructions are in one if a way leads from one to the other without a barrier.
/// [block][instruction]: whether a load of global memory is in the interval; true everywhere if there is no
/// barrier.
std::vector<std::vector<bool>> beside_global_loads(const ir::Function& function);

/// Whether it waits for all warps of the block.
bool is_barrier(const ir::Instruction& instruction);
/// Whether it waits until other blocks can see what its warp has written.
bool is_fence(const ir::Instruction& instruction);

}  // namespace ww::ptxas
