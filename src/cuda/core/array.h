// CUDA arrays: texels row by row, slice by slice, in plain device memory.
#pragma once

#include <vector>

#include "cuda/abi/texture.h"
#include "cuda/core/platform.h"
#include "engine/texture/texture.h"

namespace ww::cuda {

// Flags of cudaMalloc3DArray.
inline constexpr u32 kArrayLayered = 1, kArraySurface = 2, kArrayCubemap = 4, kArrayGather = 8;

struct Array {
  ChannelDesc desc{};
  Extent extent{};  ///< as given: 0 where there is no such dimension
  u32 flags = 0;
  u64 address = 0;
  DeviceContext* device = nullptr;
  MipmappedArray* parent = nullptr;

  size_t texel() const { return static_cast<size_t>(desc.x + desc.y + desc.z + desc.w) / 8; }
  size_t row() const { return extent.width * texel(); }
  size_t height() const { return extent.height ? extent.height : 1; }
  size_t depth() const { return extent.depth ? extent.depth : 1; }
  size_t slice() const { return row() * height(); }
  size_t bytes() const { return slice() * depth(); }
};

struct MipmappedArray {
  ChannelDesc desc{};
  Extent extent{};
  u32 flags = 0;
  std::vector<Array*> levels;
};

/// Errors: InvalidChannelDescriptor, InvalidValue (an extent that no GPU has), MemoryAllocation.
Error make_array(DeviceContext& device, const ChannelDesc& desc, Extent extent, u32 flags, Array*& array);
/// Error: InvalidResourceHandle.
Error free_array(Array* array);
bool is_array(const Array* array);
Error make_mipmapped(DeviceContext& device, const ChannelDesc& desc, Extent extent, u32 levels, u32 flags,
                     MipmappedArray*& array);
Error free_mipmapped(MipmappedArray* array);

/// The engine's words for a channel. Error: InvalidChannelDescriptor.
Error format_of(const ChannelDesc& desc, engine::ChannelFormat& format, u8& channels);

}  // namespace ww::cuda
