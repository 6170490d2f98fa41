// Figures of a real GPU by micro-benchmarks: the parameters of the time model, measured where it runs.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/table.h"
#include "device/device.h"
#include "gpus/gpu.h"

namespace ww::study {

struct CalibrateOptions {
  const gpus::Gpu* known = nullptr;  ///< whose figures stand beside the measured ones; may be null
  int repeats = 5;                   ///< of each micro-benchmark; the median counts
  std::function<void(const std::string& what)> progress;
};

/// A row for each figure, with the key that it has in a GPU's file (gpus/fields.cpp) as its kernel column:
/// the median, the smallest and largest of the repeats, and what is known of the figure so far. A figure that
/// cannot be measured is a row that says why. Works on any device; the engine's clock counts instructions, so
/// only a real device's figures mean anything.
Table calibrate(device::Device& device, const CalibrateOptions& options);

}  // namespace ww::study
