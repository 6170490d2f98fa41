// Runs one configuration of a case, on a device or on the host, and verifies what comes out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/table.h"
#include "device/device.h"
#include "kernels/case.h"
#include "kernels/verify.h"
#include "model/prediction.h"

namespace ww::kernels {

struct RunOptions {
  bool count = true;  ///< ask the device for counters
  bool time = false;  ///< let the engine time kernels too; real devices always do
  device::TimingOptions timing;
  std::vector<const gpus::Gpu*> gpus;  ///< count as these GPUs would: a row for each
  /// Registers per thread of every kernel on these GPUs; 0: as published, else as ptxas says, else an
  /// estimate.
  int64_t registers = 0;
  bool sample = false;  ///< run only blocks that stand for the others: counters without a result to verify
};

/// Adds what another launch delivered: counts add up, of other values the first stays.
void add_values(std::vector<Value>& all, const std::vector<Value>& more);

/// Keeps loaded modules and the last task's reference, so that a sweep over one task computes it once.
class Runner {
 public:
  explicit Runner(RunOptions options = {}) : options_(options) {}

  /// The row of this configuration; `device` may be null for a case of the host. Always a row: what cannot
  /// run says why in `refused`, what ran and went wrong has verified = 0. Values:
  ///   verified (1/0), max_error (largest |computed − exact|), error_of_bound (largest |computed − exact| /
  ///   bound), wrong (words; only when not verified), fault (words; only when the kernel faulted), flop
  ///   (theory), wall_time (s, the launches as the host saw them; a case of the host: its median), time (ms)
  ///   and gflops, measured, on the host and when options.time is set; and what the device delivers.
  Row run(const Case& chosen, const Config& config, device::Device* device);
  /// The same with options.gpus: a row for each of them, which differ in the GPU's counters and in what is
  /// predicted of it (model/prediction.h: registers, time, gflops, … ; a launch that the GPU would refuse
  /// says why in `refused`); one row without GPUs, on real devices and on the host.
  std::vector<Row> run_for_gpus(const Case& chosen, const Config& config, device::Device* device);

  /// Each launch of this configuration once, with what the device reports of it: counters and predictions for
  /// options.gpus, by source line too. Nothing is verified. Errors as of launch_once.
  Result<std::vector<device::LaunchReport>> reports(const Case& chosen, const Config& config,
                                                    device::Device& device);

  /// From now on, count as these GPUs would.
  void count_as(std::vector<const gpus::Gpu*> gpus) { options_.gpus = std::move(gpus); }

  /// Each launch of this configuration once, and nothing else: what a profiler is to see. Errors: what would
  /// be `refused` in a row, and faults.
  Status launch_once(const Case& chosen, const Config& config, device::Device& device);

 private:
  std::vector<Row> run_probe(const Plan& plan, const Row& named, uint64_t seed, device::Device* device);
  /// Values of one GPU.
  struct GpuValues {
    std::string gpu;
    std::vector<Value> values;
    std::vector<model::Prediction> launches;
    std::string refused;
  };
  void run_on_host(const Plan& plan, Row& row);
  /// What was predicted, behind the counters.
  static void add_predictions(std::vector<GpuValues>& per_gpu);
  /// Leaves the launches' own counters in `values`, for the caller to put behind the row's.
  void run_on_device(const Case& chosen, const Config& config, const Plan& plan, device::Device& device,
                     Row& row, std::vector<Value>& values, std::vector<GpuValues>& per_gpu);
  /// The plan's launches, without arguments yet, within the device's limits.
  Result<std::vector<device::Launch>> prepare(const Case& chosen, const Config& config, const Plan& plan,
                                              device::Device& device);
  Result<device::ModuleRef> module(device::Device& device, const std::string& name);
  Result<const Reference*> reference(const Task& task);

  RunOptions options_;
  std::map<std::pair<const device::Device*, std::string>, device::ModuleRef> modules_;
  std::string reference_identity_;
  std::shared_ptr<const Reference> reference_;
};

/// Writes the configuration into the row's axes kernel, n, block, rx, ry, r and k.
void name_row(Row& row, const Case& chosen, const Config& config);

/// What a verification found: verified, max_error, error_of_bound and, where it failed, wrong.
void add_verification(Row& row, const Verification& found);

/// All messages with their hints in one line.
std::string one_line(const Diagnostics& diagnostics);

}  // namespace ww::kernels
