// A device whose launches the checks listen to: study --check.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checks/finding.h"
#include "device/device.h"

namespace ww::cli {

class CheckedDevice : public device::Device {
 public:
  /// `under`: made by make_engine_device(), with checks::kGap between allocations. `names`:
  /// checks::names_in().
  CheckedDevice(std::unique_ptr<device::Device> under, const std::vector<std::string>& names);
  ~CheckedDevice() override;

  /// Of all launches so far.
  std::vector<checks::Finding> findings();

  const device::Info& info() const override;
  Result<device::ModuleRef> load(const std::string& name, const std::string& ptx) override;
  Result<device::ModuleRef> load_linked(const std::vector<device::Source>& sources) override;
  Result<device::Address> allocate(uint64_t bytes) override;
  Status free(device::Address address) override;
  Status write(device::Address to, std::span<const std::byte> from) override;
  Status read(device::Address from, std::span<std::byte> to) override;
  Result<uint64_t> create_texture(const device::Texture2D& texture) override;
  Status destroy_texture(uint64_t handle) override;
  Result<device::TensorMapBytes> create_tensor_map(const device::TensorMap& map) override;
  Result<device::LaunchReport> launch(const device::Launch& launch) override;
  Result<device::Timing> time(const device::Launch& launch, const device::TimingOptions& options) override;
  device::Link* link() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ww::cli
