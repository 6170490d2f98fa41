// The checks of one launch, which --check names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checks/check.h"
#include "device/device.h"

namespace ww::cli {

class LaunchChecks {
 public:
  /// Of these checks (checks::names_in); from now on they listen to the engine's memory.
  LaunchChecks(const std::vector<std::string>& names, engine::Engine& engine);
  ~LaunchChecks();
  LaunchChecks(const LaunchChecks&) = delete;
  LaunchChecks& operator=(const LaunchChecks&) = delete;

  /// An array of the launch: it has values (out: zeros), and the kernel may only read it if it is `input`.
  void array(uint64_t address, uint64_t bytes, bool input);
  /// Lets them hear the launch, the process's `number`th from 0.
  void listen(device::Launch& launch, uint64_t number = 0);
  /// What they found, and the faults that no warp was told of.
  std::vector<checks::Finding> findings(const std::vector<Fault>& faults);

 private:
  engine::Engine& engine_;
  checks::Findings findings_;
  checks::LaunchFacts facts_;
  std::vector<std::vector<uint8_t>> arguments_;  ///< of the latest launch
  std::vector<std::unique_ptr<checks::Check>> checks_;
};

}  // namespace ww::cli
