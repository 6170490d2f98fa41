// The device interface on one real GPU. Opened by open_gpu (device/gpu.h), which says how it behaves.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/collective.h"
#include "device/device.h"
#include "device/driver/gpu_module.h"
#include "device/driver/nvml.h"
#include "device/gpu.h"

namespace ww::device::driver {

class GpuDevice : public Device, public Link {
 public:
  static Result<std::unique_ptr<Device>> open(std::shared_ptr<const Driver> driver, int ordinal,
                                              const DriverOptions& options);
  ~GpuDevice() override;

  const Info& info() const override { return info_; }
  Result<ModuleRef> load(const std::string& name, const std::string& ptx) override;
  Result<Address> allocate(uint64_t bytes) override { return context_->allocate(bytes); }
  Status free(Address address) override { return context_->free(address); }
  Status write(Address to, std::span<const std::byte> from) override { return context_->write(to, from); }
  Status read(Address from, std::span<std::byte> to) override { return context_->read(from, to); }
  Result<uint64_t> create_texture(const Texture2D& texture) override {
    return context_->create_texture(texture);
  }
  Status destroy_texture(uint64_t handle) override { return context_->destroy_texture(handle); }
  Result<TensorMapBytes> create_tensor_map(const TensorMap& map) override {
    return context_->create_tensor_map(map);
  }
  Result<LaunchReport> launch(const Launch& launch) override;
  Result<Timing> time(const Launch& launch, const TimingOptions& options) override;
  /// See device::time_work.
  Result<Timing> time_work(const std::string& what, const std::function<Status()>& start,
                           const TimingOptions& options);

  // gpu_link.cpp
  Link* link() override { return this; }
  int ordinal() const override { return ordinal_; }
  int gpu_count() const override;
  Result<std::unique_ptr<Device>> open(int ordinal) const override;
  Result<std::unique_ptr<HostBuffer>> host_memory(HostKind kind, uint64_t bytes) override;
  Result<Pointer> pointer(Address address) override;
  Result<std::unique_ptr<Streams>> streams(int count) override;
  Result<PeerPath> path_to(Device& other) override;
  Status reach(Device& other) override;
  Result<std::unique_ptr<Collective>> join(const std::vector<Streams*>& gpus) override;

  const std::shared_ptr<Context>& context() const { return context_; }
  /// Checks a launch and puts it into a stream.
  Result<CuResult> put(const Launch& launch, CuStream stream);

 private:
  /// A launch whose arguments, sizes and resources were checked.
  struct Prepared {
    Kernel kernel;
    std::vector<void*> arguments;  // point into the Launch
  };
  GpuDevice(std::shared_ptr<const Driver> driver, int ordinal, const DriverOptions& options)
      : driver_(std::move(driver)), ordinal_(ordinal), options_(options), nvml_(options.nvml) {}

  Result<Prepared> prepare(const Launch& launch);
  Status fits(const Launch& launch, const Kernel& kernel);
  CuResult start(const Launch& launch, Prepared& prepared, CuStream stream = nullptr);
  Fault fault(const Launch& launch, CuResult result);
  // gpu_timing.cpp
  struct Timer;
  using Start = std::function<CuResult()>;               // puts the work on the default stream
  using Explain = std::function<Diagnostics(CuResult)>;  // says what a failure of the work means
  CuResult run_timed(const Start& start, Timer& timer, bool flush, double& ms);
  Result<double> launch_overhead_ms(Timer& timer, bool flush);
  Result<Timing> repeat(const Start& start, const Explain& explain, const TimingOptions& options);
  Status prepare_flush();
  Diagnostics timing_error(const Launch& launch, CuResult result);

  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  std::shared_ptr<Context> context_;
  DriverOptions options_;
  Nvml nvml_;
  Info info_;
  std::string pci_bus_id_;
  bool cooperative_ = false;
  uint64_t l2_bytes_ = 0;
  std::shared_ptr<GpuModule> empty_;  // the kernel that measures the launch overhead
  Address flush_ = 0;                 // what is overwritten to empty the L2 cache
  int flush_generation_ = 0;
};

/// Fills a summary from the driver (all but the state).
Result<GpuSummary> summarise(const Driver& driver, int ordinal, CuDevice& device);

}  // namespace ww::device::driver
