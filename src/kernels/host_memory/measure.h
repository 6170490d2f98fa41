// What the probes share: times in streams, patterns that are compared, rows.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/table.h"
#include "device/link.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// A value of provenance Measured.
Value measured(std::string tag, double value, std::string unit, std::string description);
/// 1 or 0.
Value verified(bool good, std::string description);

/// bytes / milliseconds in GB/s.
double gigabytes_per_second(double bytes, double ms);

/// The median time of what `work` puts into stream 0, repeated as the options say (but for no longer than
/// 0.3 s). Errors: work's own, those of the device.
Result<device::Timing> time_in(device::Streams& streams, const device::TimingOptions& options,
                               const std::function<Status()>& work);

/// Memory of a device, freed with the object.
class DeviceMemory {
 public:
  static Result<DeviceMemory> create(device::Device& device, uint64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory();
  device::Address address() const { return address_; }

 private:
  DeviceMemory(device::Device& device, device::Address address) : device_(&device), address_(address) {}
  device::Device* device_;
  device::Address address_;
};

/// n random float32 elements (Input), of which nothing is 0.
std::vector<float> pattern(int64_t n, uint64_t seed);
/// Overwrites with what no pattern holds.
void poison(std::span<std::byte> bytes);
Status poison(device::Device& device, device::Address address, uint64_t bytes);
/// Whether the device's memory holds these elements.
Result<bool> holds(device::Device& device, device::Address address, std::span<const float> expected);

/// The launch of a kernel that copies `bytes` (a multiple of 16) from one address to another.
Result<device::Launch> copy_launch(device::Device& device, device::Address to, device::Address from,
                                   uint64_t bytes);

/// "host, gpu0, same address in kernels": what the driver says of the address that was asked for.
std::string pointer_words(const device::Pointer& pointer, device::Address asked);
/// The value `pointer`: what it says of this memory.
Status add_pointer(Row& row, device::Link& link, const device::HostBuffer& buffer);

/// The row with what `fill` puts into it; refused, with what it has got so far, where that fails.
Row row_of(Row row, const std::function<Status(Row&)>& fill);

}  // namespace ww::kernels
