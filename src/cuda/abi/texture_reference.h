// Texture and surface references, as CUDA 11 and before have them.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct TextureReference {
  int normalized_coordinates;
  int filter_mode;      // as TextureDesc's
  int address_mode[3];  // likewise
  ChannelDesc desc;
  int srgb;
  u32 max_anisotropy;
  int mipmap_filter_mode;
  float mipmap_level_bias, min_mipmap_level, max_mipmap_level;
  int disable_trilinear;
  int reserved[14];
};

struct SurfaceReference {
  ChannelDesc desc;
};

}  // namespace ww::cuda
