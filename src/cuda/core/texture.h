// Texture and surface objects: the program's descriptions, and the engine's handles behind them.
#pragma once

#include "cuda/abi/texture.h"

namespace ww::cuda {

struct TextureObject {
  ResourceDesc resource{};
  TextureDesc texture{};
  ResourceViewDesc view{};
  bool has_view = false, surface = false;
};

/// Linear filtering of texels that are read as integers: the runtime refuses it, the driver takes it.
enum class FilteredIntegers { Refused, Taken };
/// Errors: InvalidValue, InvalidChannelDescriptor, InvalidFilterSetting, InvalidNormSetting, NotSupported.
Error make_texture(const ResourceDesc& resource, const TextureDesc& texture, const ResourceViewDesc* view,
                   FilteredIntegers integers, u64& handle);
Error make_surface(const ResourceDesc& resource, u64& handle);
Error destroy_texture(u64 handle, bool surface);
/// Error: InvalidValue.
Error find_texture(u64 handle, TextureObject& object);

}  // namespace ww::cuda
