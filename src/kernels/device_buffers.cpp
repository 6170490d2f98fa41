#include "kernels/device_buffers.h"

#include <algorithm>
#include <bit>

namespace ww::kernels {

namespace {

constexpr uint64_t kChunk = 1 << 22;  // elements that pass through host memory at a time

}  // namespace

uint64_t bytes_of(const std::vector<Buffer>& buffers) {
  uint64_t bytes = 0;
  for (const Buffer& b : buffers) bytes += (b.elements + b.slack) * sizeof(float);
  return bytes;
}

void set_arguments(device::Launch& launch, const PlannedLaunch& planned, const DeviceBuffers& buffers) {
  for (const auto& argument : planned.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      launch.arguments.push_back(device::Argument::of(buffers.address(buffer->index)));
    else if (const auto* texture = std::get_if<TextureArgument>(&argument))
      launch.arguments.push_back(device::Argument::of(buffers.texture(texture->index)));
    else
      launch.arguments.push_back(std::get<device::Argument>(argument));
  }
}

DeviceBuffers::~DeviceBuffers() {
  for (uint64_t texture : textures_) (void)device_.destroy_texture(texture);
  // Nothing can be done about a failure to free; a device that is lost reports it on the next call as well.
  for (device::Address address : addresses_) (void)device_.free(address);
}

Status DeviceBuffers::create(const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) {
    auto address = device_.allocate((buffer.elements + buffer.slack) * sizeof(float));
    if (!address) return address.error();
    addresses_.push_back(*address);
    if (std::holds_alternative<TensorMaps>(buffer.content)) continue;  // needs the others' addresses
    if (auto ok = fill(buffer, *address); !ok) return ok;
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (const auto* maps = std::get_if<TensorMaps>(&buffers[i].content))
      if (auto ok = fill(*maps, addresses_[i]); !ok) return ok;
  return {};
}

Status DeviceBuffers::fill(const TensorMaps& maps, device::Address to) {
  for (const TensorMaps::Of& planned : maps.maps) {
    device::TensorMap map = planned.map;
    map.address = address(planned.buffer);
    auto bytes = device_.create_tensor_map(map);
    if (!bytes) return bytes.error();
    if (auto ok = device_.write(to, *bytes); !ok) return ok;
    to += bytes->size();
  }
  return {};
}

Status DeviceBuffers::create(const std::vector<PlannedTexture>& textures) {
  for (const PlannedTexture& planned : textures) {
    device::Texture2D texture = planned.texture;
    texture.address = address(planned.buffer);
    auto handle = device_.create_texture(texture);
    if (!handle) return handle.error();
    textures_.push_back(*handle);
  }
  return {};
}

Status DeviceBuffers::fill(const Buffer& buffer, device::Address address) {
  const Input* input = std::get_if<Input>(&buffer.content);
  const float poison = std::bit_cast<float>(kPoison);
  const uint64_t total = buffer.elements + buffer.slack;
  std::vector<float> chunk(std::min(total, kChunk));
  for (uint64_t first = 0; first < total; first += kChunk) {
    const std::span<float> part(chunk.data(), std::min(kChunk, total - first));
    // How many of these belong to the buffer itself; the rest is slack.
    const auto own = first < buffer.elements ? std::min<uint64_t>(part.size(), buffer.elements - first) : 0;
    if (input) {
      input->read(first, part.first(own));
    } else {
      std::fill_n(part.begin(), own, std::holds_alternative<Zero>(buffer.content) ? 0.0f : poison);
    }
    std::fill(part.begin() + static_cast<ptrdiff_t>(own), part.end(), poison);
    if (auto ok = device_.write(address + first * sizeof(float), std::as_bytes(part)); !ok) return ok;
  }
  return {};
}

Status DeviceBuffers::read(int index, uint64_t first, std::span<float> out) {
  return device_.read(address(index) + first * sizeof(float), std::as_writable_bytes(out));
}

}  // namespace ww::kernels
