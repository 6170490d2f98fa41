// Runs entries of test files on devices.
#pragma once

#include <functional>

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

/// Called before each launch with what is about to run, so that one who waits knows what hangs.
using Steps = std::function<void(const std::string&)>;

/// Whether the file's .target is newer than the real device, or another architecture's own.
bool too_new(const device::Info& info, const TestFile& file);

/// Compares every case of the file with its expected values; appends what differs to `text` (up to `most`
/// cases of an entry).
Tally check_cases(device::Device& device, const TestFile& file, int most, const Steps& step,
                  std::string& text);

/// Random records on two devices.
struct Comparison {
  std::string file, entry, error;  ///< error: why there is no comparison
  uint64_t records = 0, differing = 0, nan_payloads = 0;
  std::vector<std::string> examples;
};
std::vector<Comparison> compare_devices(device::Device& a, device::Device& b, const TestFile& file,
                                        uint64_t records, uint64_t seed, const Steps& step);

}  // namespace ww::runtest
