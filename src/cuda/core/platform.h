// The one thing behind all entry points: the devices of this process, the engine that runs their kernels, and
// what each thread of the program has chosen.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/abi/types.h"
#include "cuda/core/checking.h"
#include "cuda/core/fidelity.h"
#include "cuda/core/memory_map.h"
#include "engine/engine.h"
#include "gpus/gpu.h"

namespace ww::cuda {

struct Context;  // core/context.h

/// Limits that cudaDeviceSetLimit knows, by their numbers in the manual.
inline constexpr int kLimits = 7;

/// One device with its primary context.
struct DeviceContext {
  int number = 0;
  const gpus::Gpu* gpu = nullptr;
  u64 memory_bytes = 0;  ///< what the program may allocate
  std::atomic<u64> allocated{0};
  std::atomic<Error> sticky{Error::Success};  ///< a kernel's fault: all calls fail until the device is reset
  std::atomic<u32> flags{0};                  ///< cudaSetDeviceFlags
  std::atomic<bool> active{false};            ///< the primary context has been made
  std::atomic<size_t> limits[kLimits];
  std::atomic<int> cache_config{0}, shared_config{0};
  std::atomic<u64> peers{0};  ///< a bit for each device whose memory it may use
  Pool* default_pool = nullptr;
  std::atomic<Pool*> pool{nullptr};
  std::atomic<Stream*> legacy_stream{nullptr};  ///< from its first use on
  std::atomic<u32> retained{0};                 ///< cuDevicePrimaryCtxRetain

  size_t shared_per_block() const { return static_cast<size_t>(gpu->smem_per_block_default); }
  size_t shared_optin() const {
    return gpu->smem_per_block_optin ? static_cast<size_t>(*gpu->smem_per_block_optin) : shared_per_block();
  }
  void reset_limits();
};

/// A launch announced by <<<…>>> whose function has not been called yet.
struct CallConfiguration {
  Dim3 grid, block;
  size_t shared = 0;
  Stream* stream = nullptr;
};

struct ThreadState {
  int device = 0;
  Error last = Error::Success;
  std::vector<CallConfiguration> pushed;
  bool runtime = false;            ///< it has called the runtime: the device's primary context is current
  std::vector<Context*> contexts;  ///< the driver's stack
  Stream* per_thread = nullptr;    ///< made at first use
  int capture_mode = 0;
  ~ThreadState() { leave_stream(); }
  void leave_stream();
};
ThreadState& here();

class Platform {
 public:
  /// Made at the first call and never destroyed: other threads may still run when the process ends.
  static Platform& get();

  engine::Engine& engine() { return *engine_; }
  MemoryMap& memory() { return memory_; }
  const MemoryMap& memory() const { return memory_; }
  size_t device_count() const { return device_count_; }
  DeviceContext* device(int number) {
    return number >= 0 && static_cast<size_t>(number) < device_count_
               ? devices_[static_cast<size_t>(number)].get()
               : nullptr;
  }
  DeviceContext& current() { return *devices_[static_cast<size_t>(here().device)]; }

  /// Frees its memory, unloads its code, forgets its fault (cudaDeviceReset).
  void reset(DeviceContext& device);

  /// Kernels run one after the other: each takes all cores.
  std::mutex& launch_mutex() { return launch_mutex_; }

  /// Ends the launch that runs; whoever launches sets it to false before.
  std::atomic<bool>& stop_launch() { return stop_launch_; }

  /// Adds what a kernel printed; it appears at the next synchronisation, as the manual says.
  void add_printed(std::string text);
  void flush_printed();
  bool lost_output();

  /// This process was forked from one that had devices: it has none of their threads, and may not use them.
  bool inherited() const { return inherited_; }

  /// The runtime whose struct layouts the program uses: 11000, 12000 or 13000 …
  int runtime_version() const { return runtime_version_; }
  static void use_runtime(int version) { runtime_version_ = version; }

 private:
  Platform();
  static inline std::atomic<int> runtime_version_{13000};
  std::unique_ptr<engine::Engine> engine_;
  MemoryMap memory_;
  size_t device_count_ = 0;
  std::vector<std::unique_ptr<DeviceContext>> devices_;  ///< one at least, though no call reaches it
  std::atomic<bool> stop_launch_{false};
  std::atomic<bool> inherited_{false};
  std::mutex launch_mutex_, printed_mutex_;
  std::string printed_;
  std::atomic<bool> any_printed_{false};  ///< in printed_
};

/// What every entry point of the runtime does around its body: a fault of an earlier kernel is returned, an
/// error is remembered for cudaGetLastError.
template <class F>
Error api(F&& body) {
  DeviceContext& device = Platform::get().current();
  if (Fidelity* fidelity = Fidelity::get()) fidelity->called();
  device.active = true;
  here().runtime = true;
  Error e = device.sticky;
  if (Platform::get().device_count() == 0) e = Error::NoDevice;
  if (Platform::get().inherited()) e = Error::InitializationError;
  if (e == Error::Success) {
    e = body(device);
    if (e != Error::Success && e != Error::NotReady)
      if (Checking* checking = Checking::get()) checking->api_error(e);
  }
  if (e != Error::Success && e != Error::NotReady) here().last = e;
  return e;
}
/// The same for calls that ask nothing of a device.
template <class F>
Error plain_api(F&& body) {
  if (Fidelity* fidelity = Fidelity::get()) fidelity->called();
  Error e = body();
  if (e != Error::Success) here().last = e;
  return e;
}

}  // namespace ww::cuda
