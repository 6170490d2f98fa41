// Real GPUs behind the device interface, through the CUDA driver opened at run time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

namespace ww::device {

/// The libraries to open, where tests put a driver of their own, and what to ask of it.
struct DriverOptions {
  std::string cuda = "libcuda.so.1";
  std::string nvml = "libnvidia-ml.so.1";  ///< optional: without it clocks and load stay unknown
  std::string nccl = "libnccl.so.2";       ///< opened when several GPUs are to work together
  bool optimise = true;  ///< PTX is compiled with the optimisation that the driver takes by itself
};

/// The state of one GPU now; what the management library does not tell stays empty.
struct GpuState {
  std::optional<unsigned> utilisation;             ///< per cent of the last sample period that a kernel ran
  std::optional<uint64_t> free_memory;             ///< bytes
  std::optional<unsigned> sm_clock, memory_clock;  ///< MHz
  std::optional<unsigned> temperature;             ///< °C
  std::optional<unsigned> power;                   ///< mW
};

struct GpuSummary {
  int ordinal = 0;
  std::string name;        ///< "NVIDIA H200"
  std::string uuid;        ///< "GPU-8a1b…"
  std::string pci_bus_id;  ///< "0000:1b:00.0"
  int cc_major = 0, cc_minor = 0;
  uint32_t multiprocessors = 0;
  uint64_t memory = 0;  ///< bytes
  std::string driver;   ///< "580.159.03, CUDA 13.0"
  GpuState state;
};

/// All GPUs of this machine. Errors: no driver, driver too old or broken. A driver without GPUs is an error
/// too.
Result<std::vector<GpuSummary>> list_gpus(const DriverOptions& paths = {});

/// The index in `gpus` of the one to use: least utilised, among equals most free memory, then the first.
/// 0 when nothing is known of the load; -1 when there are none.
int least_loaded(const std::vector<GpuSummary>& gpus);

/// The GPU with this ordinal as a device. All its errors and faults leave the process usable:
/// - a kernel that faults gives a Fault (launch) or an error (time). Everything that was in device memory is
///   lost: reading or writing an address from before is an error, freeing it is not. Most faults (an illegal
///   address on an H200, CUDA 13) make the driver refuse this process any further work: all later calls give
///   an error that says so. Where the driver allows a new context, it is made, and modules are loaded again
///   when next used; free or forget old addresses before allocating anew.
/// - a lost GPU gives the same error from then on.
/// Open a GPU once in a process: two devices on it would share its context, and a fault in one kills both.
/// Launch::count is ignored: hardware counters come from Nsight Compute (device/ncu.h). What a kernel prints
/// goes to the process's standard output, as the driver has it.
Result<std::unique_ptr<Device>> open_gpu(int ordinal, const DriverOptions& paths = {});

/// Times what is no kernel of ours exactly as Device::time does a launch. `start` puts the work (`what`) on
/// the default stream of the GPU's primary context, current in this thread, and does not wait for it. Errors:
/// its own, and those of Device::time. `gpu` must come from open_gpu.
Result<Timing> time_work(Device& gpu, const std::string& what, const std::function<Status()>& start,
                         const TimingOptions& options);

}  // namespace ww::device
