// The arrays of a `launch`: brought to the device before it, and written to files after it.
#pragma once

#include <vector>

#include "cli/launch_argument.h"
#include "device/device.h"

namespace ww::cli {

class LaunchBuffers {
 public:
  explicit LaunchBuffers(device::Device& device) : device_(device) {}
  ~LaunchBuffers();
  LaunchBuffers(const LaunchBuffers&) = delete;
  LaunchBuffers& operator=(const LaunchBuffers&) = delete;

  /// Reads files, draws random numbers and allocates, in the order of the arguments. Errors: several at once.
  Status prepare(const std::vector<LaunchArgument>& arguments, uint64_t seed);
  /// What the kernel gets.
  const std::vector<device::Argument>& arguments() const { return arguments_; }
  /// Writes the out and inout files, each in one step.
  Status save() const;

 private:
  struct Buffer {
    ArrayArgument what;
    npy::Array array;  // its bytes are dropped once the device has them
    device::Address address = 0;
  };
  Status add(const ArrayArgument& what, uint64_t seed, uint64_t stream);

  device::Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<device::Argument> arguments_;
};

}  // namespace ww::cli
