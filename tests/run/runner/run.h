// Runs entries of test files on devices.
#pragma once

#include "device/device.h"
#include "test_file.h"

namespace ww::runtest {

/// The outputs of n records: [record][field].
using Outputs = std::vector<std::vector<uint64_t>>;

/// Runs an entry's kernel on records of inputs (whole groups). Errors: what the device says, faults of the
/// kernel included.
Result<Outputs> run(device::Device& device, const device::ModuleRef& module, const Entry& entry,
                    const std::vector<std::vector<uint64_t>>& inputs);

struct Tally {
  int passed = 0, failed = 0;
};

/// Compares every case of the file with its expected values; prints what differs (up to `most` cases of an
/// entry).
Tally check_cases(device::Device& device, const TestFile& file, int most);

/// Random records on two devices.
struct Comparison {
  std::string file, entry, error;  ///< error: why there is no comparison
  uint64_t records = 0, differing = 0, nan_payloads = 0;
  std::vector<std::string> examples;
};
std::vector<Comparison> compare_devices(device::Device& a, device::Device& b, const TestFile& file,
                                        uint64_t records, uint64_t seed);

}  // namespace ww::runtest
