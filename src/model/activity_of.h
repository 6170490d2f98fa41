// The activity of a launch on a GPU, from a counted run of it on the engine.
#pragma once

#include <cstdint>

#include "counters/cache_values.h"
#include "gpus/gpu.h"
#include "model/activity.h"
#include "model/kernel_code.h"
#include "model/spills.h"
#include "sampling/counted_run.h"

namespace ww::model {

/// What the run does not know of the launch.
struct LaunchFacts {
  int64_t blocks = 0, threads_per_block = 0;
  int64_t registers = 0;       ///< per thread
  int64_t dynamic_shared = 0;  ///< bytes
  /// More values are live than registers hold: what is put away is estimated (ptxas/pressure.h). Where the
  /// compiler says how many bytes its code spills (per thread, every instruction once), they are shared out
  /// to where the estimate spills.
  bool spills = false;
  int64_t spill_stores = 0, spill_loads = 0;
};

/// What is known of the memory behind the SMs.
struct MemoryFacts {
  /// Bytes of the buffers that the kernel was given, once each: no cache makes it move less, and where
  /// nothing models the caches, it is taken to move no more. 0: unknown.
  double buffers = 0;
  double atomic_passes = 0;  ///< through the busiest line of global memory (caches/atomics.h)
  /// Of a replay through the GPU's caches, if there was one.
  const counters::CacheFigures* caches = nullptr;
  const caches::WaitCounts* waits = nullptr;
};

/// What the code of a launch does and asks for, before any memory answers.
struct CodeWork {
  Activity activity;  ///< without what caches let through and how far loads go
  Spilled spilled;
};

/// The capability of the GPU is one of the run's plan. Instructions are the machine's as far as
/// ptxas/machine_code.h knows them; chains are those of ptxas/chains.h, times how often each was run.
/// `code`: of the run's program on this GPU, with the facts' registers.
CodeWork code_work(const sampling::CountedRun& run, const gpus::Gpu& gpu, const LaunchFacts& facts,
                   const KernelCode& code);

/// The whole activity of the same run on the same GPU.
Activity activity_of(const CodeWork& work, const sampling::CountedRun& run, const gpus::Gpu& gpu,
                     const MemoryFacts& facts);

}  // namespace ww::model
