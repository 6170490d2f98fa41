#include "cli/launch/checks.h"

#include "base/symbol_name.h"
#include "checks/all.h"
#include "cli/compile/kernel_name.h"
#include "device/engine_device.h"

namespace ww::cli {

LaunchChecks::LaunchChecks(const std::vector<std::string>& names, engine::Engine& engine)
    : engine_(engine), checks_(checks::make(names, findings_)) {
  for (auto& check : checks_) engine_.memory().host_events().listen(*check);
}

LaunchChecks::~LaunchChecks() {
  for (auto& check : checks_) engine_.memory().host_events().ignore(*check);
}

void LaunchChecks::array(uint64_t address, uint64_t bytes, bool input) {
  engine_.memory().host_events().tell(events::HostAccess{address, bytes, isa::Direction::Write});
  if (input) facts_.inputs.emplace_back(address, bytes);
}

void LaunchChecks::listen(device::Launch& launch, uint64_t number) {
  facts_.number = number;
  facts_.kernel = demangled(launch.kernel);
  facts_.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  facts_.block = {launch.block.x, launch.block.y, launch.block.z};
  facts_.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  facts_.memory = &engine_.memory();
  arguments_ = device::bytes_of(launch.arguments);
  facts_.arguments = &arguments_;
  for (auto& check : checks_) {
    check->prepare(facts_);
    launch.listeners.push_back(check.get());
  }
}

std::vector<checks::Finding> LaunchChecks::findings(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults)
    if (auto finding = checks::of_no_warp(fault, facts_)) findings_.add(std::move(*finding));
  return findings_.all();
}

}  // namespace ww::cli
