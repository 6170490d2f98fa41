// What a launch would take on a GPU: activity, registers and time together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/table.h"
#include "gpus/gpu.h"
#include "model/activity.h"
#include "model/time.h"

namespace ww::model {

/// Registers of a kernel on a GPU, and who says so.
struct Registers {
  int64_t per_thread = 0;
  Provenance from =
      Provenance::Modelled;  ///< Input (given), Published, Counted (by the assembler), Modelled (estimate)
  std::string source;        ///< in a few words: "ptxas 13.0 for sm_90"
  int64_t spill_stores = 0, spill_loads = 0;  ///< bytes per thread in the code, where the assembler says so
};

struct Prediction {
  std::string gpu;  ///< its id
  Registers registers;
  Activity activity;
  Time time;
  std::string refused;  ///< why the launch is impossible on this GPU; then there is no time
};

/// From the activity, whose registers are set from `registers`.
Prediction predict(const gpus::Gpu& gpu, Activity activity, Registers registers);

/// Launches one after another as one: times and work add up, rates and shares are those of the whole.
/// At least one; what is refused stays so.
std::vector<Value> values_of(const std::vector<Prediction>& launches);

}  // namespace ww::model
