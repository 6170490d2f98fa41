// A case with its arrays in a device's memory, ready to be launched.
#pragma once

#include "device/device.h"
#include "peer_cases.h"

namespace ww::bench {

struct Prepared {
  device::Launch launch;
  std::vector<device::Address> addresses;  ///< by argument; 0: no array
  uint64_t bytes = 0;                      ///< of all arrays
};
/// `folder` holds the kernels' .ptx.
Result<Prepared> prepare(const std::string& folder, const Case& c, device::Device& device);
void release(const Prepared& prepared, device::Device& device);

/// The cases of these names; none: all.
std::vector<CaseEntry> chosen_cases(const std::vector<std::string>& names);

/// Processor time of all threads of the process.
double cpu_seconds();

}  // namespace ww::bench
