#include "cli/shared/checked_device.h"

#include "cli/launch/checks.h"
#include "device/engine_device.h"

namespace ww::cli {

using namespace device;

struct CheckedDevice::State {
  std::unique_ptr<Device> under;
  LaunchChecks checks;
  uint64_t launches = 0;
};

CheckedDevice::CheckedDevice(std::unique_ptr<Device> under, const std::vector<std::string>& names) {
  engine::Engine& engine = *engine_of(*under);
  state_.reset(new State{std::move(under), {names, engine}, 0});
}
CheckedDevice::~CheckedDevice() = default;

std::vector<checks::Finding> CheckedDevice::findings() { return state_->checks.findings({}); }

Result<LaunchReport> CheckedDevice::launch(const Launch& launch) {
  Launch heard = launch;
  state_->checks.listen(heard, state_->launches++);
  auto report = state_->under->launch(heard);
  if (report) state_->checks.findings(report->faults);
  return report;
}

const Info& CheckedDevice::info() const { return state_->under->info(); }
Result<ModuleRef> CheckedDevice::load(const std::string& name, const std::string& ptx) {
  return state_->under->load(name, ptx);
}
Result<ModuleRef> CheckedDevice::load_linked(const std::vector<Source>& sources) {
  return state_->under->load_linked(sources);
}
Result<Address> CheckedDevice::allocate(uint64_t bytes) { return state_->under->allocate(bytes); }
Status CheckedDevice::free(Address address) { return state_->under->free(address); }
Status CheckedDevice::write(Address to, std::span<const std::byte> from) {
  return state_->under->write(to, from);
}
Status CheckedDevice::read(Address from, std::span<std::byte> to) { return state_->under->read(from, to); }
Result<uint64_t> CheckedDevice::create_texture(const Texture2D& texture) {
  return state_->under->create_texture(texture);
}
Status CheckedDevice::destroy_texture(uint64_t handle) { return state_->under->destroy_texture(handle); }
Result<TensorMapBytes> CheckedDevice::create_tensor_map(const TensorMap& map) {
  return state_->under->create_tensor_map(map);
}
Result<Timing> CheckedDevice::time(const Launch& launch, const TimingOptions& options) {
  return state_->under->time(launch, options);
}
Link* CheckedDevice::link() { return state_->under->link(); }

}  // namespace ww::cli
