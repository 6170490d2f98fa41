// A plan's buffers in the memory of a device.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "device/device.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// Freed with the object.
class DeviceBuffers {
 public:
  explicit DeviceBuffers(device::Device& device) : device_(device) {}
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  ~DeviceBuffers();

  /// Allocates and fills them all. Error: the device's (out of memory).
  Status create(const std::vector<Buffer>& buffers);
  device::Address address(int index) const { return addresses_[static_cast<size_t>(index)]; }
  /// Textures over them. Error: the device's.
  Status create(const std::vector<PlannedTexture>& textures);
  uint64_t texture(int index) const { return textures_[static_cast<size_t>(index)]; }
  /// Elements first, first + 1, … of buffer `index`.
  Status read(int index, uint64_t first, std::span<float> out);

 private:
  Status fill(const Buffer& buffer, device::Address address);
  Status fill(const TensorMaps& maps, device::Address address);

  device::Device& device_;
  std::vector<device::Address> addresses_;
  std::vector<uint64_t> textures_;
};

/// Fills in the launch's arguments: the buffers by their addresses.
void set_arguments(device::Launch& launch, const PlannedLaunch& planned, const DeviceBuffers& buffers);

/// Bytes that a device needs for these buffers.
uint64_t bytes_of(const std::vector<Buffer>& buffers);

}  // namespace ww::kernels
