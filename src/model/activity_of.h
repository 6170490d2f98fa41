// The activity of a launch on a GPU, from a counted run of it on the engine.
#pragma once

#include <cstdint>
#include <span>

#include "base/table.h"
#include "gpus/gpu.h"
#include "model/activity.h"
#include "sampling/counted_run.h"

namespace ww::model {

/// What the run does not know.
struct LaunchFacts {
  int64_t blocks = 0, threads_per_block = 0;
  int64_t registers = 0;       ///< per thread
  int64_t dynamic_shared = 0;  ///< bytes
  /// Bytes of the buffers that the kernel was given, once each: no cache makes it move less, and where
  /// nothing models the caches, it is taken to move no more. 0: unknown.
  double buffers = 0;
  /// More values are live than registers hold: what is put away is estimated (ptxas/pressure.h). Where the
  /// compiler says how many bytes its code spills (per thread, every instruction once), they are shared out
  /// to where the estimate spills.
  bool spills = false;
  int64_t spill_stores = 0, spill_loads = 0;
  double atomic_passes = 0;  ///< through the busiest line of global memory (caches/atomics.h)
  /// Of a replay through the GPU's caches, if there was one.
  const caches::WaitCounts* waits = nullptr;
};

/// `values` are the GPU's counters of the run (counters::gpu_values); of them flop and, where something has
/// modelled the caches, l2_read_sectors, l2_write_sectors (sectors), dram_bytes_read and dram_bytes_written.
/// The capability of the GPU is one of the run's plan. Instructions are the machine's as far as
/// ptxas/machine_code.h knows them; chains are those of ptxas/chains.h, times how often each was run.
Activity activity_of(const sampling::CountedRun& run, const gpus::Gpu& gpu, std::span<const Value> values,
                     const LaunchFacts& facts);

}  // namespace ww::model
