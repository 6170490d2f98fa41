// NVIDIA's management library: what a GPU does at this moment. Optional: everything works without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/table.h"
#include "device/gpu.h"

namespace ww::device::driver {

/// sm_clock_<when>, memory_clock_<when>, temperature_<when>, power_<when>, as far as known. `when` is
/// "before" or "after".
std::vector<Value> values(const GpuState& state, const std::string& when);

class Nvml {
 public:
  /// An object that knows nothing when the library cannot be opened or does not start.
  explicit Nvml(const std::string& path);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// The driver's own version, "580.159.03"; "" when unknown.
  std::string driver_version() const;
  GpuState state(const std::string& pci_bus_id) const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
};

}  // namespace ww::device::driver
