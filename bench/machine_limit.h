// What this processor can do at most: fused multiply-adds and loads from its first-level cache in a second.
#pragma once

namespace ww::bench {

struct MachineLimit {
  double fma = 0;       ///< f32 fused multiply-adds in a second, by one thread
  double l1_bytes = 0;  ///< bytes loaded from the first-level cache in a second, by one thread
};

/// Measured on the calling thread in some 0.1 s, with the widest vectors that the processor has: the best of
/// several short loops, so that other work on the machine disturbs little. Processor time.
MachineLimit measure_machine_limit();

/// How much of so many times one thread's multiply-adds so many threads do at the same time: 1 where each has
/// a core for itself, and nobody else wants it. By the clock, the best of several, in some 0.1 s.
double measure_threads_together(int threads);

}  // namespace ww::bench
