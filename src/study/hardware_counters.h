// Hardware counters beside the times of a study, through Nsight Compute.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "device/ncu.h"
#include "study/study.h"

namespace ww::study {

struct CounterOptions {
  /// The command that, followed by configurations (item_text), launches each of them once in this order.
  std::vector<std::string> command;
  device::NcuOptions ncu;
  size_t at_a_time = 24;  ///< configurations in one process: its start takes seconds
  std::function<void(size_t done, size_t total)> progress;
  const std::atomic<bool>* stop = nullptr;
};

/// Adds to every row that ran well on the device `id` what the hardware counted, measured, under the neutral
/// names (device/ncu_metrics.h). The time under the profiler is "time_profiled": it is one cold run and not
/// the row's time. What cannot be counted stays as it is, and a note says why.
void add_hardware_counters(Table& table, const std::vector<Item>& items, const std::string& id,
                           const CounterOptions& options);

}  // namespace ww::study
