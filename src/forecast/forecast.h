// A counted run, a GPU and what is known besides: all figures of the launch there, in one call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "caches/replays.h"
#include "counters/cache_values.h"
#include "counters/gpu_counters.h"
#include "counters/memory_values.h"
#include "forecast/known_code.h"
#include "forecast/launch_shape.h"
#include "forecast/padding.h"
#include "gpus/gpu.h"
#include "model/known_registers.h"
#include "model/prediction.h"
#include "sampling/counted_run.h"

namespace ww::forecast {

/// What to count and record of a launch, so that it can be forecast for these GPUs (none: only counted).
/// `sample`: as in sampling::CountPlan.
sampling::CountPlan plan_for(std::span<const gpus::Gpu* const> gpus, const LaunchShape& shape, bool sample);

/// What the run does not know.
struct Facts {
  std::string kernel;    ///< the entry, as the PTX has it
  std::string_view ptx;  ///< that the module was parsed from (ptxas is asked about it); "": none
  LaunchShape shape;
  std::vector<model::KnownRegisters> registers;
  double buffers = 0;                      ///< bytes of the buffers that the kernel was given; 0: unknown
  const SharedAccesses* shared = nullptr;  ///< heard during the run, to try longer rows with
  // Of earlier launches, which this one may repeat:
  caches::Replays* replays = nullptr;
  KnownCode* code = nullptr;
};

/// Bytes of the allocations that a launch's arguments point into.
double buffer_bytes(engine::Engine& engine, const std::vector<std::vector<uint8_t>>& arguments);

/// One launch on one GPU.
struct Figures {
  std::string gpu;                               ///< its id
  std::vector<counters::MemoryCost> memory;      ///< by space and direction, as the GPU's hardware counts
  std::optional<counters::CacheFigures> caches;  ///< nothing where they are not modelled
  /// Registers, what the kernel did, occupancy and time; or why the GPU refuses the launch.
  model::Prediction prediction;

  std::optional<PaddingTrial> padding;  ///< where the facts have its shared accesses
  /// For whoever shows them (counters::instruction_lines).
  std::vector<counters::InstructionLine> instructions;

  /// Nothing for a launch that the GPU refuses.
  const model::Occupancy* occupancy() const {
    return prediction.refused.empty() ? &prediction.time.occupancy : nullptr;
  }
};

/// The plan of the run was made by plan_for, with this GPU among its own.
Figures of(const sampling::CountedRun& run, const gpus::Gpu& gpu, const Facts& facts);

/// The same for several GPUs, in their order, shared out to `threads` threads of the host.
std::vector<Figures> of_each(const sampling::CountedRun& run, std::span<const gpus::Gpu* const> gpus,
                             const Facts& facts, int threads);

/// The counters as tagged values, for a row of a table; what is predicted, model::values_of has.
std::vector<Value> counter_values(const sampling::CountedRun& run, const gpus::Gpu& gpu,
                                  const Figures& figures);
/// "blocks_run": how many blocks of the grid stood for it.
Value blocks_run(const sampling::CountedRun& run);
/// "engine_ran": which back end ran the launch (engine::Ran), by its name.
Value engine_ran(std::string back);

}  // namespace ww::forecast
